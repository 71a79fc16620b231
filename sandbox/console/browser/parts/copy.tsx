import type { JSX } from "preact";
import { IconButton } from "./button.tsx";
import { toast } from "../toast.ts";

/** Copies a text as it is; `what` names it, such as "object ID". */
export function CopyButton({ text, what }: { text: string; what: string }): JSX.Element {
  const copy = (): void => {
    navigator.clipboard.writeText(text).then(
      () => {
        toast(`Copied the ${what}.`);
      },
      () => {
        toast("The browser did not allow copying.", "danger");
      },
    );
  };
  return <IconButton icon="copy" label={`Copy ${what}`} onPress={copy} />;
}
