import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import { Icon, type IconName } from "./icon.tsx";
import { failed } from "../toast.ts";

interface ButtonProps {
  children: ComponentChildren;
  icon?: IconName;
  /** The one button of a place that goes on is primary; one that destroys is danger. */
  look?: "plain" | "primary" | "danger" | "quiet";
  size?: "normal" | "small";
  /** It is under way: the button stays focusable, and a press does nothing. */
  isBusy?: boolean;
  disabled?: boolean;
  /** Replaces the text for a screen reader where the text alone says too little. */
  label?: string;
  title?: string;
  pressed?: boolean;
  expanded?: boolean;
  submit?: boolean;
  onPress?: (event: MouseEvent) => void;
}

export function Button(props: ButtonProps): JSX.Element {
  const { look = "plain", size = "normal", isBusy = false } = props;
  return (
    <button
      type={props.submit === true ? "submit" : "button"}
      class={`button ${look} ${size}${isBusy ? " busy" : ""}`}
      disabled={props.disabled}
      aria-disabled={isBusy ? "true" : undefined}
      aria-label={props.label}
      aria-pressed={props.pressed}
      aria-expanded={props.expanded}
      title={props.title}
      onClick={(event) => {
        if (isBusy) event.preventDefault();
        else props.onPress?.(event);
      }}
    >
      {isBusy ? <span class="spinner" aria-hidden="true" /> : props.icon !== undefined && <Icon name={props.icon} />}
      <span>{props.children}</span>
    </button>
  );
}

/** A button that is only a drawing; `label` is what it does. */
export function IconButton(props: {
  icon: IconName;
  label: string;
  onPress: (event: MouseEvent) => void;
  expanded?: boolean;
  disabled?: boolean;
}): JSX.Element {
  return (
    <button
      type="button"
      class="icon-button"
      aria-label={props.label}
      title={props.label}
      aria-expanded={props.expanded}
      disabled={props.disabled}
      onClick={props.onPress}
    >
      <Icon name={props.icon} />
    </button>
  );
}

/** A link that looks like a button, for what goes to another page. */
export function LinkButton(props: {
  href: string;
  children: ComponentChildren;
  icon?: IconName;
  look?: "plain" | "primary" | "quiet";
  size?: "normal" | "small";
}): JSX.Element {
  return (
    <a class={`button ${props.look ?? "plain"} ${props.size ?? "normal"}`} href={props.href}>
      {props.icon !== undefined && <Icon name={props.icon} />}
      <span>{props.children}</span>
    </a>
  );
}

/** Runs a task one at a time; its error is shown as a toast. */
export function useTask<A extends unknown[]>(
  task: (...args: A) => Promise<void>,
): {
  run: (...args: A) => void;
  isBusy: boolean;
} {
  const [isBusy, setBusy] = useState(false);
  const run = (...args: A): void => {
    if (isBusy) return;
    setBusy(true);
    task(...args)
      .catch(failed)
      .finally(() => {
        setBusy(false);
      });
  };
  return { run, isBusy };
}
