import { signal } from "@preact/signals";
import { messageOf } from "../../../src/text.ts";

interface Toast {
  id: number;
  look: "good" | "danger" | "plain";
  message: string;
  link: { href: string; text: string } | null;
}

export const shown = signal<readonly Toast[]>([]);
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

export function dismiss(id: number): void {
  shown.value = shown.value.filter((other) => other.id !== id);
}
