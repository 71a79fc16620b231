import { describe, expect, it } from "@jest/globals";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ConnectorRequest, Message } from "../../../../src/runtime/protocol.ts";
import { runPlugin, type NoResult, type PluginRunOptions } from "../../../../sandbox/soar/runs/run-plugin.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";
import { FIELDS, plugin, TOKEN_KEY } from "../fake-package.ts";

const folder = temporaryFolder();
let programs = 0;

function options(body: string, more: Partial<PluginRunOptions> = {}, deadline: string | null = null): PluginRunOptions {
  const place = join(folder, String((programs += 1)));
  mkdirSync(place);
  writeFileSync(join(place, "plugin.mjs"), plugin(body));
  const run = { id: "r-1", deadline, test: false };
  const request: ConnectorRequest = { protocol: 1, kind: "connector", name: "C", run, parameters: FIELDS, state: null };
  return { folder: place, request, secrets: [TOKEN_KEY], graceMs: 1_000, ...more };
}

async function collect(run: PluginRunOptions): Promise<(Message | NoResult)[]> {
  const items: (Message | NoResult)[] = [];
  for await (const item of runPlugin(run)) items.push(item);
  return items;
}

async function crashOf(run: PluginRunOptions): Promise<NoResult> {
  const last = (await collect(run)).at(-1)!;
  if (last.type !== "no_result" || last.status !== "crashed")
    throw new Error(`expected a crash, got ${JSON.stringify(last)}`);
  return last;
}

const inMs = (ms: number) => new Date(Date.now() + ms).toISOString();

describe("a run of a plugin", () => {
  it("hands out its messages in order, the result last", async () => {
    const items = await collect(
      options(`
        send({ type: "log", level: "info", message: "hello", fields: {} });
        send({ type: "progress", done: 1, total: 2, label: "findings" });
        send({ type: "alert", alert: alert("a-1"), checkpoint: { seen: 1 } });
        result({ checkpoint: { seen: 1 } });
      `),
    );
    expect(items.map(({ type }) => type)).toEqual(["log", "progress", "alert", "result"]);
  });

  it("gets its whole request, and none of the host's environment but a few variables", async () => {
    const environment = {
      PATH: "/bin",
      https_proxy: "http://proxy.test:8080",
      TZ: "Asia/Tokyo",
      HOST_SECRET: "x",
      NODE_OPTIONS: "--bad",
    };
    const body = `result({ json: { environment: process.env, key: request.parameters["Token Key"].length, argv: process.argv.length } });`;
    const [end] = await collect(options(body, { environment }));
    expect(end).toMatchObject({ json: { key: TOKEN_KEY.length, argv: 2 } });
    const { environment: seen } = (end as unknown as { json: { environment: Record<string, string> } }).json;
    expect(
      Object.keys(seen)
        .filter((name) => !name.startsWith("__CF"))
        .sort(),
    ).toEqual(["PATH", "TZ", "https_proxy"]);
  });

  it("understands text that is cut anywhere between two writes", async () => {
    const items = await collect(
      options(`
        const text = Buffer.from(JSON.stringify({ type: "log", level: "info", message: "Größe ✓ 𝄞", fields: {} }) + "\\n");
        for (const byte of text) { process.stdout.write(Buffer.from([byte])); await new Promise(setImmediate); }
        result();
      `),
    );
    expect(items[0]).toMatchObject({ type: "log", message: "Größe ✓ 𝄞" });
  });

  it("takes the secret out of everything that it writes", async () => {
    const items = await collect(options(`result({ message: "key " + request.parameters["Token Key"] });`));
    expect(items).toMatchObject([{ type: "result", message: "key [redacted]" }]);
  });

  it("waits while the caller works on a message", async () => {
    const run = options(`
      for (let i = 0; i < 200; i++) send({ type: "log", level: "info", message: "x".repeat(10_000), fields: { i } });
      (await import("node:fs")).writeFileSync("all-written", "");
      result();
    `);
    const allWritten = () => existsSync(join(run.folder, "all-written"));
    const before: boolean[] = [];
    for await (const message of runPlugin(run)) {
      if (message.type !== "log" || before.length > 0) continue;
      // Time enough for a whole other run, and so for writing two megabytes to a host that keeps reading.
      await collect(options("result();"));
      before.push(allWritten());
    }
    expect(before).toEqual([false]);
    expect(allWritten()).toBe(true);
  });

  it("may still write its result after it was asked to end", async () => {
    const stop = new AbortController();
    const run = options(
      `process.once("SIGTERM", () => { result({ status: "partial", message: "Stopped." }); process.exit(0); });
       send({ type: "progress", done: 0, total: 1, label: "ready" }); setInterval(() => {}, 1000);`,
      { signal: stop.signal },
    );
    const items: (Message | NoResult)[] = [];
    for await (const item of runPlugin(run)) {
      items.push(item);
      stop.abort();
    }
    expect(items.at(-1)).toMatchObject({ type: "result", status: "partial" });
  });
});

