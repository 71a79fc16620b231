import type { ComponentChildren, JSX } from "preact";
import { visible } from "../../../../widgets/shared/text.ts";
import type { Loadable } from "../resource.ts";
import { Button } from "./button.tsx";
import { Icon, type IconName } from "./icon.tsx";

/** Nothing is there yet: why, and what to do. */
export function Empty(props: {
  icon?: IconName;
  title: string;
  children?: ComponentChildren;
  actions?: ComponentChildren;
}): JSX.Element {
  return (
    <div class="state">
      <Icon name={props.icon ?? "info"} size={28} />
      <p class="state-title">{props.title}</p>
      {props.children !== undefined && <div class="state-text">{props.children}</div>}
      {props.actions !== undefined && <div class="actions">{props.actions}</div>}
    </div>
  );
}

/** The shape of what is to come; said once to a screen reader. */
export function Loading({ what = "Loading", lines = 4 }: { what?: string; lines?: number }): JSX.Element {
  return (
    <div class="skeleton" role="status">
      <span class="unseen">{what}</span>
      {Array.from({ length: lines }, (_, index) => (
        <span key={index} class="bone" />
      ))}
    </div>
  );
}

/** Something could not be had; the message is the server's own. */
export function Failed({ error, retry }: { error: Error; retry?: () => void }): JSX.Element {
  return (
    <div class="state danger" role="alert">
      <Icon name="warning" size={28} />
      <p class="state-title">{visible(error.message)}</p>
      {retry !== undefined && (
        <div class="actions">
          <Button icon="repeat" onPress={retry}>
            Try again
          </Button>
        </div>
      )}
    </div>
  );
}

/** A sentence that stands beside what it is about. */
export function Notice(props: {
  look?: "plain" | "good" | "warning" | "danger";
  icon?: IconName;
  children: ComponentChildren;
  actions?: ComponentChildren;
}): JSX.Element {
  const look = props.look ?? "plain";
  return (
    <div class={`notice ${look}`}>
      <Icon name={props.icon ?? (look === "good" ? "check" : look === "plain" ? "info" : "warning")} />
      <div class="notice-text">{props.children}</div>
      {props.actions}
    </div>
  );
}

/**
 * Shows a resource in whatever state it is. What was loaded once stays on the page while it is asked for again, and when
 * that fails.
 */
export function Loaded<T>(props: {
  of: Loadable<T>;
  what?: string;
  lines?: number;
  children: (data: T) => ComponentChildren;
}): JSX.Element {
  const { data, error, reload } = props.of;
  if (data === null && error !== null) return <Failed error={error} retry={reload} />;
  if (data === null)
    return <Loading lines={props.lines ?? 4} {...(props.what === undefined ? {} : { what: props.what })} />;
  return (
    <>
      {error !== null && (
        <Notice
          look="danger"
          actions={
            <Button size="small" onPress={reload}>
              Try again
            </Button>
          }
        >
          Shown as last loaded. {visible(error.message)}
        </Notice>
      )}
      {props.children(data)}
    </>
  );
}

/** Says above a list what it leaves out; nothing when it is whole. */
export function Cut({ text }: { text: string | undefined }): JSX.Element | null {
  return text === undefined ? null : <p class="muted small">{text}</p>;
}
