import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { Secret } from "../service/credentials.ts";
import { DeployError } from "./failures.ts";

/** Where a person sits, or a pipe. */
export interface Terminal {
  input: NodeJS.ReadableStream & { isTTY?: boolean };
  output: NodeJS.WritableStream;
}

/** The API key: typed without echo, or the whole of standard input where that is a pipe. */
export async function readKey(terminal: Terminal): Promise<Secret> {
  const typed =
    terminal.input.isTTY === true ? await prompt(terminal, "API key (not shown): ") : await text(terminal.input);
  const key = typed.trim();
  if (key === "") throw new DeployError("No API key was given. Create one in SOAR Settings > Advanced > API Keys.");
  if (!/^[\x21-\x7e]+$/.test(key)) {
    throw new DeployError("The API key contains spaces, line breaks or characters that no key has. Copy it again.");
  }
  return new Secret(key);
}

export async function confirm({ input, output }: Terminal, question: string): Promise<boolean> {
  const lines = createInterface({ input, output });
  try {
    return /^y(es)?$/i.test((await lines.question(`${question} [y/N] `)).trim());
  } finally {
    lines.close();
  }
}

/** readline echoes what is typed to its output: here that goes nowhere. */
async function prompt({ input, output }: Terminal, question: string): Promise<string> {
  const nowhere = new Writable({
    write: (_chunk, _encoding, done) => {
      done();
    },
  });
  const lines = createInterface({ input, output: nowhere, terminal: true });
  const stopped = new Promise<never>((_resolve, reject) => {
    lines.once("SIGINT", () => {
      reject(new DeployError("Stopped. Nothing was changed."));
    });
  });
  output.write(question);
  try {
    return await Promise.race([lines.question(""), stopped]);
  } finally {
    lines.close();
    output.write("\n");
  }
}
