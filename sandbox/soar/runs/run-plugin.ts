import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import type { Readable } from "node:stream";
import type { Message, Request, ResultMessage } from "../../../src/runtime/protocol.ts";
import { createRedactor, type Redactor } from "../../../src/runtime/redaction.ts";
import { printable } from "../../../src/runtime/printable.ts";
import { PROGRAM } from "../packages/install.ts";
import { parseMessage } from "./messages.ts";
import { counted, messageOf } from "../../../src/text.ts";

/** Stands where the result should stand: the process ended without one. What it delivered before is good. */
export interface NoResult {
  type: "no_result";
  /** A run that was stopped so early that it has no result is interrupted; any other broke the contract. */
  status: "crashed" | "interrupted";
  /** What happened, with the error or else the last line from standard error. */
  message: string;
  /** The last lines of standard error, without secrets and control characters. */
  stderr: string[];
}

export interface PluginRunOptions {
  /** Folder of the unpacked package. */
  folder: string;
  request: Request;
  /** Values that nothing this run writes may show. */
  secrets: readonly string[];
  /** Ends the run early. */
  signal?: AbortSignal;
  /** Environment of the host, from which the plugin gets a few variables. */
  environment?: NodeJS.ProcessEnv;
  /** How far the plugin's clock is to be ahead of this machine's, in milliseconds; default: not at all. */
  aheadMs?: number;
  /** Time between asking the process to end and ending it, in milliseconds. */
  graceMs?: number;
  maxLineBytes?: number;
}

/** What a plugin needs from the host's environment: where programs are, how to reach the network, the time zone. */
const PASSED_ON = [
  "PATH",
  "SystemRoot",
  "HTTP_PROXY",
  "HTTPS_PROXY",
  "ALL_PROXY",
  "NO_PROXY",
  "NODE_EXTRA_CA_CERTS",
  "TZ",
];
const STOPPED = "the host ended it";
const GRACE_MS = 5_000;
const MAX_LINE_BYTES = 64 * 2 ** 20;
const STDERR_BYTES = 16 * 2 ** 10;
const STDERR_LINES = 20;
const STDERR_LINE_LENGTH = 500;
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Runs a plugin once, and hands out its messages as {@link runPlugin} does. */
export type RunPlugin = (options: PluginRunOptions) => AsyncGenerator<Message | NoResult, void>;

/**
 * Runs the plugin once, in its own process, and hands out its messages as they come. The plugin waits while the caller
 * works on one; it is ended when the caller stops listening. The last item is the result, or what stands in its place.
 */
export async function* runPlugin(options: PluginRunOptions): AsyncGenerator<Message | NoResult, void> {
  const redactor = createRedactor(options.secrets);
  const plugin = new PluginProcess(options);
  let result: ResultMessage | null = null;
  let breach: string | null = null;
  try {
    for await (const line of lines(plugin.stdout, options.maxLineBytes ?? MAX_LINE_BYTES)) {
      if (result !== null) throw new Error("it went on writing after its result");
      const message = parseMessage(redactor.text(line));
      if (message.type === "result") result = message;
      else yield message;
    }
  } catch (error) {
    breach = messageOf(error);
  } finally {
    // The process is alive here only when the caller stopped listening or the plugin broke the contract.
    if (!plugin.stdout.readableEnded) plugin.interrupt(breach ?? "nobody listens to it any more");
    plugin.stdout.destroy();
    plugin.expectEnd();
    await plugin.ended;
  }
  const fault = breach ?? (await plugin.ended);
  if (fault === null && result !== null) yield result;
  else {
    const reason = fault ?? plugin.interruption ?? "it ended without a result";
    yield withoutResult(reason, plugin.lastWords(redactor));
  }
}

/** Arguments of Node.js that set the clock of the process. */
function clockAhead(aheadMs: number): string[] {
  if (aheadMs === 0) return [];
  const shift = `const { now } = Date; Date.now = () => now() + ${aheadMs};`;
  return ["--import", `data:text/javascript,${encodeURIComponent(shift)}`];
}

class PluginProcess {
  /** What went wrong; null when the process ended with exit code 0, as it may also when it is asked to end. */
  readonly ended: Promise<string | null>;
  /** Why the host ended the process; null when it did not. */
  interruption: string | null = null;
  private readonly child: ChildProcessWithoutNullStreams;
  private readonly graceMs: number;
  private readonly timers: NodeJS.Timeout[] = [];
  private stderr = Buffer.alloc(0);

