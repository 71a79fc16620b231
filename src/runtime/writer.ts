import type { Writable } from "node:stream";
import type { Clock } from "../clock.ts";
import { isObject } from "../json.ts";
import { messageOf } from "../text.ts";
import type { Message, ResultMessage } from "./protocol.ts";
import { rejectOnAbort } from "./run-deadline.ts";

/** How long a host may read nothing once the run must end. */
const LONGEST_SILENCE_MS = 30_000;
/** As many bytes as a pipe of Linux holds. */
const PIECE_BYTES = 65_536;

/** The result cannot reach the host. */
export class OutputError extends Error {
  override readonly name = "OutputError";
  readonly readable = true;
}

/** Writes newline-delimited JSON messages in the order of the calls. */
export interface MessageWriter {
  /**
   * Resolves when the stream has room for more. Messages after one that is still pending wait for it. After the result
   * nothing is written.
   */
  write(message: Message | Promise<Message>): Promise<void>;
  /**
   * Writes the result behind everything written so far; resolves when the last byte has left the process.
   *
   * @param ending - aborts when the run must end; the host is then no longer waited for without limit
   * @throws OutputError when the stream is closed or refuses bytes, or the host reads nothing after `ending`
   */
  finish(result: ResultMessage, ending: AbortSignal): Promise<void>;
  /** Aborts with an OutputError as soon as the stream is found to be closed. */
  readonly closed: AbortSignal;
}

export function createWriter(stream: Writable, clock: Clock): MessageWriter {
  const closed = new AbortController();
  const close = (cause?: unknown): void => {
    closed.abort(new OutputError(reasonOf(cause), { cause }));
  };
  stream.on("error", close);
  stream.on("close", close);
  let finished = false;
  /** Pieces of messages that the host has made room for. */
  let taken = 0;
  let last: Promise<unknown> = Promise.resolve();

  function enqueue(task: () => Promise<void>): Promise<void> {
    const done = last.then(task);
    // A failed write rejects only its own caller, and log messages are never awaited.
    last = done.catch(() => undefined);
    return done;
  }

  async function put(message: string | Promise<Message>): Promise<void> {
    const line = typeof message === "string" ? message : lineOf(await message);
    for (const piece of piecesOf(line)) {
      closed.signal.throwIfAborted();
      if (!stream.write(piece)) await drained(stream, closed.signal);
      closed.signal.throwIfAborted();
      taken++;
    }
  }

  async function closeAfterSilence(over: AbortSignal): Promise<void> {
    for (let before = -1; before !== taken;) {
      before = taken;
      await clock.sleep(LONGEST_SILENCE_MS, over);
    }
    closed.abort(
      new OutputError(
        `The host read nothing from standard output for ${LONGEST_SILENCE_MS / 1_000} s after the run had to end, so the result was not written.`,
      ),
    );
  }

  return {
    closed: closed.signal,
    write(message) {
      if (finished) return Promise.resolve();
      // Serialised now, so that a message that waits for the host does not keep its findings in memory.
      const ready = message instanceof Promise ? message : lineOf(message);
      return enqueue(() => put(ready));
    },
    async finish(result, ending) {
      if (finished) throw new Error("A run has exactly one result.");
      finished = true;
      const over = new AbortController();
      const watch = (): void => {
        closeAfterSilence(over.signal).catch(() => undefined);
      };
      if (ending.aborted) watch();
      else ending.addEventListener("abort", watch, { once: true });
      try {
        await enqueue(async () => {
          await put(lineOf(result));
          await rejectOnAbort(flushed(stream), closed.signal);
        });
      } finally {
        over.abort(null);
        ending.removeEventListener("abort", watch);
      }
    },
  };
}

/** A host that reads slowly takes minutes for a line of a megabyte: each piece shows that it still reads. */
function piecesOf(line: string): readonly (string | Uint8Array)[] {
  if (line.length <= PIECE_BYTES) return [line];
  const bytes = Buffer.from(line);
  const starts = Array.from({ length: Math.ceil(bytes.length / PIECE_BYTES) }, (_, index) => index * PIECE_BYTES);
  return starts.map((start) => bytes.subarray(start, start + PIECE_BYTES));
}

function lineOf(message: Message): string {
  return `${JSON.stringify(message)}\n`;
}

/** Codes of errors that only a file has as standard output. */
const FILE_ERRORS: ReadonlySet<unknown> = new Set(["EDQUOT", "EFBIG", "EIO", "ENOSPC", "EROFS"]);

function reasonOf(cause: unknown): string {
  const isFile = isObject(cause) && FILE_ERRORS.has(cause["code"]);
  return isFile
    ? `The result could not be written to standard output: ${messageOf(cause)}.`
    : "The host closed standard output before the result was written.";
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
      if (error) reject(new OutputError(reasonOf(error), { cause: error }));
      else resolve();
    });
  });
}
