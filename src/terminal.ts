import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { Writable } from "node:stream";

/** A terminal, or pipes in its place. */
export interface Terminal {
  input: NodeJS.ReadableStream & { isTTY?: boolean };
  output: NodeJS.WritableStream;
}

/** The prompt was closed by Ctrl-C or Ctrl-D. */
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
 * @throws PromptClosedError when the prompt is closed before Enter
 */
export async function readSecret(terminal: Terminal, question: string): Promise<string> {
  const secret = terminal.input.isTTY === true ? await ask(terminal, question) : await text(terminal.input);
  return secret.trim();
}

function ask({ input, output }: Terminal, question: string): Promise<string> {
  // readline echoes what is typed to its output, so it gets one that discards it.
  const silent = new Writable({
    write: (_chunk, _encoding, done) => {
      done();
    },
  });
  output.write(question);
  const lines = createInterface({ input, output: silent, terminal: true });
  return new Promise((resolve, reject) => {
    lines.once("line", (line) => {
      resolve(line);
      lines.close();
    });
    lines.once("close", () => {
      output.write("\n");
      reject(new PromptClosedError());
    });
  });
}
