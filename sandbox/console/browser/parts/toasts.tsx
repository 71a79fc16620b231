import type { JSX } from "preact";
import { visible } from "../../../../widgets/shared/text.ts";
import { dismiss, shown } from "../toast.ts";
import { IconButton } from "./button.tsx";
import { Icon } from "./icon.tsx";

const icons = { good: "check", danger: "warning", plain: "info" } as const;

/**
 * Where toasts appear. The page has one such region and each dialog has another, because an open dialog makes everything outside of it inert.
 * Those that show nothing are there as well: a screen reader announces what comes into a region that it knows.
 */
export function Toasts({ isShown }: { isShown: boolean }): JSX.Element {
  return (
    <div class="toasts" role="status">
      {(isShown ? shown.value : []).map(({ id, look, message, link }) => (
        <div key={id} class={`toast ${look}`} role={look === "danger" ? "alert" : undefined}>
          <Icon name={icons[look]} />
          <p>
            {visible(message)} {link !== null && <a href={link.href}>{link.text}</a>}
          </p>
          <IconButton
            icon="close"
            label="Dismiss"
            onPress={() => {
              dismiss(id);
            }}
          />
        </div>
      ))}
    </div>
  );
}
