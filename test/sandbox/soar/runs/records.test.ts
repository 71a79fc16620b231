import { brotliCompressSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { join } from "node:path";
import type { LiveEvent } from "../../../../sandbox/console/contract/index.ts";
import { openHost, type Host } from "../../../../sandbox/soar/index.ts";
import { RUNS_KEPT } from "../../../../sandbox/soar/runs/run-records.ts";
import { stateChanges } from "../../../../sandbox/soar/runs/state-changes.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";
import { FIELDS, TOKEN_KEY } from "../fake-package.ts";
import { IDENTIFIER, installed, runEnded } from "../running.ts";

const folder = temporaryFolder();
let host: Host;
let round = 0;
beforeEach(() => {
  host = openHost({ data: join(folder, `host-${(round += 1)}`) });
});
afterEach(() => host.close());

async function connector(body: string): Promise<string> {
  await installed(host, folder, body);
  return host.connectors.add({ integration: IDENTIFIER, name: "Findings", parameters: FIELDS }).id;
}
async function instance(body: string): Promise<string> {
  await installed(host, folder, body);
  return host.instances.add({ integration: IDENTIFIER, name: "Tenant", parameters: FIELDS }).id;
}

describe("the record of a connector's run", () => {
  it("has its request without secrets, its log, its alerts, and what it changed in the state", async () => {
    const id = await connector(`
      send({ type: "log", level: "info", message: "Hello.", fields: { run: request.run.id, key: request.parameters["Token Key"] } });
      send({ type: "log", level: "warn", message: "Careful.", fields: {} });
      send({ type: "alert", alert: alert("a", { findings: ["1", "2"] }), checkpoint: { seen: { a: 1 } } });
      result({ message: "Done.", checkpoint: { seen: { a: 1, b: 2 }, text: "x".repeat(300) } });
    `);
    const { runId } = await host.runConnector(id, { by: "Test" });
    const view = host.runView(runId);
    expect(view).toMatchObject({
      kind: "connector",
      owner: "Findings",
      by: "Test",
      status: "completed",
      logLevels: { debug: 0, info: 1, warn: 1, error: 0 },
      alertList: [{ title: "Generic All", events: 2 }],
      request: { parameters: { Server: FIELDS.Server, "Token Key": "[redacted]" }, state: null },
      rerunRefusal: null,
      progress: null,
      stateChangesLeft: 0,
    });
    expect(view.stateChanges).toEqual([
      { path: ["seen", "a"], after: 1 },
      { path: ["seen", "b"], after: 2 },
      { path: ["text"], after: `${"x".repeat(200)}… (300 characters)` },
    ]);
    expect(host.records.log.lines(runId).rows.map(({ level, message, fields }) => [level, message, fields])).toEqual([
      ["info", "Hello.", { key: "[redacted]" }],
      ["warn", "Careful.", {}],
    ]);
    expect(host.records.log.lines(runId, { level: "warn" }).total).toBe(1);
    expect(JSON.stringify(view)).not.toContain(TOKEN_KEY);
  });

  it("has every request to the service in milliseconds since the start of the run", async () => {
    const id = await connector(`
      const t = Date.now();
      const log = (more) => send({ type: "log", level: request.run.logLevel, message: "GET", fields: { request: {
        method: "GET", path: "/api", query: "a=b", queuedAt: t, sentAt: t + 5, endedAt: t + 9, ...more } } });
      const sides = { sent: { headers: { Accept: "*/*" } }, received: { headers: { "x-id": "5" }, body: "b".repeat(9_000) } };
      log({ status: 200, bytes: 7, ...sides }); log({ error: "No answer." }); log({ path: 5 });
      result();
    `);
    const { runId } = await host.runConnector(id);
    const { requests } = host.runView(runId);
    expect(JSON.stringify([requests, host.records.log.lines(runId)])).not.toContain("x-id");
    expect(host.records.log.request(runId, 0)).toEqual({
      sent: { headers: { Accept: "*/*" } },
      received: { headers: { "x-id": "5" }, body: "b".repeat(4_000) },
    });
    expect(host.records.log.request(runId, 1)).toEqual({ sent: null, received: null });
    expect(() => host.records.log.request(runId, 2)).toThrow("request");
    expect(requests).toMatchObject([
      { method: "GET", path: "/api", query: "a=b", status: 200, bytes: 7, error: null },
      { status: null, bytes: null, error: "No answer." },
    ]);
    const [{ queuedAt, sentAt, endedAt } = { queuedAt: 0, sentAt: 0, endedAt: 0 }] = requests;
    expect(queuedAt).toBeGreaterThanOrEqual(0);
    expect(queuedAt).toBeLessThan(10_000);
    expect([sentAt - queuedAt, endedAt - sentAt]).toEqual([5, 4]);
  });

  it("has the changes of its state as text", async () => {
    const packed = brotliCompressSync(JSON.stringify({ title: "Full Control", short: "Remove it." })).toString(
      "base64",
    );
    const state = { selection: "PMeVRTD9cBw-", descriptions: { T0: { packed } }, ids: { 5: "17+49:d_zjM4,3" } };
    const id = await connector(`result({ checkpoint: ${JSON.stringify(state)} });`);
    const { stateChanges } = host.runView((await host.runConnector(id)).runId);
    expect(stateChanges.map(({ after }) => after)).toEqual([
      "fingerprint of the selected environments and finding types: PMeV",
      "Full Control Remove it.",
      "findings 17 to 66",
    ]);
  });

  it("of a test has what it would have created, and no change", async () => {
    const id = await connector(`send({ type: "alert", alert: alert("a") }); result({ checkpoint: { a: 1 } });`);
    const { runId } = await host.runConnector(id, { test: true });
    expect(host.runView(runId)).toMatchObject({ test: true, sample: [{ id: "a" }], stateChanges: [], alertList: [] });
  });

  it("lists the worst of many alerts, and says how many more there are", async () => {
    const id = await connector(`
      for (let n = 0; n < 503; n++) send({ type: "alert", alert: alert("a" + n, { severity: n === 502 ? "critical" : "low" }) });
      result();
    `);
    const { alertList, alertsLeft } = host.runView((await host.runConnector(id)).runId);
    expect([alertList.length, alertsLeft, alertList[0]!.severity]).toEqual([500, 3, "critical"]);
  });

  it("pages through a long log", async () => {
    const id = await connector(`
      for (let n = 0; n < 450; n++) send({ type: "log", level: "info", message: "Line " + n, fields: {} });
      result();
    `);
    const { runId } = await host.runConnector(id);
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const { rows, total, next } = host.records.log.lines(runId, cursor === undefined ? {} : { cursor });
      expect(total).toBe(450);
      seen.push(...rows.map(({ message }) => message));
      cursor = next ?? undefined;
    } while (cursor !== undefined);
    expect(seen).toEqual(Array.from({ length: 450 }, (_, n) => `Line ${n}`));
  });
});

