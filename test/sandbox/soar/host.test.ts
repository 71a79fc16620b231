import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { chmodSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Libsql from "libsql";
import { forgetHost, openHost, type Host } from "../../../sandbox/soar/index.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import type { Database } from "../../../sandbox/soar/database.ts";
import { runEnded } from "./running.ts";
import { alert, FIELDS, fakePackage, plugin, TOKEN_KEY } from "./fake-package.ts";

const CONNECTOR = "Attack Path Findings";
const folder = temporaryFolder();

let data: string;
let host: Host;
let round = 0;
beforeEach(() => {
  data = join(folder, `host-${(round += 1)}`);
  host = openHost({ data });
});
afterEach(() => host.close());

async function connector(body: string): Promise<string> {
  const { id } = await host.install(await fakePackage(folder, plugin(body)));
  return host.configureConnector(id, CONNECTOR, FIELDS).id;
}
async function instance(body: string): Promise<string> {
  const { id } = await host.install(await fakePackage(folder, plugin(body)));
  return host.configureInstance(id, "Test", FIELDS).id;
}

describe("a run of a connector", () => {
  it("stores alerts, events and cases, and the state that its result gives", async () => {
    const id = await connector(`
      send({ type: "alert", alert: alert("a-1", { findings: ["1", "2"] }), checkpoint: { pairs: { a: 1 } } });
      send({ type: "alert", alert: alert("a-2", { severity: "critical" }), checkpoint: { pairs: { b: 1 } } });
      result({ message: "Two.", checkpoint: { version: 1, pairs: { a: 1, b: 1 } } });
    `);
    const report = await host.runConnector(id);
    expect(report).toMatchObject({
      status: "completed",
      message: "Two.",
      alerts: 2,
      events: 3,
      repeated: 0,
      casesOpened: 1,
    });
    expect(host.store.state(id)).toEqual({ version: 1, pairs: { a: 1, b: 1 } });
    expect(host.alerts.cases()).toMatchObject([
      { severity: "critical", alerts: 2, events: 3, environmentName: "CORP.LOCAL" },
    ]);
    expect(host.alerts.alerts().map(({ id: alert, severity }) => [alert, severity])).toEqual([
      ["a-2", "critical"],
      ["a-1", "high"],
    ]);
    expect(host.alerts.alert(host.alerts.alerts()[1]!.key)?.events.map((event) => event["finding_id"])).toEqual([
      "1",
      "2",
    ]);
    expect(host.records.list().rows).toMatchObject([{ status: "completed", alerts: 2, events: 3, test: false }]);
  });

  it("gets its fields without those of the host, and the state of the run before", async () => {
    const id = await connector(
      `result({ json: { got: request }, checkpoint: { seen: (request.state?.seen ?? 0) + 1 } });`,
    );
    const first = await host.runConnector(id);
    expect(first.json).toMatchObject({
      got: {
        kind: "connector",
        name: CONNECTOR,
        state: null,
        parameters: { Server: FIELDS.Server, "Selected Environments": "All" },
      },
    });
    expect(first.json).not.toHaveProperty(["got", "parameters", "Run Every"]);
    expect((await host.runConnector(id)).json).toMatchObject({ got: { state: { seen: 1 } } });
  });

  it("drops alerts that it has, and still takes their checkpoint", async () => {
    const id = await connector(`
      send({ type: "alert", alert: alert("a"), checkpoint: { first: 1 } });
      send({ type: "alert", alert: alert("a"), checkpoint: { second: 2 } });
      result();
    `);
    expect(await host.runConnector(id)).toMatchObject({ alerts: 1, repeated: 1 });
    expect(await host.runConnector(id)).toMatchObject({ alerts: 0, events: 0, repeated: 2 });
    expect(host.store.state(id)).toEqual({ first: 1, second: 2 });
    expect([...host.alerts.findings().values()]).toEqual([1]);
  });

  it("that crashes keeps what it delivered, with the state up to there", async () => {
    const id = await connector(`
      send({ type: "alert", alert: alert("a"), checkpoint: { next: 1 } });
      send({ type: "alert", alert: alert("b") });
      process.stderr.write("out of luck\\n"); process.exit(7);
    `);
    const report = await host.runConnector(id);
    expect(report).toMatchObject({ status: "crashed", alerts: 2, value: null });
    expect(report.message).toMatch(/exit code 7.*out of luck/);
    expect(host.store.state(id)).toEqual({ next: 1 });
  });

  it("that fails keeps the state when its result has none", async () => {
    const id = await connector(`
      if (request.state === null) result({ checkpoint: { kept: true } });
      else result({ status: "failed", message: "No.", value: false });
    `);
    await host.runConnector(id);
    expect(await host.runConnector(id)).toMatchObject({ status: "failed", message: "No." });
    expect(host.store.state(id)).toEqual({ kept: true });
  });

  it("for a test stores nothing and shows its sample", async () => {
    const id = await connector(
      `send({ type: "alert", alert: alert("a"), checkpoint: { x: 1 } }); result({ checkpoint: { x: 2 }, json: { test: request.run.test } });`,
    );
    const report = await host.runConnector(id, { test: true });
    expect(report).toMatchObject({ alerts: 0, json: { test: true }, sample: [{ id: "a" }] });
    expect(host.alerts.alerts()).toEqual([]);
    expect(host.store.state(id)).toBeNull();
  });

  it("hands limits, deadline and progress over", async () => {
    const id = await connector(
      `send({ type: "progress", done: 1, total: 4, label: "findings" }); result({ json: request.run });`,
    );
    const seen: string[] = [];
    const { json } = await host.runConnector(id, {
      maxAlerts: 5,
      maxEventsPerAlert: 7,
      timeoutMs: 60_000,
      onProgress: ({ done, total, label }) => seen.push(`${done}/${total} ${label}`),
    });
    expect(json).toMatchObject({ maxAlerts: 5, maxEventsPerAlert: 7, test: false });
    expect(Date.parse(json?.["deadline"] as string)).toBeGreaterThan(Date.now());
    expect(seen).toEqual(["1/4 findings"]);
  });

  it("cannot store anything once a newer run of the connector has begun", async () => {
    const id = await connector(`result();`);
    const added = (runId: string) => () =>
      host.alerts.add(
        {
          connectorId: id,
          runId,
          alert: alert(`from ${runId}`),
          checkpoint: { from: runId },
          placement: {
            rule: "r",
            sourceGroupingIdentifier: "s",
            join: "alone",
            shared: [],
            entities: [],
            title: "t",
            because: "b",
          },
        },
        1,
      );
    const begin = (run: string) => {
      const row = { id: run, kind: "connector", name: CONNECTOR, ownerId: id, owner: CONNECTOR, test: false } as const;
      host.records.begin({ ...row, packageId: "p", by: "Test", caseId: null, alertKey: null, request: null }, 1);
    };
    begin("old");
    begin("new");
    expect(added("old")).toThrow("newer run");
    expect(added("new")).not.toThrow();
    host.records.end("old", { status: "completed", message: "", checkpoint: { from: "old" } }, 2);
    expect(host.store.state(id)).toEqual({ from: "new" });
    expect(host.records.list().rows.find((run) => run.id === "old")?.status).toBe("interrupted");
  });

  it("goes on where it stood with a newer package and other fields", async () => {
    const id = await connector(`result({ checkpoint: { from: "old package" } });`);
    await host.runConnector(id);
    expect(await connector(`result({ json: { got: request.state } });`)).toBe(id);
    expect((await host.runConnector(id)).json).toEqual({ got: { from: "old package" } });
  });
});

describe("cases", () => {
  it("are one for each source domain, and two environments of one name stay apart", async () => {
    const id = await connector(`
      send({ type: "alert", alert: alert("1", { domain: "A.LOCAL" }) });
      send({ type: "alert", alert: alert("2", { domain: "B.LOCAL" }) });
      send({ type: "alert", alert: alert("3", { domain: "a.local", sourceGroupingIdentifier: "S-1-A.LOCAL", severity: "low" }) });
      send({ type: "alert", alert: alert("4", { domain: "A.LOCAL", sourceGroupingIdentifier: "S-2" }) });
      result();
    `);
    expect(await host.runConnector(id)).toMatchObject({ casesOpened: 3, casesExtended: [] });
    const cases = host.alerts.cases().sort((a, b) => a.id - b.id);
    expect(cases.map(({ title, alerts, severity }) => [title, alerts, severity])).toEqual([
      ["Attack Path Analysis: A.LOCAL", 2, "high"],
      ["Attack Path Analysis: B.LOCAL", 1, "high"],
      ["Attack Path Analysis: A.LOCAL", 1, "high"],
    ]);
    expect(host.alerts.entities(1)).toEqual([
      { type: "GenericEntity", identifier: "S-1-A.LOCAL-512", kind: "entity" },
      { type: "SourceDomain", identifier: "A.LOCAL", kind: "indicator" },
      { type: "SourceUserName", identifier: "ALICE@A.LOCAL", kind: "entity" },
    ]);
  });

  it("that are open are extended by a later run, and alerts without a source domain stand alone", async () => {
    const id = await connector(`
      const n = (request.state?.n ?? 0) + 1;
      send({ type: "alert", alert: alert("a-" + n) });
      send({ type: "alert", alert: { ...alert("b-" + n), events: [{ finding_id: "x" }] } });
      result({ checkpoint: { n } });
    `);
    expect(await host.runConnector(id)).toMatchObject({ casesOpened: 2 });
    expect(await host.runConnector(id)).toMatchObject({ casesOpened: 1, casesExtended: [1] });
  });
});

describe("a run of an action", () => {
  it("gets the instance, its parameters and the context, and gives value and JSON", async () => {
    const id = await instance(`result({ value: 42, json: { got: request } });`);
    const report = await host.runAction(id, "Get Object Id", { "Object Names": "A, B" }, { context: { case: 1 } });
    expect(report).toMatchObject({
      status: "completed",
      value: 42,
      json: {
        got: {
          kind: "action",
          parameters: { "Object Names": "A, B" },
          context: { case: 1 },
          state: null,
          instance: { Server: FIELDS.Server, "Token Key": "[redacted]" },
        },
      },
    });
  });

  it("on an alert gets its entities and the ends of its findings, and may enrich the entities", async () => {
    const body = `if (request.kind === "action") {
      const [entity] = request.context.entities;
      result({ json: request.context, entities: [{ ...entity, properties: { tierZero: true } }] });
    } else {
      const [event] = alert("x").events;
      send({ type: "alert", alert: alert("a-1", { events: [{ ...event, source_object_id: "S-1-5" }, event] }) });
      result();
    }`;
    await host.runConnector(await connector(body));
    const { key } = host.alerts.alerts()[0]!;
    const report = await host.runAction(await instance(body), "Fetch Assets", {}, { alert: key });
    expect(report.json).toEqual({
      alertId: "a-1",
      entities: [
        { identifier: "CORP.LOCAL", type: "SourceDomain" },
        { identifier: "ALICE@CORP.LOCAL", type: "SourceUserName" },
        { identifier: "S-1-CORP.LOCAL-512", type: "GenericEntity" },
      ],
      findings: [
        { source: "S-1-5", target: "S-1-CORP.LOCAL-512", severity: null, accepted: null, acceptedUntil: null },
        { source: null, target: "S-1-CORP.LOCAL-512", severity: null, accepted: null, acceptedUntil: null },
      ],
    });
    expect(report.entities).toEqual([
      { identifier: "CORP.LOCAL", type: "SourceDomain", properties: { tierZero: true } },
    ]);
  });

  it("that is in progress is run again with the state it returned", async () => {
    const id = await instance(`
      const n = request.state?.n ?? 0;
      if (n < 3) result({ status: "in_progress", message: "Wait.", state: { n: n + 1 } }); else result({ value: n });
    `);
    expect(await host.runAction(id, "Ping", {})).toMatchObject({ status: "completed", value: 3 });
  });

  it("that is in progress has the whole time again in each round", async () => {
    const id = await instance(`
      const deadline = Date.parse(request.run.deadline);
      const goOn = () => result({ status: "in_progress", message: "Wait.", state: deadline });
      if (request.state === null) setTimeout(goOn, 100); else result({ value: deadline >= request.state + 100 });
    `);
    expect(await host.runAction(id, "Ping", {}, { timeoutMs: 5000 })).toMatchObject({
      status: "completed",
      value: true,
    });
  });

  it("that crashes says so", async () => {
    const report = await host.runAction(await instance(`process.exit(9);`), "Ping", {});
    expect(report).toMatchObject({ status: "crashed", value: null, json: null });
    expect(host.records.list().rows).toMatchObject([{ kind: "action", status: "crashed" }]);
  });
});

describe("parameters", () => {
  it("that are missing or unknown are refused by their label", async () => {
    const { id } = await host.install(await fakePackage(folder, plugin("result();")));
    expect(() => host.configureInstance(id, "i", { ...FIELDS, "Token Key": " " })).toThrow(/Token Key/);
    expect(() => host.configureConnector(id, CONNECTOR, { ...FIELDS, "Run Every": 0 })).toThrow(/Run Every/);
    expect(() => host.configureInstance(id, "i", { ...FIELDS, Verify: "no" })).toThrow(/Verify/);
  });
});

describe("secrets", () => {
  const everything = () =>
    readdirSync(data, { recursive: true, withFileTypes: true })
      .filter((item) => item.isFile())
      .map((item) => readFileSync(join(item.parentPath, item.name)));

  it("are in no file of the host, whatever the plugin does with them", async () => {
    const spill = `const key = request.parameters["Token Key"] ?? request.instance["Token Key"];
      send({ type: "log", level: "info", message: "key " + key, fields: { key, [key]: 1 } });
      process.stderr.write(key + "\\n");`;
    const id = await connector(`${spill}
      send({ type: "alert", alert: alert(key, { title: key, findings: [key] }), checkpoint: { [key]: key } });
      result({ message: key, checkpoint: { key } }); process.exitCode = 1;`);
    const crashed = await host.runConnector(id);
    expect(JSON.stringify(crashed)).not.toContain(TOKEN_KEY);
    await host.runAction(host.configureInstance(host.store.packages()[0]!.id, "Test", FIELDS).id, "Ping", {});
    await host.close();
    const files = everything();
    expect(files.length).toBeGreaterThan(4);
    const forms = [TOKEN_KEY, encodeURIComponent(TOKEN_KEY), Buffer.from(TOKEN_KEY).toString("base64")];
    for (const form of forms) expect(files.some((file) => file.includes(form))).toBe(false);
    host = openHost({ data });
    expect(host.store.connector(id).parameters["Token Key"]).toBe(TOKEN_KEY);
  });

  it("are sealed under a key that only its owner can read, as all files of the host are", async () => {
    await instance("result();");
    const key = join(data, "host.key");
    for (const file of [key, ...["host.db", "host.db-wal", "host.log"].map((name) => join(data, name))]) {
      expect([file, statSync(file).mode & 0o777]).toEqual([file, 0o600]);
    }
    chmodSync(key, 0o644);
    expect(() => openHost({ data })).toThrow(/chmod 600/);
    chmodSync(key, 0o600);
  });

  it("cannot be read under another owner, after a change, or with another key", async () => {
    const id = await instance("result();");
    const database = new Libsql(join(data, "host.db"));
    const row = database.prepare("SELECT parameters_json AS sealed FROM instances").all()[0];
    const { sealed } = row as { sealed: string };
    database.prepare("UPDATE instances SET id = 'another'").run();
    expect(() => host.store.instance("another")).toThrow("cannot be read");
    const flipped = sealed.replace(/"sealed":"(.)/, (_, first) => `"sealed":"${first === "A" ? "B" : "A"}`);
    database.prepare("UPDATE instances SET id = ?, parameters_json = ?").run(id, flipped);
    expect(() => host.store.instance(id)).toThrow("cannot be read");
    database.prepare("UPDATE instances SET parameters_json = ?").run(sealed);
    expect(host.store.instance(id).parameters["Token Key"]).toBe(TOKEN_KEY);
    database.close();
  });
});

it("writes what tenants and plugins say as single lines of its log", async () => {
  const id = await connector(
    `send({ type: "log", level: "warn", message: "a\\nFORGED \\u001b[2J", fields: { b: "c\\r\\nd" } }); result();`,
  );
  await host.runConnector(id);
  await host.close();
  const lines = readFileSync(join(data, "host.log"), "utf8").split("\n");
  expect(lines.filter((line) => line.includes("FORGED"))).toEqual([
    expect.stringMatching(/^\S+Z warn {2}a\\nFORGED \\u001b\[2J \{"b":"c/),
  ]);
  expect(["\u001b", "\r"].filter((control) => lines.join("").includes(control))).toEqual([]);
  host = openHost({ data });
});

it("says that the disk is full, and ends the run once it can store that", async () => {
  const id = await connector(`
    if (request.state === null) send({ type: "alert", alert: alert("a", { description: "x".repeat(1_000_000) }), checkpoint: {} });
    result({ checkpoint: {} });`);
  const own = Reflect.get(host, "db") as Database;
  own.all("PRAGMA max_page_count = 1");
  const other = new Libsql(join(data, "host.db"));
  // What SQLite changes in place needs no space in the database, but some in the files beside it.
  other.exec("CREATE TRIGGER full BEFORE UPDATE OF status ON runs BEGIN SELECT RAISE(ABORT, 'full'); END");
  const full = "The disk is full, so nothing more is stored. Free some space and try again.";
  await expect(host.runConnector(id)).rejects.toMatchObject({ status: 507, message: full });
  const [{ id: runId } = { id: "" }] = host.records.list().rows;
  expect(host.runView(runId).status).toBe("running");
  expect(() => {
    host.stopRun(runId);
  }).toThrow("full");
  other.exec("DROP TRIGGER full");
  other.close();
  const ended = runEnded(host);
  host.stopRun(runId);
  expect(await ended).toMatchObject({ id: runId, status: "interrupted", message: full });
  own.all("PRAGMA max_page_count = 4294967294");
  expect(await host.runConnector(id)).toMatchObject({ status: "completed", alerts: 1 });
});

it("forgets what it kept, and leaves other files alone", async () => {
  await host.close();
  forgetHost(data);
  expect(readdirSync(data)).toEqual([]);
  host = openHost({ data });
});

describe("a host that has lost a file", () => {
  const database = () => join(data, "host.db");
  const key = () => join(data, "host.key");

  /** Overwrites the first page of a table; the page of the table of all tables is that of the file. */
  async function damage(table: string): Promise<void> {
    await host.close();
    const open = new Libsql(database());
    open.pragma("wal_checkpoint(TRUNCATE)");
    const found = open.prepare("SELECT rootpage AS root FROM sqlite_schema WHERE name = ?").get(table);
    const { root } = (found ?? { root: 1 }) as { root: number };
    const { size } = open.prepare("SELECT page_size AS size FROM pragma_page_size").get() as { size: number };
    open.close();
    writeFileSync(database(), readFileSync(database()).fill(0xff, (root - 1) * size, root * size));
  }

  it("says which database is damaged, and what to do", async () => {
    await damage("sqlite_schema");
    expect(() => openHost({ data })).toThrow(
      `The database ${database()} is damaged. Restore it from a backup, or start with --fresh, which deletes it.`,
    );
    forgetHost(data);
    host = openHost({ data });
  });

  it("says so as well when the damage shows only later", async () => {
    await damage("packages");
    host = openHost({ data });
    expect(() => host.store.packages()).toThrow("is damaged. Restore it from a backup");
  });

  it("makes no new key for an old database", async () => {
    await host.close();
    rmSync(key());
    expect(() => openHost({ data })).toThrow(/host\.key is missing, .*Restore the key file .*--fresh/);
    expect(readdirSync(data)).not.toContain("host.key");
    forgetHost(data);
    host = openHost({ data });
  });
});

it("refuses tables of another version", async () => {
  await host.close();
  const database = new Libsql(join(data, "host.db"));
  database.pragma("user_version = 99");
  database.close();
  expect(() => openHost({ data })).toThrow(/another version/);
  forgetHost(data);
  host = openHost({ data });
});
