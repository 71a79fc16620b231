import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { Writable } from "node:stream";

/**
 * Asks for a secret without showing it; without a terminal, reads it from standard input. It is never an argument, which
 * every user of the machine could read.
 * @throws Error when nothing is given.
 */
export async function readSecret(
  question: string,
  input: NodeJS.ReadStream,
  output: NodeJS.WriteStream,
): Promise<string> {
  const secret = (input.isTTY ? await ask(question, input, output) : await text(input)).trim();
  if (secret === "") throw new Error("No key was given: type it at the prompt, or hand it over on standard input.");
  return secret;
}

function ask(question: string, input: NodeJS.ReadStream, output: NodeJS.WriteStream): Promise<string> {
  // readline echoes what is typed to its output; this one swallows it.
  const silent = new Writable({
    write(_chunk, _encoding, done) {
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
      reject(new Error("No key was given."));
    });
  });
}
