import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { instant, relativeTime } from "../format.ts";

/** The present, often enough for times in words. */
export const now = signal(Date.now());

export function startClock(): void {
  setInterval(() => {
    if (!document.hidden) now.value = Date.now();
  }, 5000);
}

/** A time in words, the exact one on hover and for a machine. */
export function Time({ at }: { at: number }): JSX.Element {
  return (
    <time dateTime={new Date(at).toISOString()} title={instant(at)}>
      {relativeTime(at, Math.max(now.value, at <= Date.now() ? at : 0))}
    </time>
  );
}
