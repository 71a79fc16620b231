import type { Clock } from "./clock.ts";
import { InterruptedError } from "./errors.ts";

/** What a run keeps of its time for writing the result, at most. */
const LONGEST_MARGIN_MS = 5_000;
const MARGIN_SHARE = 0.1;
/** How long an entry point may take to wind up once its signal has aborted, at most. */
const LONGEST_GRACE_MS = 2_000;

/** When a run must stop, as a moment and as a signal. */
export interface RunLimit {
  /** Epoch milliseconds at which the signal aborts by itself; null when the host set no deadline. */
  readonly deadline: number | null;
  /** Aborts at `deadline` and as soon as one of the given signals does, with its reason. */
  readonly signal: AbortSignal;
  /** How long an entry point may still take once the signal has aborted, in milliseconds. */
  readonly graceMs: number;
  /** Stops the timer and lets go of the given signals. */
  release(): void;
}

/**
 * @param hostDeadline epoch milliseconds at which the host ends the process; the run stops a little earlier, so that what
 *   it has and its result are still written
 * @param stops signals that end the run from outside
 */
export function limitRun(clock: Clock, hostDeadline: number | null, stops: readonly AbortSignal[]): RunLimit {
  const limit = new AbortController();
  const release = new AbortController();
  const marginMs =
    hostDeadline === null
      ? Infinity
      : Math.max(0, Math.min(LONGEST_MARGIN_MS, (hostDeadline - clock.now()) * MARGIN_SHARE));
  const deadline = hostDeadline === null ? null : hostDeadline - marginMs;

  for (const stop of stops) {
    const forward = (): void => {
      limit.abort(stop.reason);
    };
    if (stop.aborted) forward();
    else stop.addEventListener("abort", forward, { signal: release.signal });
  }
  if (deadline !== null) {
    clock.sleep(deadline - clock.now(), release.signal).then(
      () => {
        limit.abort(
          new InterruptedError(`The run's time was over before it was done (deadline ${instant(hostDeadline)}).`),
        );
      },
      () => undefined,
    );
  }
  return {
    deadline,
    signal: limit.signal,
    graceMs: Math.min(LONGEST_GRACE_MS, marginMs / 2),
    release: () => {
      release.abort();
    },
  };
}

function instant(epochMs: number | null): string {
  return epochMs === null ? "none" : new Date(epochMs).toISOString();
}

/** Settles like the promise, or rejects with the signal's reason as soon as the signal aborts. */
export function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      reject(signal.reason as Error);
    };
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort);
    promise
      .finally(() => {
        signal.removeEventListener("abort", abort);
      })
      .then(resolve, reject);
  });
}

/** Settles like the promise, or rejects with `late` once `ms` milliseconds have passed. */
export async function within<T>(promise: Promise<T>, ms: number, clock: Clock, late: unknown): Promise<T> {
  const settled = new AbortController();
  const timeout = clock.sleep(ms, settled.signal).then(() => {
    throw late;
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    timeout.catch(() => undefined);
    settled.abort();
  }
}
