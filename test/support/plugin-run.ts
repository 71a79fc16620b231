import { spawn } from "node:child_process";
import { Readable, Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { systemClock, type Clock } from "../../src/clock.ts";
import { manifest } from "../../src/generated/manifest.ts";
import { modules } from "../../src/generated/modules.ts";
import type { PluginModules } from "../../src/runtime/modules.ts";
import type { Message } from "../../src/runtime/protocol.ts";
import { run } from "../../src/runtime/run.ts";
import { messageIn } from "./messages.ts";

/** A run of the plugin that has begun. */
export interface PluginRun {
  stdout: Readable;
  /** Ends the run at once: the process is killed, or the run in this process loses its host. */
  kill(): void;
  /** Exit code (null after a signal) and what was written for people. */
  ended: Promise<{ code: number | null; stderr: string }>;
}

export interface ProcessOptions {
  cwd?: string;
  env?: NodeJS.ProcessEnv;
}

/** Starts `node plugin.mjs` over the host contract: the request on standard input, which is then closed. */
export function startProcess(file: string, request: unknown, { cwd, env }: ProcessOptions = {}): PluginRun {
  const child = spawn(process.execPath, [file], { cwd, env: { PATH: process.env["PATH"], ...env } });
  const code = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  // A process that is killed leaves its input unread.
  child.stdin.on("error", () => undefined);
  child.stdin.end(typeof request === "string" ? request : JSON.stringify(request));
  return {
    stdout: child.stdout,
    kill: () => child.kill("SIGKILL"),
    ended: Promise.all([code, text(child.stderr)]).then(([exitCode, stderr]) => ({ code: exitCode, stderr })),
  };
}

/** The plugin without the process that it usually is. */
export interface Program {
  run: typeof run;
  manifest: typeof manifest;
  modules: PluginModules;
}

const sources: Program = { run, manifest, modules };

/** Starts a run in this process, with a clock of the test's own: of the sources, or of the bundle. */
export function startHere(request: unknown, clock: Clock = systemClock, program: Program = sources): PluginRun {
  const pipe = new Pipe();
  const { writer: stdout } = pipe;
  const ended = runHere(request, stdout, { clock, program }).then((end) => {
    stdout.end();
    return end;
  });
  return {
    stdout: pipe.reader,
    kill: () => {
      pipe.break();
    },
    ended,
  };
}

/** Runs the plugin in this process to its end, with a standard output of the test's own. */
export async function runHere(
  request: unknown,
  stdout: Writable,
  {
    clock,
    stop = new AbortController().signal,
    program = sources,
  }: { clock: Clock; stop?: AbortSignal; program?: Program },
): Promise<{ code: number; stderr: string }> {
  const stderr = new Sink();
  const stdin = Readable.from([Buffer.from(JSON.stringify(request))]);
  const { manifest, modules } = program;
  const code = await program.run({ stdin, stdout, stderr, clock, random: () => 0.5, manifest, modules, stop });
  return { code, stderr: stderr.text };
}

/** A pipe as between processes: when its reader is gone, writing fails, also what is being written. */
class Pipe {
  #broken = false;
  #goOn: ((error?: Error) => void) | null = null;

  readonly reader = new Readable({
    read: () => {
      this.#settle();
    },
  }).once("close", () => {
    this.break();
  });

  readonly writer = new Writable({
    write: (chunk, _encoding, next) => {
      this.#goOn = next;
      if (this.#broken) this.break();
      else if (this.reader.push(chunk)) this.#settle();
    },
    final: (next) => {
      this.reader.push(null);
      next();
    },
  });

  /** The reader gets no more than it has. */
  break(): void {
    this.#broken = true;
    this.reader.push(null);
    this.#settle(Object.assign(new Error("write EPIPE"), { code: "EPIPE" }));
  }

  #settle(error?: Error): void {
    const goOn = this.#goOn;
    this.#goOn = null;
    goOn?.(error);
  }
}

/** Keeps what is written to it. */
class Sink extends Writable {
  text = "";
  override _write(chunk: Buffer, _encoding: BufferEncoding, next: () => void): void {
    this.text += chunk.toString();
    next();
  }
}

/** What a run wrote from its start to its end. */
export interface PluginOutput {
  code: number | null;
  /** The messages on standard output, in order. */
  messages: Message[];
  stdout: string;
  stderr: string;
}

export async function readToEnd(started: PluginRun): Promise<PluginOutput> {
  const [stdout, end] = await Promise.all([text(started.stdout), started.ended]);
  const lines = stdout.split("\n").filter((line) => line !== "");
  return { ...end, messages: lines.map(messageIn), stdout };
}

/** Runs the built plugin once, to its end. */
export function runPlugin(file: string, request: unknown, options: ProcessOptions = {}): Promise<PluginOutput> {
  return readToEnd(startProcess(file, request, options));
}
