import type { Clock } from "../clock.ts";
import { Deadline } from "../deadline.ts";
import { InterruptedError } from "./errors.ts";

/** What a run keeps of its time for writing the result, at most. */
const LONGEST_MARGIN_MS = 5_000;
const MARGIN_SHARE = 0.1;
/** How long an entry point may take to finish once its signal has aborted, at most. */
const LONGEST_GRACE_MS = 2_000;

/** The time that a run has. */
export interface RunTime {
  /** When the entry point must stop: earlier than the host's deadline, so that there is time to write the result. */
  readonly deadline: Deadline;
  /** How long an entry point may still take after `deadline`, in milliseconds. */
  readonly graceMs: number;
}

/**
 * @param hostDeadline epoch milliseconds at which the host ends the process; null for never
 * @param stops signals that end the run from outside
 */
export function timeOfRun(clock: Clock, hostDeadline: number | null, stops: readonly AbortSignal[]): RunTime {
  if (hostDeadline === null) {
    return { deadline: new Deadline({ clock, at: null, stops }), graceMs: LONGEST_GRACE_MS };
  }
  const timeMs = Math.max(0, hostDeadline - clock.now());
  const marginMs = Math.min(LONGEST_MARGIN_MS, timeMs * MARGIN_SHARE);
  const reason = (): Error =>
    new InterruptedError(
      `The run reached its deadline before it finished. (deadline ${new Date(hostDeadline).toISOString()})`,
    );
  return {
    deadline: new Deadline({ clock, at: hostDeadline - marginMs, stops, reason }),
    graceMs: Math.min(LONGEST_GRACE_MS, marginMs / 2),
  };
}

/** Settles like the promise, or rejects with the signal's reason as soon as the signal aborts. */
export function rejectOnAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
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

/** Settles like the promise, or resolves as soon as the signal aborts. */
export async function resolveOnAbort(promise: Promise<void>, signal: AbortSignal): Promise<void> {
  try {
    await rejectOnAbort(promise, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
