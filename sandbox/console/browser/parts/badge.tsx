import type { ComponentChildren, JSX } from "preact";
import { visible } from "../../../../widgets/shared/text.ts";
import type { RunStatus } from "../../contract/index.ts";
import type { Severity } from "../../../../src/runtime/protocol.ts";

export type Look = "danger" | "warning" | "good" | "plain" | "accent";

export function Badge({ look = "plain", children }: { look?: Look; children: ComponentChildren }): JSX.Element {
  return <span class={`badge ${look}`}>{children}</span>;
}

/** A tag as somebody typed it: it may be long and without blanks. */
export function Tag({ tag, look = "plain" }: { tag: string; look?: Look }): JSX.Element {
  return <span class={`badge tag ${look}`}>{visible(tag)}</span>;
}

const severities: Readonly<Record<Severity, { look: Look; bars: number }>> = {
  critical: { look: "danger", bars: 4 },
  high: { look: "danger", bars: 3 },
  moderate: { look: "warning", bars: 2 },
  low: { look: "plain", bars: 1 },
  unknown: { look: "plain", bars: 0 },
};

/** A word and as many bars as it is severe, so that it does not depend on colour. */
export function SeverityBadge({ severity }: { severity: Severity }): JSX.Element {
  const { look, bars } = severities[severity];
  return (
    <span class={`severity ${severity}`}>
      <svg class={`bars ${look}`} viewBox="0 0 16 12" width="16" height="12" aria-hidden="true">
        {[0, 1, 2, 3].map((bar) => (
          <rect
            key={bar}
            class={bar < bars ? "on" : "off"}
            x={bar * 4}
            y={8 - bar * 2.5}
            width="3"
            height={4 + bar * 2.5}
            rx="0.5"
          />
        ))}
      </svg>
      {capitalised(severity)}
    </span>
  );
}

const statuses: Readonly<Record<RunStatus, { look: Look; text: string }>> = {
  running: { look: "accent", text: "Running" },
  // Not green: a run that found an open attack path has completed, too.
  completed: { look: "plain", text: "Completed" },
  partial: { look: "warning", text: "Partial" },
  in_progress: { look: "accent", text: "In progress" },
  failed: { look: "danger", text: "Failed" },
  crashed: { look: "danger", text: "Crashed" },
  interrupted: { look: "warning", text: "Interrupted" },
  stopped: { look: "warning", text: "Stopped" },
};

/** How a run ended, or that it has not. A status that this page does not know is shown as it is. */
export function RunStatusBadge({ status }: { status: string }): JSX.Element {
  const known = Object.hasOwn(statuses, status)
    ? statuses[status as RunStatus]
    : { look: "plain" as const, text: status };
  return (
    <span class={`status ${known.look}`}>
      <span class={`dot${status === "running" ? " beating" : ""}`} aria-hidden="true" />
      {known.text}
    </span>
  );
}

/** A name, an id or another text that somebody else chose: kept apart from the text around it, nothing in it hidden. */
export function Foreign({ text, mono = false }: { text: string; mono?: boolean }): JSX.Element {
  return (
    <bdi class={mono ? "foreign mono" : "foreign"} title={visible(text)}>
      {visible(text)}
    </bdi>
  );
}

export function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1).replaceAll("_", " ");
}