describe("a run that was started", () => {
  const WAITS = `process.on("SIGTERM", () => result({ status: "failed", message: "Stopped." }));
    send({ type: "progress", done: 1, total: 2, label: "streams" }); const wait = setInterval(() => undefined, 1000);
    process.on("SIGTERM", () => clearInterval(wait));`;

  it("says what it does while it runs, and can be stopped", async () => {
    const id = await connector(WAITS);
    const events: LiveEvent[] = [];
    host.live.on((event) => events.push(event));
    const running = new Promise<void>((resolve) => {
      host.live.on((event) => {
        if (event.type === "progress") resolve();
      });
    });
    const ended = runEnded(host);
    const { runId } = await host.startConnector(id);
    await running;
    expect(host.runView(runId)).toMatchObject({ status: "running", progress: { done: 1, total: 2 } });
    expect(host.connectors.view(id)).toMatchObject({ runningId: runId });
    await expect(host.startConnector(id)).rejects.toThrow("already running");
    expect(() => {
      host.connectors.resetState(id);
    }).toThrow("Stop the run");
    host.stopRun(runId);
    expect(await ended).toMatchObject({ id: runId, status: "stopped", message: "Stopped." });
    expect(() => {
      host.stopRun(runId);
    }).toThrow("already ended");
    expect(events.map(({ type }) => type)).toEqual(["run", "progress", "run"]);
  });

  it("shows its log and its requests while it runs", async () => {
    const id = await connector(`
      const t = Date.now();
      send({ type: "log", level: "debug", message: "GET", fields: { request: {
        method: "GET", path: "/api", query: "", queuedAt: t, sentAt: t, endedAt: t, status: 200 } } });
      ${WAITS}`);
    const written = new Promise<void>((resolve) => {
      host.live.on((event) => {
        if (event.type === "log") resolve();
      });
    });
    const ended = runEnded(host);
    const { runId } = await host.startConnector(id);
    await written;
    expect(host.runView(runId)).toMatchObject({ status: "running", requests: [{ path: "/api" }] });
    expect(host.records.log.lines(runId).rows).toMatchObject([{ message: "GET" }]);
    host.stopRun(runId);
    await ended;
  });

  it("is ended in order when the host closes", async () => {
    const data = join(folder, "closing");
    const other = openHost({ data });
    await installed(other, folder, WAITS);
    const { id } = other.connectors.add({ integration: IDENTIFIER, name: "Findings", parameters: FIELDS });
    const begun = new Promise<void>((resolve) => {
      other.live.on((event) => {
        if (event.type === "progress") resolve();
      });
    });
    await other.startConnector(id);
    await begun;
    await other.close();
    const again = openHost({ data });
    expect(again.records.list().rows).toMatchObject([{ status: "failed", message: "Stopped." }]);
    await again.close();
  });

  it("says that it cannot be run again while another run of its connector is under way", async () => {
    const id = await connector("result();");
    const { runId } = await host.runConnector(id);
    const ended = runEnded(host);
    const other = await host.startConnector(id);
    expect(host.runView(runId).rerunRefusal).toBe(
      "Another run of this connector is under way. Wait until it has ended, or stop it.",
    );
    expect(host.runView(other.runId).rerunRefusal).toBe("This run has not ended yet.");
    await ended;
    expect(host.runView(runId).rerunRefusal).toBeNull();
  });

  it("can be run again with the same parameters, from the same case", async () => {
    const body = `if (request.kind === "connector") { send({ type: "alert", alert: alert("a") }); result(); }
      else result({ message: JSON.stringify(request.parameters) });`;
    await host.runConnector(await connector(body));
    const { id } = host.instances.add({ integration: IDENTIFIER, name: "Tenant", parameters: FIELDS });
    const [{ key, caseId } = { key: 0, caseId: 0 }] = host.alerts.alerts();
    let ended = runEnded(host);
    const input = { instanceId: id, action: "Get Object Id", parameters: { "Object Names": "A" }, alertKey: key };
    const first = await host.startAction(input, "Kim");
    await ended;
    ended = runEnded(host);
    const second = await host.rerun(first.runId, "Robin");
    await ended;
    expect(host.cases.view(caseId).actions).toMatchObject([
      { runId: second.runId, action: "Get Object Id", by: "Robin", message: '{"Object Names":"A"}' },
      { runId: first.runId, by: "Kim", parameters: { "Object Names": "A" }, status: "completed" },
    ]);
  });
});

