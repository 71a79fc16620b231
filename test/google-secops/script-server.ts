import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface, type Interface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { afterSuite } from "../support/cleanup.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { python } from "./installation.ts";

/** A script of the platform, as a process. */
export interface Script {
  /** The file and its arguments. */
  argv: string[];
  cwd: string;
  env: Record<string, string | undefined>;
  /** What standard input holds. */
  input: string;
}

export interface ScriptRun {
  exitCode: number | null;
  stdout: string;
  stderr: string;
}

/** Runs scripts one after the other in processes that find the standard library of Python loaded. */
class ScriptServer {
  readonly #process: ChildProcessByStdio<Writable, Readable, null>;
  readonly #answers: Interface;
  readonly #streams = ["stdin", "stdout", "stderr"].map((name) => join(temporaryFolder(), name)) as [
    string,
    string,
    string,
  ];
  #last: Promise<unknown> = Promise.resolve();

  constructor() {
    this.#process = spawn(python.found, [join(import.meta.dirname, "script_server.py")], {
      stdio: ["pipe", "pipe", "inherit"],
      env: { PATH: process.env["PATH"], PYTHONPYCACHEPREFIX: temporaryFolder() },
    });
    this.#answers = createInterface(this.#process.stdout);
    afterSuite(() => this.#process.kill("SIGKILL"));
  }

  run(script: Script): Promise<ScriptRun> {
    const run = this.#last.then(() => this.#runNow(script));
    this.#last = run.catch(() => undefined);
    return run;
  }

  async #runNow({ input, ...script }: Script): Promise<ScriptRun> {
    const [stdin, stdout, stderr] = this.#streams;
    await Promise.all([writeFile(stdin, input), writeFile(stdout, ""), writeFile(stderr, "")]);
    const answer = once(this.#answers, "line") as Promise<[string]>;
    this.#process.stdin.write(`${JSON.stringify({ ...script, streams: this.#streams })}\n`);
    const [exitCode] = await answer;
    return {
      exitCode: Number(exitCode),
      stdout: await readFile(stdout, "utf8"),
      stderr: await readFile(stderr, "utf8"),
    };
  }
}

let server: ScriptServer | undefined;

/** Runs a script to its end without a start of Python of its own. */
export function runServed(script: Script): Promise<ScriptRun> {
  server ??= new ScriptServer();
  return server.run(script);
}
