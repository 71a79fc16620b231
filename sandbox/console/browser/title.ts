import { useEffect } from "preact/hooks";
import { subject } from "./router.ts";

/** Names what a page shows in the title of the browser's tab, as long as the page is there. */
export function useTitle(text: string): void {
  useEffect(() => {
    subject.value = text;
    return () => {
      subject.value = null;
    };
  }, [text]);
}
