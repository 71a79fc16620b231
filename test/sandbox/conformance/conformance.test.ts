import { describe, expect, it } from "@jest/globals";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { checkHost, checks, type Options, type Verdict } from "../../../sandbox/conformance/index.ts";
import { bundledScript } from "../../support/bundled-script.ts";
import { rootDir } from "../../support/package.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const sample = join(rootDir, "docs/examples/host.mjs");
const folder = temporaryFolder();

async function verdicts(args: readonly string[], options?: Options): Promise<Verdict[]> {
  const found: Verdict[] = [];
  for await (const verdict of checkHost([process.execPath, ...args], options)) found.push(verdict);
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

/** A folder for the data of the sample host, with a plugin whose runs end with these members in their result. */
function dataFolder(members: object): string {
  const data = temporaryFolder();
  const result = { type: "result", status: "completed", ...members };
  writeFileSync(join(data, "plugin.mjs"), `console.log(${JSON.stringify(JSON.stringify(result))});`);
  return data;
}

/** Runs the sample host once, from a shell that writes a lock first: `$$` is the process id that the host gets. */
async function runLocked(content: string) {
  const data = dataFolder({});
  const plugin = join(data, "plugin.mjs");
  const script = `printf %s "${content}" > "$3/lock"; exec "$0" "$1" "$2" "$3"`;
  const child = spawn("sh", ["-c", script, process.execPath, sample, plugin, data]);
  const exit = once(child, "close");
  child.stdin.end(JSON.stringify({ kind: "connector", name: "Attack Path Findings", parameters: {} }));
  const [out, error] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = (await exit) as [number];
  return { code, out, error, left: readdirSync(data).sort() };
}

function conformance(host: readonly string[], environment: NodeJS.ProcessEnv = {}) {
  return spawn(process.execPath, ["--import", "tsx", "sandbox/conformance/command.ts", ...host], {
    cwd: rootDir,
    env: { ...process.env, ...environment },
  });
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

  it("passes a host that stores each alert before its checkpoint, and drops the alerts that it knows", async () => {
    const merging = "store.state = merge(store.state, message.checkpoint ?? {});";
    const host = flawed(`${merging}\n      save();`, `save();\n      ${merging}`);
    const ofState = checks.filter(({ name }) => /checkpoint|loses and repeats|second time/.test(name));
    expect(ofState).toHaveLength(4);
    expect(failed(await verdicts([host], { selected: ofState }))).toEqual([]);
  }, 120_000);

  it.each([
    [
      "stores the checkpoint and forgets the alert",
      "store.alerts[message.alert.id] ??= message.alert;",
      "",
      "loses and repeats nothing when the plugin crashes",
      /holds \[\] instead of each of/,
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
      /after two alerts and a crash is .*"open":null/,
    ],
    [
      "keeps the nulls of a new member",
      "const merged = ",
      "if (!isObject(target)) return patch;\n  const merged = ",
      "loses and repeats nothing when the plugin crashes",
      /after two alerts and a crash is .*"closed":null/,
    ],
    [
      "ignores the checkpoints of alerts",
      "store.state = merge(store.state, message.checkpoint ?? {});",
      "",
      "loses and repeats nothing when the plugin crashes",
      /after two alerts and a crash is null/,
    ],
    [
      "stores the checkpoint of a killed run's alert and forgets the alert",
      "store.alerts[message.alert.id] ??= message.alert;",
      "",
      "loses and repeats nothing when the host is killed",
      /counts alert-1(, alert-2)? as stored/,
    ],
    [
      "keeps the checkpoint of a completed result only",
      "result.checkpoint !== undefined)",
      'result.checkpoint !== undefined && result.status === "completed")',
      "stores the result's checkpoint as the whole state",
      /after a partial result .*\n.*after a failed result/,
    ],
    [
      "ignores the exit code",
      "return code === 0 ? result",
      "return code !== null ? result",
      "takes a run without a result, with another exit code",
      /"completed" instead of "crashed"/,
    ],
    [
      "takes the end by a signal for success",
      "return code === 0 ? result",
      "return !(code > 0) ? result",
      "takes a run without a result, with another exit code",
      /after a run that a signal ended/,
    ],
    [
      "puts the request into the arguments too",
      "[plugin], {",
      "[plugin, JSON.stringify(order)], {",
      "sends one request",
      /among the arguments/,
    ],
    [
      "passes its whole environment on",
      "const env = { PATH: process.env.PATH };",
      "const env = process.env;",
      "sends one request",
      /which is in the host's environment only/,
    ],
    [
      "writes the request into a file",
      "const request = ",
      "writeFileSync(`${folder}/last-request.json`, JSON.stringify(order));\n  const request = ",
      "sends one request",
      /token key is in the file last-request\.json/,
    ],
    [
      "prints the request",
      "const request = ",
      "console.error(JSON.stringify(order));\n  const request = ",
      "sends one request",
      /token key is in the host's output/,
    ],
    [
      "sends an action without its instance",
      "protocol: 1, ...order,",
      "protocol: 1, ...order, instance: undefined,",
      "runs an action again",
      /"instance" does not hold the given Server/,
    ],
    [
      "continues an action at once",
      "await delay(1000);",
      "",
      "runs an action again",
      /Run 2 began \d+ ms after run 1\. Wait at least a second\./,
    ],
    [
      "crashes at progress",
      'if (message.type !== "alert") continue;',
      'if (message.type === "progress") process.exit(1);\n      if (message.type !== "alert") continue;',
      "reads every message",
      /ended with exit code 1/,
    ],
    [
      "decodes each chunk by itself",
      'child.stdout.setEncoding("utf8")',
      "child.stdout",
      "reads every message",
      /holds \["Gr\ufffd/,
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
    ["never drains standard error", '"inherit"]', '"pipe"]', "reads every message", /did not end/],
  ])(
    "notices a host that %s",
    async (_, line, other, rule, expected) => {
      const selected = checks.filter(({ name }) => name.startsWith(rule));
      const found = failed(await verdicts([flawed(line, other)], { timeoutMs: 5_000, selected }));
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

  it.each([
    ["connector", { cursor: 2 }],
    ["job", { cursor: 1 }],
  ])("keeps in the sample host the state of the connector when it runs a %s", async (kind, state) => {
    const data = dataFolder({ checkpoint: { cursor: 2 } });
    const store = join(data, "store.json");
    writeFileSync(store, JSON.stringify({ state: { cursor: 1 }, alerts: {} }));
    const child = spawn(process.execPath, [sample, join(data, "plugin.mjs"), data]);
    const exit = once(child, "close");
    child.stdin.end(JSON.stringify({ kind, name: "Name", parameters: {}, alerts: [] }));
    expect(await exit).toEqual([0, null]);
    expect(JSON.parse(readFileSync(store, "utf8"))).toEqual({ state, alerts: {} });
  });

  it("says what is wrong with a command that is no host", async () => {
    const command = conformance(["node", "--version"]);
    const exit = once(command, "close");
    const out = await text(command.stdout);
    expect(await exit).toEqual([1, null]);
    expect(out).toContain("The last line of the host's standard output is not");
  });

  it("ends its host and removes its folder when it is interrupted", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const temporary = temporaryFolder();
    const command = conformance(["node", "-e", `net.connect(${port}, "127.0.0.1")`], { TMPDIR: temporary });
    // A host that ends only when its connection does, so that the connection shows when it started and when it was killed.
    const [host] = (await once(server, "connection")) as [Socket];
    const folders = () => readdirSync(temporary).filter((name) => name.startsWith("conformance-"));
    expect(folders()).toHaveLength(1);
    const ended = once(host.on("error", () => null).resume(), "close");
    const exit = once(command, "close");
    command.kill("SIGINT");
    expect(await exit).toEqual([130, null]);
    await ended;
    server.close();
    expect(folders()).toEqual([]);
  });
});