describe("a run is a crash", () => {
  it("when the process ends with another exit code, and its last words are shown without secrets and escape codes", async () => {
    const crash = await crashOf(
      options(
        `process.stderr.write("first\\nkey " + request.parameters["Token Key"] + " \\u001b[31mred\\n"); process.exitCode = 3; result();`,
      ),
    );
    expect(crash.stderr).toEqual(["first", "key [redacted] \\u001b[31mred"]);
    expect(crash.message).toBe(
      "The plugin crashed: its process ended with exit code 3. It last wrote: key [redacted] \\u001b[31mred",
    );
  });

  it("when an error is thrown, with what Node said of it", async () => {
    const crash = await crashOf(options(`throw new Error("boom");`));
    expect(crash.message).toContain("exit code 1");
    expect(crash.message).toMatch(/It last wrote: Error: boom$/);
  });

  it("and a line of standard error that was cut is not shown, for it could hold half a secret", async () => {
    const body = `process.stderr.write(request.parameters["Token Key"].repeat(1000) + "\\nlast\\n"); process.exitCode = 1;`;
    expect((await crashOf(options(body))).stderr).toEqual(["last"]);
  });

  it("when it ends without a result", async () => {
    expect((await crashOf(options(`send({ type: "alert", alert: alert("a") });`))).message).toContain(
      "ended without a result",
    );
  });

  it("when its result was cut off", async () => {
    const body = `write('{"type":"result","status":"completed","message":"","value":true}');`;
    expect((await crashOf(options(body))).message).toContain("ended without a result");
  });

  it("when it writes something that is not JSON", async () => {
    expect((await crashOf(options(`write("Hello\\n"); result();`))).message).toContain("not JSON");
  });

  it.each([
    ["of an unknown type", `{ type: "surprise" }`],
    ["without its members", `{ type: "log", level: "info" }`],
    ["with nested events", `{ type: "alert", alert: { ...alert("a"), events: [{ nested: {} }] } }`],
    ["with an unknown severity", `{ type: "alert", alert: { ...alert("a"), severity: "bad" } }`],
    ["without an id", `{ type: "alert", alert: { ...alert("a"), id: "" } }`],
    ["with a checkpoint that is no object", `{ type: "alert", alert: alert("a"), checkpoint: "x" }`],
    ["with an unknown status", `{ type: "result", status: "fine", message: "", value: null }`],
  ])("when it writes a message %s", async (_, message) => {
    expect((await crashOf(options(`send(${message}); result();`))).message).toContain("breaks the contract");
  });

  it("when it writes after its result", async () => {
    const crash = await crashOf(options(`result(); result();`));
    expect(crash.message).toContain("went on writing after its result");
  });

  it("when a line is longer than the host allows, even without an end", async () => {
    const body = `for (;;) write("x".repeat(65536));`;
    expect((await crashOf(options(body, { maxLineBytes: 1_000_000 }))).message).toContain(
      "line of more than 1,000,000 bytes",
    );
  });

  it("when it runs past its deadline and does not listen to SIGTERM", async () => {
    const run = options(`process.on("SIGTERM", () => {}); setInterval(() => {}, 1000);`, { graceMs: 50 }, inMs(200));
    expect((await crashOf(run)).message).toContain("still running at its deadline");
  });

  it("when it does not end at its deadline by a clock that was set ahead", async () => {
    const aheadMs = 3_600_000;
    const run = options(`setInterval(() => {}, 1000);`, { graceMs: 50, aheadMs }, inMs(200 + aheadMs));
    expect((await crashOf(run)).message).toContain("still running at its deadline");
  });

  it("when it does not end after it has closed its output", async () => {
    const run = options(`result(); (await import("node:fs")).closeSync(1); setInterval(() => {}, 1000);`, {
      graceMs: 50,
    });
    expect((await crashOf(run)).message).toContain("did not end");
  });

  it("when it cannot be started", async () => {
    expect((await crashOf({ ...options(""), folder: join(folder, "nowhere") })).message).toContain(
      "could not be started",
    );
  });
});

it("calls a run interrupted, not crashed, when it is stopped before it has a result", async () => {
  const stopped = options(`setInterval(() => {}, 1000);`, { signal: AbortSignal.abort() });
  expect((await collect(stopped)).at(-1)).toMatchObject({
    status: "interrupted",
    message: "The run was stopped before it had a result.",
  });
});

it("ends the process when the caller stops listening", async () => {
  const run = options(
    `send({ type: "progress", done: process.pid, total: 0, label: "" }); setInterval(() => {}, 1000);`,
  );
  let pid = 0;
  for await (const message of runPlugin(run)) {
    if (message.type === "progress") pid = message.done;
    break;
  }
  expect(pid).toBeGreaterThan(0);
  expect(() => process.kill(pid, 0)).toThrow("ESRCH");
});