  constructor(options: PluginRunOptions) {
    this.graceMs = options.graceMs ?? GRACE_MS;
    this.child = spawn(process.execPath, [...clockAhead(options.aheadMs ?? 0), PROGRAM], {
      cwd: options.folder,
      env: minimalEnvironment(options.environment ?? process.env),
      stdio: ["pipe", "pipe", "pipe"],
      windowsHide: true,
      // A process group of its own: Ctrl-C reaches the host alone, which then ends the run in order.
      detached: process.platform !== "win32",
    });
    this.child.stderr.on("data", (chunk: Buffer) => {
      this.stderr = Buffer.concat([this.stderr, chunk]).subarray(-STDERR_BYTES);
    });
    // A process that ends without reading its request closes this pipe; its exit tells more than the broken pipe.
    this.child.stdin.on("error", () => undefined);
    this.child.stdin.end(`${JSON.stringify(options.request)}\n`);
    const aborted = () => {
      this.interrupt(STOPPED);
    };
    options.signal?.addEventListener("abort", aborted, { once: true });
    if (options.signal?.aborted === true) aborted();
    this.ended = this.waitForEnd().finally(() => options.signal?.removeEventListener("abort", aborted));
    const { deadline } = options.request.run;
    if (deadline !== null) {
      // The deadline is a time of the plugin's clock.
      this.after(Math.max(0, Date.parse(deadline) - Date.now() - (options.aheadMs ?? 0)), () => {
        this.interrupt("it was still running at its deadline");
      });
    }
  }

  get stdout(): Readable {
    return this.child.stdout;
  }

  /** A plugin that closed its output has nothing left to do. */
  expectEnd(): void {
    this.after(this.graceMs, () => {
      this.interrupt("it did not end after it had closed its output");
    });
  }

  /** Asks the process to end, and ends it after the grace period. The first reason counts. */
  interrupt(reason: string): void {
    if (this.interruption !== null) return;
    this.interruption = reason;
    this.child.kill("SIGTERM");
    this.after(this.graceMs, () => this.child.kill("SIGKILL"));
  }

  lastWords(redactor: Redactor): string[] {
    const text = this.stderr.toString("utf8");
    const firstBreak = text.indexOf("\n");
    const wholeFrom = firstBreak === -1 ? text.length : firstBreak + 1;
    // A line that was cut could hold half a secret, which nobody would recognise.
    const whole = this.stderr.length < STDERR_BYTES ? text : text.slice(wholeFrom);
    const written = redactor.text(whole).split(/\r?\n/).map(printable);
    const shown = written.filter((line) => line.trim() !== "").slice(-STDERR_LINES);
    return shown.map((line) => line.slice(0, STDERR_LINE_LENGTH));
  }

  private async waitForEnd(): Promise<string | null> {
    const fault = await new Promise<string | null>((resolve) => {
      this.child.once("error", (error) => {
        this.interruption = null;
        resolve(`it could not be started (${error.message})`);
      });
      this.child.once("close", (code, signal) => {
        if (signal !== null) resolve(`its process was ended by ${signal}`);
        else resolve(code === 0 ? null : `its process ended with exit code ${code ?? "unknown"}`);
      });
    });
    this.timers.forEach(clearTimeout);
    return fault === null ? null : (this.interruption ?? fault);
  }

  private after(ms: number, work: () => void): void {
    // The process itself keeps the host alive; a timer that is left over must not.
    this.timers.push(setTimeout(work, Math.min(ms, LONGEST_TIMER_MS)).unref());
  }
}

/** Splits a stream at line feeds. What follows the last one was cut off and is no message. */
async function* lines(stream: Readable, maxBytes: number): AsyncGenerator<string> {
  let parts: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    let start = 0;
    for (let end = chunk.indexOf("\n"); end !== -1; end = chunk.indexOf("\n", start)) {
      const line = Buffer.concat([...parts, chunk.subarray(start, end)]).toString("utf8");
      parts = [];
      size = 0;
      start = end + 1;
      if (line.trim() !== "") yield line;
    }
    parts.push(chunk.subarray(start));
    size += chunk.length - start;
    if (size > maxBytes) throw new Error(`it wrote a line of more than ${counted(maxBytes, "byte")}`);
  }
}

function withoutResult(reason: string, stderr: string[]): NoResult {
  if (reason === STOPPED) {
    return { type: "no_result", status: "interrupted", message: "The run was stopped before it had a result.", stderr };
  }
  // Node ends its report of an error with its own version.
  const last = stderr.findLast((line) => /^\w*Error\b/.test(line)) ?? stderr.at(-1);
  const lastWords = last === undefined ? "" : ` It last wrote: ${last}`;
  return { type: "no_result", status: "crashed", message: `The plugin crashed: ${reason}.${lastWords}`, stderr };
}

function minimalEnvironment(from: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const names = PASSED_ON.flatMap((name) => [name, name.toLowerCase()]);
  return Object.fromEntries(names.flatMap((name) => (from[name] === undefined ? [] : [[name, from[name]]])));
}
