import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { addAbortSignal, type Readable, Writable } from "node:stream";

/** A terminal, or pipes in its place. */
export interface Terminal {
  input: Readable & { isTTY?: boolean };
  output: NodeJS.WritableStream;
  /** Ends whatever is read. */
  stop?: AbortSignal;
}

/** The prompt was closed by Ctrl-C or Ctrl-D, or the program was told to stop. */
export class PromptClosedError extends Error {
  override readonly name = "PromptClosedError";
  readonly readable = true;

  constructor() {
    super("Stopped. Nothing was changed.");
  }
}

/**
 * Reads a secret: typed without echo, or all of standard input where that is a pipe. It is never an argument, which every
 * user of the machine could read.
 *
 * @returns the secret without surrounding whitespace; empty when nothing was given
 * @throws PromptClosedError when the prompt is closed before Enter, or the pipe before its end
 */
export async function readSecret(terminal: Terminal, question: string): Promise<string> {
  if (terminal.input.isTTY !== true) return (await readAll(terminal)).trim();
  // readline echoes what is typed to its output, so it gets one that discards it.
  const silent = new Writable({
    write: (_chunk, _encoding, done) => {
      done();
    },
  });
  terminal.output.write(question);
  const secret = await readLine(terminal, { output: silent, question: "" });
  return secret.trim();
}

/**
 * Reads a line that is typed at the prompt, without surrounding whitespace.
 *
 * @throws PromptClosedError when the prompt is closed before Enter
 */
export async function ask(terminal: Terminal, question: string): Promise<string> {
  return (await readLine(terminal, { output: terminal.output, question })).trim();
}

/** Whether `y` or `yes` is typed, in any letter case. */
export async function confirm(terminal: Terminal, question: string): Promise<boolean> {
  return /^y(es)?$/i.test(await ask(terminal, `${question} [y/N] `));
}

async function readAll({ input, stop }: Terminal): Promise<string> {
  try {
    return await text(stop === undefined ? input : addAbortSignal(stop, input));
  } catch (error) {
    throw stop?.aborted === true ? new PromptClosedError() : error;
  }
}

function readLine(
  { input, output: shown, stop }: Terminal,
  { output, question }: { output: NodeJS.WritableStream; question: string },
): Promise<string> {
  const lines = createInterface({ input, output, terminal: true, prompt: question, ...(stop && { signal: stop }) });
  if (question !== "") lines.prompt();
  return new Promise((resolve, reject) => {
    lines.once("line", (line) => {
      resolve(line);
      lines.close();
    });
    lines.once("close", () => {
      if (output !== shown) shown.write("\n");
      reject(new PromptClosedError());
    });
  });
}
