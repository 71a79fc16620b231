import { describe, expect, it } from "@jest/globals";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { type Check, checkHost, checks, type Verdict } from "../../../sandbox/conformance/index.ts";
import { bundledScript } from "../../support/bundled-script.ts";
import { rootDir } from "../../support/package.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const sample = join(rootDir, "docs/examples/host.mjs");
const folder = temporaryFolder();

async function verdicts(args: readonly string[], timeoutMs?: number, selected?: readonly Check[]): Promise<Verdict[]> {
  const found: Verdict[] = [];
  for await (const verdict of checkHost([process.execPath, ...args], timeoutMs, selected)) found.push(verdict);
  return found;
}

/** The sample host with one line of it changed. */
function flawed(line: string, other: string): string {
  const source = readFileSync(sample, "utf8");
  if (!source.includes(line)) throw new Error(`The sample host has no "${line}".`);
  const path = join(folder, "flawed.mjs");
  writeFileSync(path, source.replace(line, other));
  return path;
}

/** Runs the sample host once, from a shell that writes a lock first: `$$` is the process id that the host gets. */
async function runLocked(content: string) {
  const data = temporaryFolder();
  const plugin = join(data, "plugin.mjs");
  writeFileSync(plugin, `console.log('{"type":"result","status":"completed"}');`);
  const script = `printf %s "${content}" > "$3/lock"; exec "$0" "$1" "$2" "$3"`;
  const child = spawn("sh", ["-c", script, process.execPath, sample, plugin, data]);
  const exit = once(child, "close");
  child.stdin.end(JSON.stringify({ kind: "connector", name: "Attack Path Findings", parameters: {} }));
  const [out, error] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = (await exit) as [number];
  return { code, out, error, left: readdirSync(data).sort() };
}

const failed = (found: readonly Verdict[]) => found.filter(({ problems }) => problems.length > 0);

describe("the conformance check", () => {
  it("passes the sample host of the documentation", async () => {
    const found = await verdicts([sample]);
    expect(found).toHaveLength(checks.length);
    expect(failed(found)).toEqual([]);
  }, 120_000);

  it("passes the local host", async () => {
    const sandbox = await bundledScript("test/sandbox/conformance/sandbox-host.ts");
    expect(failed(await verdicts([sandbox]))).toEqual([]);
  }, 120_000);

  it("passes a host that stores the state at the end of a run only, and drops the alerts that it knows", async () => {
    const host = flawed("store.state = merge(store.state, message.checkpoint ?? {});", "");
    const ofState = checks.filter(({ name }) => /checkpoint|loses and repeats|second time/.test(name));
    expect(ofState).toHaveLength(4);
    expect(failed(await verdicts([host], undefined, ofState))).toEqual([]);
  }, 120_000);

  it.each([
    [
      "stores the checkpoint and forgets the alert",
      "store.alerts[message.alert.id] ??= message.alert;",
      "",
      "loses and repeats nothing when the plugin crashes",
      /counts alert-1, alert-2 as stored/,
    ],
    [
      "merges where it should replace",
      "{ state: result.checkpoint }",
      "{ state: merge(store.state, result.checkpoint) }",
      "stores the result's checkpoint as the whole state",
      /instead of/,
    ],
    [
      "takes null for a value",
      ".filter(([key]) => patch[key] !== null)",
      "",
      "loses and repeats nothing when the plugin crashes",
      /no merge patch leads to/,
    ],
    [
      "ignores the exit code",
      "return code === 0 ? result",
      "return code !== null ? result",
      "takes a run without a result, or with another exit code",
      /"completed" instead of "crashed"/,
    ],
    [
      "puts the request into the arguments too",
      "[plugin], {",
      "[plugin, JSON.stringify(order)], {",
      "sends one request",
      /among the arguments/,
    ],
    [
      "does not go on with an action",
      "while (result",
      "while (false && result",
      "runs an action again",
      /ran the plugin 1 times instead of 3/,
    ],
    [
      "runs a connector twice at the same time",
      "linkSync(own, lock)",
      "renameSync(own, lock)",
      "does not run a connector a second time",
      /twice at the same time/,
    ],
    ["never drains standard error", '"inherit"]', '"pipe"]', "reads lines of any length", /did not end/],
  ])(
    "notices a host that %s",
    async (_, line, other, rule, expected) => {
      const selected = checks.filter(({ name }) => name.startsWith(rule));
      const found = failed(await verdicts([flawed(line, other)], 5_000, selected));
      expect(found.flatMap(({ problems }) => problems).join("\n")).toMatch(expected);
    },
    180_000,
  );

  it.each([
    ["is empty, because the disk was full", ""],
    ["holds something else", "x"],
    ["names the process id that the host itself got", "$$"],
    ["names the process id that the host itself got, and another start", "$$ 5f1f0a5e-0000-4000-8000-000000000000 1"],
    ["names a process that started after it", `${process.pid} 5f1f0a5e-0000-4000-8000-000000000000 1`],
    ["names a process that is gone", "4999999 5f1f0a5e-0000-4000-8000-000000000000 1"],
  ])("finds no host at work where the lock of the sample host %s", async (_, content) => {
    expect(await runLocked(content)).toEqual({
      code: 0,
      out: '{"status":"completed","alerts":[]}\n',
      error: "",
      left: ["plugin.mjs", "store.json"],
    });
  });

  it("says what is wrong with a command that is no host", async () => {
    const child = spawn(process.execPath, ["--import", "tsx", "sandbox/conformance/command.ts", "node", "--version"], {
      cwd: rootDir,
    });
    const exit = once(child, "exit");
    const out = await text(child.stdout);
    const [code] = (await exit) as [number];
    expect(code).toBe(1);
    expect(out).toContain("The last line of the host's standard output is not");
  });
});
