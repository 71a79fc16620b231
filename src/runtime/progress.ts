import type { Clock } from "../clock.ts";
import { printable } from "./printable.ts";
import type { MessageWriter } from "./writer.ts";

/** At most four messages a second reach the host, and always the last one. */
const INTERVAL_MS = 250;

/** Makes the function that an entry point may call as often as is convenient for it. */
export function createProgress(
  writer: MessageWriter,
  clock: Clock,
): (done: number, total: number, label: string) => void {
  let lastAt = -Infinity;
  return (done, total, label) => {
    const now = clock.monotonic();
    if (done < total && now - lastAt < INTERVAL_MS) return;
    lastAt = now;
    writer.write({ type: "progress", done, total, label: printable(label) }).catch(() => undefined);
  };
}
