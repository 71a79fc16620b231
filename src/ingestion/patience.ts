import type { Clock } from "../clock.ts";

/** What a promise gives within `ms` milliseconds, else "late"; it rejects like the promise. */
export async function withinPatience<T>(promise: Promise<T>, ms: number, clock: Clock): Promise<T | "late"> {
  const settled = new AbortController();
  const late = clock.sleep(ms, settled.signal).then(
    () => "late" as const,
    () => "late" as const,
  );
  try {
    return await Promise.race([promise, late]);
  } finally {
    settled.abort();
    // The promise may reject after nobody waits for it any more.
    promise.catch(() => undefined);
  }
}
