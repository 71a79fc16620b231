import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { instant, machineTime, relativeTime } from "../format.ts";
import { overview } from "../overview.ts";

/** The present, often enough for times in words. */
export const now = signal(Date.now());

export function startClock(): void {
  setInterval(() => {
    if (!document.hidden) now.value = Date.now();
  }, 5000);
}

/** A time in words, the exact one on hover and for a machine. */
export function Time({ at }: { at: number }): JSX.Element {
  const aheadMs = overview.value?.aheadMs ?? 0;
  return (
    <time dateTime={machineTime(at)} title={instant(at)}>
      {relativeTime(at, Math.max(now.value + aheadMs, at <= Date.now() + aheadMs ? at : 0))}
    </time>
  );
}
