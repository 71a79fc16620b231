import { spawn, type ChildProcess, type ChildProcessWithoutNullStreams } from "node:child_process";
import { existsSync } from "node:fs";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";

/** What a host writes to standard output at the end of a run, as its last line. */
export interface Answer {
  /** The status of the plugin's result, or `crashed`. */
  status: string;
  /** Ids of all alerts that the host holds after the run. */
  alerts: string[];
}

export interface HostRun {
  /** Program and arguments that start the host; the path of the plugin and the data folder follow. */
  command: readonly string[];
  plugin: string;
  data: string;
  /** What the host is to run, which it reads from standard input. */
  order: object;
  /** The host is killed as soon as this file exists. */
  killAt?: string;
  /** A host that does not end by then hangs. */
  timeoutMs: number;
  /** Kills the host when it is aborted. */
  signal?: AbortSignal | undefined;
}

export interface HostEnd {
  /** null: the host was killed, as planned. */
  answer: Answer | null;
  /** What the host wrote to standard output and standard error. */
  output: string;
}

/** A variable in the environment of the host that its plugin does not need. */
export const UNNEEDED_VARIABLE = "CONFORMANCE_FOR_THE_HOST_ONLY";

const LAST_LINES = 5;

/**
 * Runs the host once.
 * @returns how it ended, or a sentence that says why it gave no answer
 */
export async function runHost(run: HostRun): Promise<HostEnd | string> {
  const [program = "", ...args] = run.command;
  const host = spawn(program, [...args, run.plugin, run.data], {
    stdio: ["pipe", "pipe", "pipe"],
    env: { ...process.env, [UNNEEDED_VARIABLE]: "1" },
    // A process group of its own, so that a kill reaches the host also where a wrapper started it.
    detached: process.platform !== "win32",
  });
  host.stdin.on("error", () => undefined).end(JSON.stringify(run.order));
  const over = new AbortController();
  const killed = run.killAt === undefined ? Promise.resolve(false) : killWhenAsked(host, run.killAt, over.signal);
  const late = delay(run.timeoutMs, true, { signal: over.signal }).catch(() => false);
  void late.then((isLate) => {
    if (isLate) kill(host);
  });
  const aborted = (): void => {
    kill(host);
  };
  run.signal?.addEventListener("abort", aborted);
  if (run.signal?.aborted === true) aborted();
  const { code, written, errors } = await endOf(host);
  run.signal?.removeEventListener("abort", aborted);
  over.abort();
  if (await late) return `The host did not end within ${run.timeoutMs / 1000} s.`;
  const answer = (await killed) ? null : answerOf(code, written, errors);
  return typeof answer === "string" ? answer : { answer, output: written + errors };
}

/**
 * Runs the host, and a second one like it as soon as the first one's plugin waits. The second one has twice the time that the first one needed to
 * start the plugin, and a second more.
 *
 * @param waiting - file that says that the plugin waits
 * @param goOn - called when the second host has ended, or may be waiting for the first one
 * @returns the outcome of the first host
 */
export async function runHostTwice(run: HostRun, waiting: string, goOn: () => void): ReturnType<typeof runHost> {
  const over = new AbortController();
  const started = performance.now();
  const first = runHost(run).finally(() => {
    over.abort();
  });
  while (!over.signal.aborted && !existsSync(waiting)) await delay(20);
  const second = over.signal.aborted ? null : runHost(run);
  await Promise.race([second, delay(2 * (performance.now() - started) + 1_000)]);
  goOn();
  await second;
  return first;
}

interface ProcessEnd {
  /** The exit code, null after a signal, or why the process did not start. */
  code: number | string | null;
  written: string;
  errors: string;
}

async function endOf(host: ChildProcessWithoutNullStreams): Promise<ProcessEnd> {
  const ended = new Promise<number | string | null>((resolve) => {
    host.once("error", ({ message }) => {
      resolve(message);
    });
    host.once("close", resolve);
  });
  const [written, errors] = [host.stdout, host.stderr].map((stream) => text(stream).catch(() => ""));
  return { code: await ended, written: (await written) ?? "", errors: (await errors) ?? "" };
}

/** The answer, or a sentence that says why there is none. */
function answerOf(code: ProcessEnd["code"], written: string, errors: string): Answer | string {
  if (typeof code === "string") return `The host could not be started: ${code}.`;
  const last = errors.trim().split("\n").slice(-LAST_LINES).join("\n");
  if (code !== 0) return `The host ended with exit code ${String(code)}. ${last}`.trim();
  const answer = parse(written.trim().split("\n").at(-1) ?? "");
  return answer ?? `The last line of the host's standard output is not {"status": …, "alerts": [ids]}. ${last}`.trim();
}

function parse(line: string): Answer | null {
  try {
    const { status, alerts } = JSON.parse(line) as Partial<Record<string, unknown>>;
    const isAnswer =
      typeof status === "string" && Array.isArray(alerts) && alerts.every((id) => typeof id === "string");
    return isAnswer ? { status, alerts } : null;
  } catch {
    return null;
  }
}

async function killWhenAsked(host: ChildProcess, file: string, over: AbortSignal): Promise<boolean> {
  while (!over.aborted) {
    if (existsSync(file)) {
      kill(host);
      return true;
    }
    await delay(20);
  }
  return false;
}

function kill(host: ChildProcess): void {
  if (host.pid === undefined) return;
  try {
    process.kill(process.platform === "win32" ? host.pid : -host.pid, "SIGKILL");
  } catch {
    // It has ended in the meantime.
  }
}
