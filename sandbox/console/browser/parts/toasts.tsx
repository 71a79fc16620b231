import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { visible } from "../../../../widgets/shared/text.ts";
import { IconButton } from "./button.tsx";
import { Icon } from "./icon.tsx";
import { messageOf } from "../../../../src/text.ts";

interface Toast {
  id: number;
  look: "good" | "danger" | "plain";
  message: string;
  link: { href: string; text: string } | null;
}

const shown = signal<readonly Toast[]>([]);
let lastId = 0;

/** Long enough to read a sentence; an error stays until it is dismissed. */
const SHOWN_MS = 6000;

/** Says what was done, beside what the page shows of it. */
export function toast(message: string, look: Toast["look"] = "good", link: Toast["link"] = null): void {
  lastId += 1;
  const id = lastId;
  shown.value = [...shown.value.filter((other) => other.message !== message), { id, look, message, link }].slice(-4);
  if (look !== "danger")
    setTimeout(() => {
      dismiss(id);
    }, SHOWN_MS);
}

/** Shows an error that no part of the page has a place for. */
export function failed(error: unknown): void {
  toast(messageOf(error), "danger");
}

function dismiss(id: number): void {
  shown.value = shown.value.filter((other) => other.id !== id);
}

const icons = { good: "check", danger: "warning", plain: "info" } as const;

export function Toasts(): JSX.Element {
  return (
    <div class="toasts" role="status">
      {shown.value.map(({ id, look, message, link }) => (
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
