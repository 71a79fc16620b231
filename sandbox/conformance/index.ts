import { isObject } from "../../src/json.ts";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import type { JsonObject } from "../../src/runtime/protocol.ts";
import { checks, type Check, idle } from "./checks.ts";
import { type Observation, SECRET } from "./judging.ts";
import { type HostRun, runHost, runHostTwice } from "./run-host.ts";
import { GO_ON, KILL_REQUEST, scriptedPlugin, type Start, WAITING } from "./scripted-plugin.ts";

export { type Check, checks } from "./checks.ts";

export interface Verdict {
  check: string;
  /** What the host did wrong, in sentences; empty when it passed. */
  problems: string[];
}

export interface Options {
  /** How long one start of the host may take, in milliseconds; default: a minute. */
  timeoutMs?: number | undefined;
  /** The rules to check; default: all. */
  selected?: readonly Check[] | undefined;
  /** Ends the host and the check early. */
  signal?: AbortSignal | undefined;
}

/**
 * Runs a host against a scripted plugin, once for each rule of the host contract that can be seen from outside.
 *
 * @param command - program and arguments that start the host; each start gets the path of a plugin.mjs and of a data
 *   folder as two more arguments, and what to run on standard input
 */
export async function* checkHost(
  command: readonly string[],
  { timeoutMs = 60_000, selected = checks, signal }: Options = {},
): AsyncGenerator<Verdict> {
  for (const check of selected) {
    const problems = await problemsOf(check, { command, timeoutMs, signal });
    if (signal?.aborted === true) return;
    yield { check: check.name, problems };
  }
}

async function problemsOf(check: Check, host: Pick<HostRun, "command" | "timeoutMs" | "signal">): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), "conformance-"));
  const [records, data, plugin] = [join(folder, "records"), join(folder, "data"), join(folder, "plugin.mjs")];
  try {
    mkdirSync(records);
    mkdirSync(data);
    // A second host that waited for the first one runs the plugin once more.
    writeFileSync(plugin, scriptedPlugin(records, [...check.hostStarts.flat(), idle]));
    const observations: Observation[] = [];
    let seen = 0;
    for (const runs of check.hostStarts) {
      const steps = runs.flat();
      const killAt = steps.some((step) => "waitForKill" in step) ? { killAt: join(records, KILL_REQUEST) } : {};
      const run = { ...host, plugin, data, order: check.order, ...killAt };
      let overlapped = false;
      const goOn = (): void => {
        overlapped = startsIn(records).length > seen + 1;
        writeFileSync(join(records, GO_ON), "");
      };
      const isTwice = steps.some((step) => "waitForOther" in step);
      const end = await (isTwice ? runHostTwice(run, join(records, WAITING), goOn) : runHost(run));
      if (typeof end === "string") return [end];
      const starts = startsIn(records).slice(seen);
      seen += starts.length;
      if (!isTwice && starts.length !== runs.length)
        return [`The host ran the plugin ${starts.length} times instead of ${runs.length}.`];
      observations.push({
        starts,
        requests: starts.map(requestOf),
        answer: end.answer,
        overlapped,
        leaks: leaksIn(data, end.output),
      });
    }
    return check.judge(observations);
  } finally {
    removeFolder(folder);
  }
}

/** What is left of a host may still write, and then the folder stays. */
function removeFolder(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  } catch {
    // The verdict counts, and the system clears its temporary folder.
  }
}

function startsIn(records: string): Start[] {
  const numbers = readdirSync(records).flatMap((name) => (name.endsWith(".json") ? [parseInt(name, 10)] : []));
  return numbers
    .sort((a, b) => a - b)
    .map((number) => JSON.parse(readFileSync(join(records, `${number}.json`), "utf8")) as Start);
}

function leaksIn(data: string, output: string): string[] {
  const leaking = filesBelow(data).filter(holdsSecret);
  return [
    ...leaking.map((file) => `the file ${relative(data, file)} of the data folder`),
    ...(output.includes(SECRET) ? ["the host's output"] : []),
  ];
}

/** A folder that cannot be listed, because a host removes it meanwhile or runs as another user, counts as empty. */
function filesBelow(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return filesBelow(path);
      return entry.isFile() ? [path] : [];
    });
  } catch {
    return [];
  }
}

/** Beyond this, a file is a store of the host's own making, and takes too long to search. */
const LARGEST_FILE = 2 ** 28;

/** Whether a file that is not too large has the token key. A host may remove its files meanwhile, or run as another user. */
function holdsSecret(file: string): boolean {
  try {
    return statSync(file).size <= LARGEST_FILE && readFileSync(file).includes(SECRET);
  } catch {
    return false;
  }
}

function requestOf({ input }: Start): JsonObject | null {
  try {
    const value: unknown = JSON.parse(input);
    return isObject(value) ? (value as JsonObject) : null;
  } catch {
    return null;
  }
}
