import { button, element, glyph } from "./dom.ts";

/**
 * A button that copies a text. A platform may forbid a widget the clipboard; then the text appears selected, ready for the
 * keys that copy.
 *
 * @returns the button, and the place where the outcome is said
 */
export function copyButton(label: string, text: () => string): HTMLElement[] {
  const outcome = element("div", { class: "outcome", role: "status" });
  const press = async (): Promise<void> => {
    const copied = text();
    if (await written(copied)) {
      outcome.replaceChildren("Copied.");
      return;
    }
    const field = element("textarea", { readonly: "", "aria-label": label, rows: "5" });
    field.value = copied;
    outcome.replaceChildren(
      element("p", null, "The platform does not let the widget copy. Press Ctrl+C or ⌘C:"),
      field,
    );
    field.focus();
    field.select();
  };
  return [button({ class: "button" }, () => void press(), glyph("copy"), label), outcome];
}

async function written(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return writtenBySelection(text);
  }
}

/** The way to copy that many frames without the permission for the clipboard have left; browsers advise against it elsewhere. */
const old: { execCommand: (command: "copy") => boolean } = document;

function writtenBySelection(text: string): boolean {
  const had = document.activeElement;
  const field = element("textarea", { class: "unseen", "aria-hidden": "true" });
  field.value = text;
  document.body.append(field);
  field.select();
  const copied = old.execCommand("copy");
  field.remove();
  if (had instanceof HTMLElement) had.focus();
  return copied;
}