describe("the list of runs", () => {
  it("is narrowed by kind, status, owner and text, and keeps its place while new runs come", async () => {
    const id = await instance(
      `result({ message: request.name + " done", status: request.name === "Ping" ? "failed" : "completed" });`,
    );
    for (const name of ["Ping", "Get Object Id", "Fetch Assets"]) await host.runAction(id, name, {});
    const names = (query: Parameters<typeof host.records.list>[0]) =>
      host.records.list(query).rows.map(({ name }) => name);
    expect(names({ status: "failed" })).toEqual(["Ping"]);
    expect(names({ text: "assets DONE" })).toEqual(["Fetch Assets"]);
    expect(names({ text: "%" })).toEqual([]);
    expect(names({ kind: "connector" })).toEqual([]);
    expect(names({ owner: id })).toHaveLength(3);
    const first = host.records.list({ limit: 2 });
    await host.runAction(id, "Ping", {});
    const second = host.records.list({ limit: 2, cursor: first.next! });
    expect([...first.rows, ...second.rows].map(({ name }) => name)).toEqual(["Fetch Assets", "Get Object Id", "Ping"]);
    expect([first.total, second.next]).toEqual([3, null]);
    expect(() => host.records.list({ cursor: "nonsense" })).toThrow("first page");
  });
});

it("changes of the state are listed name by name, and beyond 500 only counted", () => {
  expect(stateChanges({ a: { b: 1, c: [1] }, gone: "x" }, { a: { b: 2, c: [1] }, constructor: 1 })).toEqual({
    changes: [
      { path: ["a", "b"], before: 1, after: 2 },
      { path: ["gone"], before: "x", after: undefined },
      { path: ["constructor"], before: undefined, after: 1 },
    ],
    left: 0,
  });
  const many = Object.fromEntries(Array.from({ length: 600 }, (_, n) => [`n${n}`, n]));
  expect(stateChanges(null, many)).toMatchObject({ left: 100, changes: { length: 500 } });
});

it("keeps what the last runs of a connector did, and of older ones that they were", () => {
  const run = {
    kind: "connector",
    name: "Findings",
    ownerId: "c-1",
    owner: "Findings",
    packageId: "p",
    test: false,
  } as const;
  const line = { at: 1, level: "info", message: "Hello.", fields: {} } as const;
  for (let n = 0; n <= RUNS_KEPT; n++) {
    const id = `run-${n}`;
    host.records.begin({ ...run, id, by: "Schedule", caseId: null, alertKey: null, request: { n } }, n);
    host.records.log.append(id, [line], [], { lines: 0, traces: 0 });
    host.records.end(id, { status: "completed", message: "Nothing new." }, n);
  }
  expect(host.records.list().total).toBe(RUNS_KEPT + 1);
  expect(host.records.view("run-0")).toMatchObject({ status: "completed", message: "Nothing new.", request: null });
  expect(host.records.log.lines("run-0").rows.map(({ message }) => message)).toEqual([
    "The log and the requests of this run were deleted: they are kept for the last 500 runs of a connector.",
  ]);
  expect(host.records.view("run-1").request).toEqual({ n: 1 });
  expect(host.records.log.lines("run-1").rows).toEqual([line]);
});
