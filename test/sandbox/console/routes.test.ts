import { beforeAll, describe, expect, it } from "@jest/globals";
import { copyFile, mkdir, readFile, utimes, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import Libsql from "libsql";
import { builtPackages } from "../../../sandbox/console/server/builds.ts";
import { startSimulation } from "../../../sandbox/console/server/simulation/simulation.ts";
import { HOST_FILES } from "../../../sandbox/soar/index.ts";
import type { CaseView, ConnectorView, InstanceView, RunView } from "../../../sandbox/console/contract/index.ts";
import { afterSuite } from "../../support/cleanup.ts";
import { hostedProgram } from "../../support/hosted-program.ts";
import { builtPackage } from "../../support/package.ts";
import { startServer } from "../../support/raw-server.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { startTestConsole } from "./console.ts";

const folder = temporaryFolder();
const builds = join(folder, "dist");
const { zip } = await builtPackage();
await mkdir(builds);
await copyFile(zip, join(builds, basename(zip)));
await copyFile(zip, join(builds, "attack-path-analysis-1.0.0-google-secops.zip"));
const bytes = await readFile(zip);

const simulation = await startSimulation({ file: join(folder, "tenant.json") });
afterSuite(() => simulation.close());
const { call, send, host, data } = await startTestConsole({ simulation, builds, run: await hostedProgram() });
const { tenant } = simulation;
const settings = { Server: tenant.url, "Token ID": tenant.tokenId, "Token Key": tenant.tokenKey };
const integration = "attack_path_analysis";

async function ended(runId: string): Promise<RunView> {
  const isRunning = () => host.runView(runId).status === "running";
  if (isRunning()) {
    await new Promise<void>((resolve) => {
      const stop = host.live.on(() => {
        if (isRunning()) return;
        stop();
        resolve();
      });
    });
  }
  return call("GET /runs/:id", { path: { id: runId } });
}

async function status(path: string, method = "GET", body?: unknown): Promise<number> {
  const init =
    body === undefined ? {} : { body: JSON.stringify(body), headers: { "Content-Type": "application/json" } };
  return (await send(`/api${path}`, { method, ...init })).status;
}

describe("packages", () => {
  const refusal = (content: Uint8Array) => call("POST /packages/inspect", { body: new Blob([content]) });

  it("that are built are offered, without those for a platform", async () => {
    const { built, integrations } = await call("GET /packages");
    expect(built.map(({ file }) => file)).toEqual([basename(zip)]);
    const { sha256 } = await call("POST /packages/inspect", { query: { built: basename(zip) } });
    expect(built[0]).toMatchObject({ version: "1.0.0", bytes: bytes.length, sha256 });
    expect(integrations).toEqual([]);
  });

  it("that cannot be read are left out, and those that did not change are not read again", async () => {
    const other = temporaryFolder();
    const readable = join(other, "attack-path-analysis-1.0.0.zip");
    const written = async (content: string, seconds: number) => {
      await writeFile(readable, content);
      await utimes(readable, seconds, seconds);
      return builtPackages(other);
    };
    await mkdir(join(other, "attack-path-analysis-1.0.1.zip"));
    const first = await written("first", 1000);
    expect(first).toMatchObject([{ version: "1.0.0", bytes: 5, builtAt: 1_000_000 }]);
    expect(await written("other", 1000)).toEqual(first);
    expect((await written("other", 2000))[0]!.sha256).not.toBe(first[0]!.sha256);
  });

  it("are looked into before they are installed, by upload or by name", async () => {
    const uploaded = await call("POST /packages/inspect", { body: new Blob([bytes]) });
    expect(await call("POST /packages/inspect", { query: { built: basename(zip) } })).toEqual(uploaded);
    expect(uploaded).toMatchObject({ identifier: integration, change: "install", currentVersion: null });
    expect(uploaded.sha256).toMatch(/^[0-9a-f]{64}$/);
    expect(uploaded.contents.widgets.length).toBe(3);
    expect(uploaded.contents.actions).toContain("Does Path Exist");
    expect(uploaded.releaseNotes).not.toBe("");
    expect(uploaded.licences.length).toBeGreaterThan(5);
    expect((await call("GET /packages")).integrations).toEqual([]);
  });

  it("are refused when damaged, tampered with or foreign, with the reason", async () => {
    await expect(refusal(bytes.subarray(0, bytes.length / 2))).rejects.toThrow(
      /400: The file is not a zip archive, or it is damaged/,
    );
    await expect(refusal(Buffer.from("not a zip"))).rejects.toThrow(/400: The file is not a zip archive/);
    const tampered = Buffer.from(bytes);
    tampered[Math.floor(tampered.length / 2)]! ^= 0xff;
    await expect(refusal(tampered)).rejects.toThrow(/^400: /);
  });

  it("are refused when they are neither uploaded nor in the folder of builds", async () => {
    expect(await status("/packages/inspect", "POST")).toBe(400);
    for (const built of ["../host.db", "/etc/passwd", "attack-path-analysis-1.0.0-google-secops.zip"])
      expect(await status(`/packages?built=${encodeURIComponent(built)}`, "POST")).toBe(404);
  });
});

it("a package that has changed since it was inspected is not installed", async () => {
  const query = { built: basename(zip), sha256: "0".repeat(64) };
  await expect(call("POST /packages", { query })).rejects.toThrow(/^409: The package has changed/);
  expect((await call("GET /packages")).integrations).toEqual([]);
});

describe("the way from a package to a case", () => {
  let instance: InstanceView;
  let connector: ConnectorView;
  let opened: CaseView;

  beforeAll(async () => {
    const { built } = await call("GET /packages");
    await call("POST /packages", { query: { built: basename(zip), sha256: built[0]!.sha256 } });
    instance = await call("POST /instances", { body: { integration, name: "Lab", parameters: settings } });
  });

  it("configures an instance, whose secrets never come back", async () => {
    expect(instance.secrets).toEqual(["Token Key"]);
    expect(instance.parameters).toEqual({ Server: tenant.url, "Token ID": tenant.tokenId });
    for (const path of ["/instances", "/connectors", "/runs", "/packages"])
      expect(await (await send(`/api${path}`)).text()).not.toContain(tenant.tokenKey);
  });

  it("names the parameter that is wrong", async () => {
    const body = { integration, name: "Other", parameters: { ...settings, Server: "" } };
    const response = await send("/api/instances", {
      method: "POST",
      body: JSON.stringify(body),
      headers: { "Content-Type": "application/json" },
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ parameter: "Server" });
  });

  it("tests the connection and tells what is wrong with it", async () => {
    const path = { id: instance.id };
    expect(await call("POST /instances/:id/test", { path })).toMatchObject({ ok: true });
    await call("POST /tenant", { body: { do: "inject", fault: { name: "wrong_key", path: "", times: null } } });
    const wrong = await call("POST /instances/:id/test", { path });
    await call("POST /tenant", { body: { do: "clear_faults" } });
    expect([wrong.ok, wrong.message.includes("Token Key")]).toEqual([false, true]);
  });

  it("offers the environments and finding types of the tenant, or says why it cannot", async () => {
    const path = { id: instance.id };
    const { environments, findingTypes } = await call("GET /instances/:id/choices", { path });
    expect(environments.map(({ id }) => id)).toEqual(tenant.data.environments.map(({ id }) => id));
    expect(findingTypes).toContain("Kerberoasting");
    await call("POST /tenant", { body: { do: "go_away" } });
    await expect(call("GET /instances/:id/choices", { path })).rejects.toThrow(/^502: .*refused/i);
    await call("POST /tenant", { body: { do: "come_back" } });
  });

  it("asks the tenant no further when nobody waits for the answer any more", async () => {
    const leaving = new AbortController();
    let ended = (): void => undefined;
    const end = new Promise<void>((resolve) => {
      ended = resolve;
    });
    const { url } = await startServer((_, response) => {
      response.on("close", ended);
      leaving.abort();
    });
    const parameters = { ...settings, Server: url };
    const { id } = await call("POST /instances", { body: { integration, name: "Silent", parameters } });
    await expect(send(`/api/instances/${id}/choices`, { signal: leaving.signal })).rejects.toThrow(/abort/);
    await end;
    await call("DELETE /instances/:id", { path: { id } });
    // Without the signal, the question would last longer.
  }, 10_000);

  it("draws the meta tree of an environment", async () => {
    const [environment] = tenant.data.environments;
    const query = { environment: environment!.id };
    const { nodes, edges } = await call("GET /instances/:id/meta-tree", { path: { id: instance.id }, query });
    expect(nodes.filter(({ tierZero }) => tierZero)).toHaveLength(1);
    expect(edges.length).toBeGreaterThan(0);
    expect(edges.every(({ to, relation }) => to === "meta-tier-zero" && relation !== "")).toBe(true);
    expect(nodes.every(({ kind, name }) => kind !== "" && name !== "")).toBe(true);
  });

  it("polls with a connector, first as a test that stores nothing", async () => {
    const body = { integration, name: "Findings", parameters: {}, instance: instance.id };
    connector = await call("POST /connectors", { body });
    const path = { id: connector.id };
    const test = await ended((await call("POST /connectors/:id/run", { path, body: { test: true } })).runId);
    expect([test.status, test.sample.length > 0]).toEqual(["completed", true]);
    expect((await call("GET /cases")).total).toBe(0);
    const run = await ended((await call("POST /connectors/:id/run", { path, body: { test: false } })).runId);
    expect(run).toMatchObject({ status: "completed", rerunRefusal: null });
    expect(run.requests.length).toBeGreaterThan(3);
    expect(JSON.stringify(run)).not.toContain(tenant.tokenKey);
    expect((await call("GET /connectors/:id/state", { path })).streams.length).toBeGreaterThan(3);
    const log = await call("GET /runs/:id/log", { path: { id: run.id }, query: { level: "info" } });
    expect(log.rows.every(({ level }) => level !== "debug")).toBe(true);
  });

  it("lists the cases and opens one with its events", async () => {
    const { rows, total } = await call("GET /cases", { query: { status: "open", limit: "2" as unknown as number } });
    expect([rows.length, total > 2]).toEqual([2, true]);
    opened = await call("GET /cases/:id", { path: { id: String(rows[0]!.id) } });
    expect(opened.because).toContain(opened.environmentName);
    const events = await call("GET /cases/:id/events", { path: { id: String(opened.id) } });
    const [first] = events.rows;
    const path = { key: String(first!.alertKey), position: String(first!.position) };
    const event = await call("GET /alerts/:key/events/:position", { path });
    expect(event.groups.flatMap(({ fields }) => fields).length).toBe(Object.keys(event.event).length);
    expect((await call("GET /alerts/:key", { path: { key: path.key } })).extensions).toBeDefined();
    expect((await call("GET /cases/facets")).environments.length).toBeGreaterThan(2);
  });

  it("shows how its findings have developed", async () => {
    const trends = await call("GET /cases/:id/trends", { path: { id: String(opened.id) } });
    const [first] = trends;
    expect(first).toMatchObject({ message: null });
    expect(first!.points.length).toBeGreaterThan(1);
    expect(first!.points.map(({ at }) => at)).toEqual(first!.points.map(({ at }) => at).sort((a, b) => a - b));
    expect(new Set(trends.map(({ findingType }) => findingType)).size).toBe(trends.length);
  });

  it("says where to cut its paths, and those of its environment, while a connector that brought alerts is there", async () => {
    const path = { id: String(opened.id) };
    const bringFirstBy = (connectorId: string) => {
      const database = new Libsql(join(data, HOST_FILES.database));
      database.prepare("UPDATE alerts SET connector_id = ? WHERE key = ?").run([connectorId, opened.alertList[0]!.key]);
      database.close();
    };
    bringFirstBy("deleted");
    const [own, all] = [
      await call("GET /cases/:id/cuts", { path, query: { of: "case" } }),
      await call("GET /cases/:id/cuts", { path, query: { of: "environment" } }),
    ];
    bringFirstBy(connector.id);
    // The case was just opened: it has all that the tenant has.
    expect(own).toEqual({ ...all, notes: expect.any(Array) });
    expect(own.findings).toBeGreaterThan(5);
    expect(own.notes).toContainEqual(expect.stringMatching(/^At most, because the service lists shortest paths only/));
    const closes = own.edges.map((edge) => edge.closes);
    expect([closes.length > 0, closes.at(-1)! > 0]).toEqual([true, true]);
    expect(closes).toEqual([...closes].sort((a, b) => b - a));
    expect(own.objects[0]).toMatchObject({ kind: expect.stringMatching(/./), closes: expect.any(Number) });
    expect(await status(`/cases/${opened.id}/cuts?of=everything`)).toBe(400);
    expect(await status("/cases/999999/cuts?of=case")).toBe(404);
  });

  it("explains a kind of relationship, and says that it does not know another one", async () => {
    const explained = (kind: string) => call("GET /relationships/:kind", { path: { kind } });
    expect(await explained("writedacl")).toMatchObject({ kind: "WriteDacl", removal: expect.any(String) });
    expect(await explained("Kerberoasting")).toBeNull();
  });

  it("changes a case and comments on it", async () => {
    const path = { id: String(opened.id) };
    await call("PATCH /cases/:id", { path, body: { priority: 40, addTags: ["lab"] } });
    await call("POST /cases/:id/comments", { path, body: { text: "Looked at <b>this</b>." } });
    const closed = await call("PATCH /cases/:id", { path, body: { status: "closed" } });
    expect(closed).toMatchObject({ status: "closed", priority: 40 });
    expect(closed.tags).toContain("lab");
    expect(closed.comments.map(({ text }) => text)).toEqual(["Looked at <b>this</b>."]);
    expect(await status(`/cases/${opened.id}`, "PATCH", { priority: 7 })).toBe(400);
    expect(await status("/cases/abc")).toBe(404);
    expect(await status("/cases/999999")).toBe(404);
    expect(await status("/cases?limit=0")).toBe(400);
    expect(await status("/cases?order=asc")).toBe(400);
  });

  describe("an action of a case", () => {
    let run: RunView;
    beforeAll(async () => {
      const relationship = host.alerts.events().find(({ event }) => event["source_object_id"] !== undefined)!;
      const body = {
        instanceId: instance.id,
        action: "Does Path Exist",
        parameters: {
          "Start Node": String(relationship.event["source_object_id"]),
          "End Node": String(relationship.event["target_object_id"]),
        },
        alertKey: relationship.alertKey,
      };
      run = await ended((await call("POST /actions", { body })).runId);
    });

    it("gives a result that is drawn as a graph", async () => {
      expect(run.status).toBe("completed");
      const [drawn] = await call("GET /runs/:id/graph", { path: { id: run.id } });
      const places = drawn!.graph.nodes.filter(({ place }) => place !== null);
      expect(drawn!.title).toContain(" to ");
      expect(drawn!.graph.edges.filter(({ main }) => main)).toHaveLength(places.length - 1);
      const known = new Set(drawn!.graph.nodes.map(({ id }) => id));
      expect(drawn!.graph.edges.every(({ from, to }) => known.has(from) && known.has(to))).toBe(true);
    });

    it("shows the package's own widget, once, in an origin of its own", async () => {
      const widget = await call("GET /runs/:id/widget", { path: { id: run.id }, query: { theme: "dark" } });
      const shown = await send(widget!.url, { headers: { Authorization: "" } });
      const policy = shown.headers.get("content-security-policy") ?? "";
      expect(policy).toMatch(
        /^sandbox allow-scripts[^;]*; default-src 'none'; script-src 'sha256-[^']+' 'sha256-[^']+'; style-src 'sha256-/,
      );
      expect(policy).not.toContain("allow-same-origin");
      const html = await shown.text();
      expect(html).toContain('data-theme="dark"');
      const [, data = ""] = /<script id="result" type="application\/json">([\s\S]*?)<\/script>/.exec(html) ?? [];
      // The simulated tenant has no pages to link to.
      const { paths, ...rest } = run.json as { paths: { url: string }[] };
      expect(JSON.parse(data)).toEqual({ ...rest, paths: paths.map(({ url: _, ...path }) => path) });
      expect((await send(widget!.url)).status).toBe(404);
    });

    it("has no widget and no graph when it is a Ping", async () => {
      const { runId } = await call("POST /instances/:id/test", { path: { id: instance.id } });
      expect(await call("GET /runs/:id/widget", { path: { id: runId }, query: { theme: "light" } })).toBeNull();
      expect(await call("GET /runs/:id/graph", { path: { id: runId } })).toEqual([]);
    });

    it("stands in the history of its case", async () => {
      const { actions } = await call("GET /cases/:id", { path: { id: String(run.caseId) } });
      expect(actions.map(({ runId }) => runId)).toContain(run.id);
    });
  });

  it("runs the playbook of the package on an alert", async () => {
    const [playbook] = await call("GET /playbooks");
    const [alert] = opened.alertList;
    const path = { name: playbook!.name };
    const started = await call("POST /playbooks/:name/runs", { path, body: { alertKey: alert!.key } });
    await host.playbooks.idle();
    const run = await call("GET /playbook-runs/:id", { path: { id: started.id } });
    expect(run.status).toBe("done");
    expect(run.steps.every(({ status: step }) => step === "done" || step === "skipped")).toBe(true);
  });

  it("tells every page what changes", async () => {
    const response = await send("/api/live");
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    await call("POST /instances/:id/test", { path: { id: instance.id } });
    let told = "";
    while (!told.includes('"status":"completed"')) told += (await reader.read()).value ?? "";
    await reader.cancel();
    expect(told).toContain('data: {"type":"run"');
    expect(told).not.toContain(tenant.tokenKey);
  });

  it("ends with an uninstall that says what goes, and keeps the cases", async () => {
    const path = { identifier: integration };
    const removal = await call("GET /integrations/:identifier/removal", { path });
    expect(removal).toMatchObject({ instances: ["Lab"], connectors: ["Findings"], versions: ["1.0.0"] });
    const { total } = await call("GET /cases");
    expect(await call("DELETE /integrations/:identifier", { path })).toEqual(removal);
    expect((await call("GET /cases")).total).toBe(total);
    expect(await call("GET /instances")).toEqual([]);
    const [trend] = await call("GET /cases/:id/trends", { path: { id: String(opened.id) } });
    expect(trend!.message).toBe(
      "The connector that brought these alerts was deleted, so the console cannot ask the service. Add a connector for its tenant.",
    );
    expect(await status(`/cases/${opened.id}/cuts?of=case`)).toBe(409);
  });
});
