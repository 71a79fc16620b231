import { createInterface } from "node:readline";
import { addAbortSignal, type Readable, Writable } from "node:stream";

/** A terminal, or pipes in its place. */
export interface Terminal {
  input: Readable & { isTTY?: boolean };
  output: NodeJS.WritableStream;
  /** Ends whatever is read. */
  stop?: AbortSignal;
}

/** The prompt was closed by Ctrl-C or Ctrl-D, or the program was asked to stop. */
export class PromptClosedError extends Error {
  override readonly name = "PromptClosedError";
  readonly readable = true;

  constructor() {
    super("Stopped. Nothing was changed.");
  }
}

/** More was given than can be meant. */
export class InputTooLongError extends Error {
  override readonly name = "InputTooLongError";
  readonly readable = true;

  constructor(most: number) {
    super(`More than ${most} bytes were given. Give the secret alone.`);
  }
}

/** Longer than any secret; an input without an end would otherwise fill the memory. */
const LONGEST_SECRET_BYTES = 64 * 1024;

/**
 * Reads a secret: typed without echo, or all of standard input where that is a pipe. It is never an argument, which every
 * user of the machine could read.
 *
 * @returns the secret without surrounding whitespace; empty when nothing was given
 * @throws PromptClosedError when the prompt is closed before Enter, or the pipe before its end
 * @throws InputTooLongError when no secret is as long
 */
export async function readSecret(terminal: Terminal, question: string): Promise<string> {
  const { input, stop } = terminal;
  if (input.isTTY !== true) return (await readStream(input, { most: LONGEST_SECRET_BYTES, stop })).trim();
  return (await readLine(terminal, question, { isSecret: true })).trim();
}

/**
 * Reads a line that is typed at the prompt, without surrounding whitespace.
 *
 * @throws PromptClosedError when the prompt is closed before Enter
 */
export async function ask(terminal: Terminal, question: string): Promise<string> {
  return (await readLine(terminal, question)).trim();
}

/** Whether `y` or `yes` is typed, in any letter case. */
export async function confirm(terminal: Terminal, question: string): Promise<boolean> {
  return /^y(es)?$/i.test(await ask(terminal, `${question} [y/N] `));
}

/**
 * A stream to its end, as text without a byte order mark.
 *
 * @throws InputTooLongError when it has more than so many bytes
 * @throws PromptClosedError when `stop` aborts
 */
export async function readStream(
  stream: Readable,
  { most, stop }: { most: number; stop?: AbortSignal | undefined },
): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  try {
    for await (const piece of (stop ? addAbortSignal(stop, stream) : stream) as AsyncIterable<Buffer>) {
      size += piece.length;
      if (size > most) throw new InputTooLongError(most);
      pieces.push(piece);
    }
  } catch (error) {
    throw stop?.aborted === true ? new PromptClosedError() : error;
  }
  return new TextDecoder().decode(Buffer.concat(pieces));
}

function readLine(
  { input, output: shown, stop }: Terminal,
  question: string,
  { isSecret = false }: { isSecret?: boolean } = {},
): Promise<string> {
  // readline echoes what is typed to its output.
  const output = isSecret ? discarding() : shown;
  const lines = createInterface({ input, output, terminal: true, prompt: question, ...(stop && { signal: stop }) });
  // Only now has the terminal stopped echoing: a program may type the secret as soon as it sees the question.
  if (isSecret) shown.write(question);
  else lines.prompt();
  // Otherwise Ctrl-Z turns the echo on, also where no shell can stop the program, and the program ends when it goes on.
  lines.on("SIGTSTP", () => undefined);
  return new Promise((resolve, reject) => {
    lines.once("line", (line) => {
      resolve(line);
      lines.close();
    });
    lines.once("close", () => {
      if (isSecret) shown.write("\n");
      reject(new PromptClosedError());
    });
  });
}

function discarding(): Writable {
  return new Writable({
    write: (_chunk, _encoding, done) => {
      done();
    },
  });
}
