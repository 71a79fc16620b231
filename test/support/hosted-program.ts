import { PassThrough } from "node:stream";
import { systemClock } from "../../src/clock.ts";
import { InterruptedError } from "../../src/runtime/errors.ts";
import type { Message, Request } from "../../src/runtime/protocol.ts";
import { createRedactor } from "../../src/runtime/redaction.ts";
import { runHere } from "./plugin-run.ts";
import { builtProgram } from "./program.ts";

/** What the local host asks for when it runs a plugin, and what it gets. */
type RunProgram = (run: {
  request: Request;
  secrets: readonly string[];
  signal?: AbortSignal;
  aheadMs?: number;
}) => AsyncGenerator<Message, void>;

/**
 * Lets the local host run the built plugin in this process, whatever the installed package holds. Each run then saves the start of a
 * process. Suites about the process itself leave this out.
 */
export async function hostedProgram(): Promise<RunProgram> {
  const program = await builtProgram();
  return async function* ({ request, secrets, signal, aheadMs = 0 }) {
    const redactor = createRedactor(secrets);
    const stdout = new PassThrough();
    const stop = new AbortController();
    const aborted = () => {
      // As when the process gets SIGTERM.
      stop.abort(new InterruptedError("The host stopped the run before it finished. (SIGTERM)"));
    };
    signal?.addEventListener("abort", aborted, { once: true });
    const ended = runHere(request, stdout, {
      clock: { ...systemClock, now: () => systemClock.now() + aheadMs },
      program,
      stop: stop.signal,
    }).finally(() => {
      signal?.removeEventListener("abort", aborted);
      stdout.end();
    });
    if (signal?.aborted === true) aborted();
    for await (const line of linesOf(stdout)) yield JSON.parse(redactor.text(line)) as Message;
    await ended;
  };
}

async function* linesOf(stream: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let parts: Buffer[] = [];
  for await (const chunk of stream) {
    let start = 0;
    for (let end = chunk.indexOf("\n"); end !== -1; end = chunk.indexOf("\n", start)) {
      yield Buffer.concat([...parts, chunk.subarray(start, end)]).toString();
      parts = [];
      start = end + 1;
    }
    parts.push(chunk.subarray(start));
  }
}
