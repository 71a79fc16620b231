import { signal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { useLeaving } from "../router.ts";
import { Button, IconButton } from "./button.tsx";
import { Toasts } from "./toasts.tsx";

interface DialogProps {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
  /** Buttons at the end. */
  footer?: ComponentChildren;
  /** A drawer takes the height of the screen at its side. */
  shape?: "dialog" | "wide" | "drawer";
  /** Once it changes, what was typed is stored. */
  stored?: unknown;
}

/** The dialogs that are open, the topmost last: which one shows toasts. */
const open = signal<readonly HTMLDialogElement[]>([]);

/** What a person types in. */
const TYPED_IN = "textarea, input:not([type=checkbox], [type=radio], [type=file], [type=search])";

/**
 * A modal dialog that is open as long as it is on the page. Escape, a click beside it, and the browser's Back button close it, after a question
 * when something was typed in it.
 */
export function Dialog({ title, onClose, children, footer, shape = "dialog", stored }: DialogProps): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  const typedIn = useRef(new Set<Element>());
  const showsToasts = open.value.at(-1) === dialog.current;
  useEffect(() => {
    const had = document.activeElement;
    const shown = dialog.current;
    if (shown === null) return undefined;
    shown.showModal();
    open.value = [...open.value, shown];
    // Where one goes on: the first field, else the title, so that a screen reader begins with it.
    const field = shown.querySelector<HTMLElement>(".dialog-body :is(input, select, textarea):not([type=hidden])");
    (field ?? shown.querySelector<HTMLElement>("h2"))?.focus();
    return () => {
      open.value = open.value.filter((other) => other !== shown);
      shown.close();
      // The element that opened it may be gone by now.
      if (had instanceof HTMLElement && had.isConnected) had.focus();
    };
  }, []);
  useEffect(() => {
    typedIn.current.clear();
  }, [stored]);
  const leave = (): void => {
    // Where a result has taken the place of a form, nothing is lost.
    if (![...typedIn.current].some((typed) => typed.checkVisibility())) onClose();
    else
      void confirmed({
        title: "Close without saving?",
        text: "What you have entered is lost.",
        confirm: "Close",
        isDangerous: true,
      }).then((isSure) => {
        if (isSure) onClose();
      });
  };
  useLeaving((event) => {
    if (event.navigationType !== "traverse" || !isOnTop(dialog.current)) return;
    const { pathname, search } = new URL(event.destination.url);
    // The query of a page may say which dialog is open: then the page closes it by itself.
    if (pathname === location.pathname && search !== location.search) return;
    event.preventDefault();
    leave();
  });
  return (
    <dialog
      ref={dialog}
      class={`dialog ${shape}`}
      aria-labelledby={id}
      onCancel={(event) => {
        // When Escape is pressed again and again, a browser closes the dialog without letting the page prevent it. The question comes after that.
        if (!event.cancelable) return;
        event.preventDefault();
        leave();
      }}
      onClose={() => {
        if (dialog.current === null) return;
        // The browser closed it by itself. It has to be visible again before it is known whether something typed would be lost.
        dialog.current.showModal();
        leave();
      }}
      onMouseDown={(event) => {
        if (event.target === dialog.current) leave();
      }}
      onInput={({ target }) => {
        const isField = target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;
        // Another field may take the place of this one, and keep its text.
        if (isField && target.matches(TYPED_IN)) typedIn.current.add(target.form ?? target);
      }}
    >
      <div class="dialog-box">
        <header class="dialog-head">
          <h2 id={id} tabIndex={-1}>
            {title}
          </h2>
          <IconButton icon="close" label="Close" onPress={leave} />
        </header>
        <div class="dialog-body">{children}</div>
        <Toasts isShown={showsToasts} />
        {footer !== undefined && <footer class="dialog-foot">{footer}</footer>}
      </div>
    </dialog>
  );
}

/** A dialog that another one opened, or a question, comes after it in the document. */
function isOnTop(dialog: HTMLDialogElement | null): boolean {
  return [...document.querySelectorAll("dialog[open]")].at(-1) === dialog;
}

/** Whether a dialog is open, which then decides what Back does. */
export function isDialogOpen(): boolean {
  return document.querySelector("dialog[open]") !== null;
}

/** Where toasts appear while no dialog is open; once on the page. */
export function PageToasts(): JSX.Element {
  return <Toasts isShown={open.value.length === 0} />;
}

interface Question {
  title: string;
  text: ComponentChildren;
  /** What the button does, such as "Delete instance". */
  confirm: string;
  isDangerous: boolean;
  answer: (confirmed: boolean) => void;
}

const asked = signal<Question | null>(null);

/** Asks before something that cannot be taken back. */
export function confirmed(question: {
  title: string;
  text: ComponentChildren;
  confirm: string;
  isDangerous?: boolean;
}): Promise<boolean> {
  return new Promise((resolve) => {
    asked.value?.answer(false);
    const answer = (yes: boolean): void => {
      asked.value = null;
      resolve(yes);
    };
    asked.value = { isDangerous: false, ...question, answer };
  });
}

/** Where questions appear; once on the page. */
export function Questions(): JSX.Element | null {
  const question = asked.value;
  if (question === null) return null;
  const { title, text, confirm, isDangerous, answer } = question;
  return (
    <Dialog
      title={title}
      onClose={() => {
        answer(false);
      }}
      footer={
        <>
          <Button
            onPress={() => {
              answer(false);
            }}
          >
            Cancel
          </Button>
          <Button
            look={isDangerous ? "danger" : "primary"}
            onPress={() => {
              answer(true);
            }}
          >
            {confirm}
          </Button>
        </>
      }
    >
      {text}
    </Dialog>
  );
}
