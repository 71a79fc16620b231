import type { Writable } from "node:stream";
import type { Message, ResultMessage } from "./protocol.ts";

/** The host closed standard output before the result was written. */
export class OutputClosedError extends Error {
  override readonly name = "OutputClosedError";
  readonly readable = true;

  constructor(cause: unknown) {
    super("The host closed standard output before the result was written.", { cause });
  }
}

/** Writes newline-delimited JSON messages in the order of the calls. */
export interface MessageWriter {
  /**
   * Resolves when the stream has room for more. Messages after one that is still pending wait for it. After the result
   * nothing is written.
   */
  write(message: Message | Promise<Message>): Promise<void>;
  /** Writes the result behind everything written so far; resolves when the last byte has left the process. */
  finish(result: ResultMessage): Promise<void>;
  /** Aborts with an OutputClosedError as soon as the stream is found to be closed. */
  readonly closed: AbortSignal;
}

export function createWriter(stream: Writable): MessageWriter {
  const closed = new AbortController();
  const close = (cause?: unknown): void => {
    closed.abort(new OutputClosedError(cause));
  };
  stream.on("error", close);
  stream.on("close", close);
  let finished = false;
  let last: Promise<unknown> = Promise.resolve();

  function enqueue(task: () => Promise<void>): Promise<void> {
    const done = last.then(task);
    // A failed write rejects only its own caller, and log messages are never awaited.
    last = done.catch(() => undefined);
    return done;
  }

  async function put(message: string | Promise<Message>): Promise<void> {
    const line = typeof message === "string" ? message : lineOf(await message);
    closed.signal.throwIfAborted();
    if (!stream.write(line)) await drained(stream, closed.signal);
    closed.signal.throwIfAborted();
  }

  return {
    closed: closed.signal,
    write(message) {
      if (finished) return Promise.resolve();
      // Serialised now, so that a message that waits for the host does not keep its findings in memory.
      const ready = message instanceof Promise ? message : lineOf(message);
      return enqueue(() => put(ready));
    },
    async finish(result) {
      if (finished) throw new Error("A run has exactly one result.");
      finished = true;
      await enqueue(async () => {
        await put(lineOf(result));
        await flushed(stream);
      });
    },
  };
}

function lineOf(message: Message): string {
  return `${JSON.stringify(message)}\n`;
}

function drained(stream: Writable, closed: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (): void => {
      stream.off("drain", settle);
      closed.removeEventListener("abort", settle);
      if (closed.aborted) reject(closed.reason as Error);
      else resolve();
    };
    stream.on("drain", settle);
    closed.addEventListener("abort", settle);
    if (closed.aborted) settle();
  });
}

/** Resolves once everything written to the stream was handed to the operating system. */
function flushed(stream: Writable): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write("", (error) => {
      if (error) reject(new OutputClosedError(error));
      else resolve();
    });
  });
}
