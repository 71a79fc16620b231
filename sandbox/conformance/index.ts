import { isObject } from "../../src/json.ts";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "../../src/runtime/protocol.ts";
import { checks, type Check, idle, type Observation } from "./checks.ts";
import { runHost, runHostTwice } from "./run-host.ts";
import { GO_ON, KILL_REQUEST, scriptedPlugin, type Start, WAITING } from "./scripted-plugin.ts";

export { type Check, checks } from "./checks.ts";

export interface Verdict {
  check: string;
  /** What the host did wrong, in sentences; empty when it passed. */
  problems: string[];
}

/**
 * Runs a host against a scripted plugin, once for each rule of the host contract that can be seen from outside.
 *
 * @param command - program and arguments that start the host; each start gets the path of a plugin.mjs and of a data
 *   folder as two more arguments, and what to run on standard input
 * @param timeoutMs - how long one start of the host may take
 * @param selected - the rules to check
 */
export async function* checkHost(
  command: readonly string[],
  timeoutMs = 60_000,
  selected: readonly Check[] = checks,
): AsyncGenerator<Verdict> {
  for (const check of selected) yield { check: check.name, problems: await problemsOf(check, command, timeoutMs) };
}

async function problemsOf(check: Check, command: readonly string[], timeoutMs: number): Promise<string[]> {
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
      const run = { command, plugin, data, order: check.order, timeoutMs, ...killAt };
      let overlapped = false;
      const goOn = (): void => {
        overlapped = startsIn(records).length > seen + 1;
        writeFileSync(join(records, GO_ON), "");
      };
      const isTwice = steps.some((step) => "waitForOther" in step);
      const answer = await (isTwice ? runHostTwice(run, join(records, WAITING), goOn) : runHost(run));
      if (typeof answer === "string") return [answer];
      const starts = startsIn(records).slice(seen);
      seen += starts.length;
      if (!isTwice && starts.length !== runs.length)
        return [`The host ran the plugin ${starts.length} times instead of ${runs.length}.`];
      observations.push({ starts, requests: starts.map(requestOf), answer, overlapped });
    }
    return check.judge(observations);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function startsIn(records: string): Start[] {
  const numbers = readdirSync(records).flatMap((name) => (name.endsWith(".json") ? [parseInt(name, 10)] : []));
  return numbers
    .sort((a, b) => a - b)
    .map((number) => JSON.parse(readFileSync(join(records, `${number}.json`), "utf8")) as Start);
}

function requestOf({ input }: Start): JsonObject | null {
  try {
    const value: unknown = JSON.parse(input);
    return isObject(value) ? (value as JsonObject) : null;
  } catch {
    return null;
  }
}
