import { useEffect, useRef } from "preact/hooks";
import { go, useLeaving } from "../router.ts";
import { confirmed, isDialogOpen } from "./dialog.tsx";

/**
 * Asks before the person leaves a form whose changes are not saved.
 * @returns lets the person leave without a question from now on
 */
export function useUnsaved(isUnsaved: boolean): () => void {
  const mayLeave = useRef(false);
  useLeaving((event) => {
    const { destination, navigationType, hashChange } = event;
    // A link within the page, such as the one that skips the menu, leaves nothing.
    if (!isUnsaved || mayLeave.current || hashChange || (navigationType === "traverse" && isDialogOpen())) return;
    event.preventDefault();
    void confirmed({
      title: "Leave without saving?",
      text: "Your changes to this form are not saved.",
      confirm: "Leave",
      isDangerous: true,
    }).then((isSure) => {
      if (!isSure) return;
      mayLeave.current = true;
      if (navigationType === "traverse") void navigation.traverseTo(destination.key).finished?.catch(() => undefined);
      else go(destination.url, { replace: navigationType === "replace" });
    });
  });
  useEffect(() => {
    mayLeave.current = false;
    if (!isUnsaved) return undefined;
    const ask = (event: Event): void => {
      if (!mayLeave.current) event.preventDefault();
    };
    addEventListener("beforeunload", ask);
    return () => {
      removeEventListener("beforeunload", ask);
    };
  }, [isUnsaved]);
  return () => {
    mayLeave.current = true;
  };
}
