import { once } from "node:events";
import type { Writable } from "node:stream";
import type { Clock } from "../../clock.ts";
import { StalledReaderError } from "../failures.ts";

/** When a command stops waiting for the reader of standard output. */
export interface WriteTerms {
  readonly clock: Clock;
  /** Aborts on Ctrl-C and SIGTERM. */
  readonly stop: AbortSignal;
  /** Aborts also when the time of the command is up; default: `stop`. */
  readonly until?: AbortSignal;
}

/** For a reader that is only slow. Docker kills a container 10 s after SIGTERM. */
const GRACE_MS = 5_000;

/**
 * Resolves once the stream has all bytes, however long its reader takes, unless the command must stop.
 *
 * @throws StalledReaderError when the command must stop and the reader has not taken them a few seconds later
 */
export async function writeWhole(stream: Writable, data: string | Buffer, terms: WriteTerms): Promise<void> {
  const settled = new AbortController();
  const written = new Promise<void>((resolve, reject) => {
    stream.write(data, (error) => {
      if (error) reject(error);
      else resolve();
    });
  });
  try {
    await Promise.race([written, stalled(terms, settled.signal)]);
  } finally {
    settled.abort();
  }
}

async function stalled({ clock, stop, until = stop }: WriteTerms, signal: AbortSignal): Promise<never> {
  if (!until.aborted) await once(until, "abort", { signal });
  await clock.sleep(GRACE_MS, signal);
  throw new StalledReaderError(stop.aborted);
}
