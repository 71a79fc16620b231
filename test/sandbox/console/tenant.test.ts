import { beforeAll, describe, expect, it } from "@jest/globals";
import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { once } from "node:events";
import { join } from "node:path";
import { startSimulation, type Simulation } from "../../../sandbox/console/server/simulation/simulation.ts";
import type { FaultName, TenantCommand } from "../../../sandbox/console/contract/index.ts";
import { afterSuite } from "../../support/cleanup.ts";
import { TestHost } from "../../support/host.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { startTestConsole, type TestConsole } from "./console.ts";

const folder = temporaryFolder();

async function simulated(name: string): Promise<Simulation> {
  const simulation = await startSimulation({ file: join(folder, `${name}.json`) });
  afterSuite(() => simulation.close());
  return simulation;
}

const simulation = await simulated("controlled");
const { call, send } = await startTestConsole({ simulation });
const perform = (body: TenantCommand) => call("POST /tenant", { body });
const { tenant } = simulation;
const environmentId = tenant.data.environments[0]!.id;
const findingType = tenant.data.findingTypes(environmentId)[0]!;
const findings = () => call("GET /tenant/findings", { query: { environmentId, findingType } });

async function ping(): Promise<string> {
  const { result } = await new TestHost(tenant).act({ name: "Ping" });
  return result.message;
}

describe("the controls of the simulated tenant", () => {
  it("show its environments and what they have", async () => {
    const view = await call("GET /tenant");
    expect(view).toMatchObject({
      url: tenant.url,
      dialect: "standard",
      isAnalysing: false,
      reachable: true,
      faults: [],
    });
    expect(view.environments.length).toBeGreaterThan(2);
    expect(view.environments[0]).toMatchObject({ id: environmentId, collected: true });
    expect(view.environments[0]!.findings).toBeGreaterThan(0);
  });

  it("add findings, accept one and remediate one", async () => {
    const before = await findings();
    const added = await perform({ do: "add_findings", environmentId, findingType, count: 2 });
    expect(added.message).toBe(`Added 2 findings of ${findingType}.`);
    const [second, first] = await findings();
    expect((await findings()).length).toBe(before.length + 2);
    await perform({ do: "accept_finding", environmentId, findingType, id: first!.id });
    await perform({ do: "remediate_finding", environmentId, findingType, id: second!.id });
    expect((await findings())[0]).toEqual({ ...first, accepted: true });
  });

  it("run an analysis, in one go or in two steps", async () => {
    const { message } = await perform({ do: "analyse", environmentId });
    expect(message).toMatch(/^The analysis of .+ added 3 findings\.$/);
    expect((await perform({ do: "begin_analysis" })).tenant.isAnalysing).toBe(true);
    expect((await perform({ do: "end_analysis" })).tenant.isAnalysing).toBe(false);
  });

  it.each<[FaultName, RegExp]>([
    ["rate_limit", /Rate limit reached/],
    ["server_error", /500/],
    ["wrong_key", /Token Key/],
    ["dropped", /connection/i],
    ["not_json", /web page/],
  ])("inject %s, which the plugin names, until it is cleared", async (name, told) => {
    const fault = { name, path: "", times: null };
    expect((await perform({ do: "inject", fault })).tenant.faults).toEqual([fault]);
    expect(await ping()).toMatch(told);
    expect((await perform({ do: "clear_faults" })).tenant.faults).toEqual([]);
    expect(await ping()).toMatch(/^Successfully connected/);
  });

  it("inject a fault that goes by itself once it has hit its requests", async () => {
    await perform({ do: "inject", fault: { name: "server_error", path: "available-domains", times: 1 } });
    const status = async (path: string) => (await fetch(`${tenant.url}${path}`)).status;
    expect(await status("/api/v2/self")).toBe(401);
    expect((await call("GET /tenant")).faults).toHaveLength(1);
    expect(await status("/api/v2/available-domains")).toBe(500);
    expect((await call("GET /tenant")).faults).toEqual([]);
    expect(await status("/api/v2/available-domains")).toBe(401);
  });

  it("move its clock, which the plugin names as the reason", async () => {
    await perform({ do: "move_clock", aheadMs: 3 * 3_600_000 });
    expect(await ping()).toMatch(/clock/i);
    expect((await perform({ do: "move_clock", aheadMs: 0 })).message).toBe(
      "The tenant's clock agrees with that of this machine.",
    );
  });

  it("take it away and bring it back on the same port", async () => {
    expect((await perform({ do: "go_away" })).tenant.reachable).toBe(false);
    expect(await ping()).toMatch(/refused/i);
    await perform({ do: "come_back" });
    expect((await perform({ do: "come_back" })).tenant.reachable).toBe(true);
    expect(await ping()).toMatch(/^Successfully connected/);
  });

  it.each<[string, unknown, number]>([
    ["an unknown command", { do: "explode" }, 400],
    ["no number of findings", { do: "add_findings", environmentId, findingType, count: 0 }, 400],
    ["another environment", { do: "analyse", environmentId: "S-1-5-21-0" }, 404],
    ["another finding", { do: "accept_finding", environmentId, findingType, id: 999_999_999 }, 404],
  ])("refuse %s", async (_, body, status) => {
    const headers = { "Content-Type": "application/json" };
    const response = await send("/api/tenant", { method: "POST", body: JSON.stringify(body), headers });
    expect(response.status).toBe(status);
  });
});

describe("the controls of the simulated tenant, over days,", () => {
  let simulation: Simulation;
  let call: TestConsole["call"];
  beforeAll(async () => {
    simulation = await simulated("lifecycle");
    ({ call } = await startTestConsole({ simulation }));
  });
  const perform = (body: TenantCommand) => call("POST /tenant", { body });

  it("remediate a finding with what joined its principals, and bring it back under a new id", async () => {
    const type = "T0GenericAll";
    const list = () => call("GET /tenant/findings", { query: { environmentId, findingType: type } });
    const [finding] = await list();
    const { id, target } = finding!;
    const { FromPrincipal, ToPrincipal } = simulation.tenant.data
      .findings(environmentId, type)!
      .query({ filters: [], sort: [], unsorted: "id", skip: 0, limit: 1000 })
      .findings.find((record) => record.id === id) as unknown as Record<"FromPrincipal" | "ToPrincipal", string>;
    const joined = () => simulation.tenant.data.graph.outgoing(FromPrincipal).some(({ to }) => to === ToPrincipal);
    expect(joined()).toBe(true);
    const { tenant: without } = await perform({ do: "remediate_finding", environmentId, findingType: type, id });
    expect([joined(), without.remediated.map((found) => found.id)]).toEqual([false, expect.arrayContaining([id])]);
    const { message, tenant: back } = await perform({ do: "bring_back", environmentId, findingType: type, id });
    expect([joined(), message]).toEqual([true, `Finding ${id} is back, under a new id.`]);
    expect(back.remediated.map((found) => found.id)).not.toContain(id);
    expect((await list()).filter((found) => found.target === target).map((found) => found.id)).not.toContain(id);
  });

  it("do what looks like a remediation and is none", async () => {
    const other = simulation.tenant.data.environments[1]!.id;
    const type = simulation.tenant.data.findingTypes(other)[0]!;
    const list = () => call("GET /tenant/findings", { query: { environmentId: other, findingType: type } });
    const ids = (await list()).map(({ id }) => id);
    await perform({ do: "delete_finding", environmentId: other, findingType: type, id: ids[0]! });
    await perform({ do: "renew_ids", environmentId: other });
    const renewed = (await list()).map(({ id }) => id);
    expect(renewed).toHaveLength(ids.length);
    expect(renewed.filter((id) => ids.includes(id))).toEqual([]);
    const silent = await perform({ do: "stop_collector", environmentId: other, days: 8 });
    expect(silent.tenant.environments.find(({ id }) => id === other)!.findings).toBe(0);
    const dropped = await perform({ do: "drop_environment", environmentId: other });
    expect(dropped.tenant.environments.map(({ id }) => id)).not.toContain(other);
  });

  it("let time pass for the service and for the host, which still understand each other", async () => {
    const { passedMs } = await call("GET /tenant");
    const passed = await perform({ do: "pass_time", milliseconds: 90_000_000 });
    expect(passed.message).toBe("Skipped 1 d 1 h for the service and its analyses.");
    expect(passed.tenant.passedMs).toBe(passedMs + 90_000_000);
    expect((await call("GET /overview")).aheadMs).toBe(passedMs + 90_000_000);
    const { result } = await new TestHost(simulation.tenant).act({ name: "Ping" });
    expect(result.message).toMatch(/^Successfully connected/);
  });
});

describe("a simulated tenant that is kept in a file", () => {
  it("is the same after a restart: address, token, findings and their times", async () => {
    const file = join(folder, "kept.json");
    const first = await startSimulation({ file });
    await first.perform({ do: "add_findings", environmentId, findingType, count: 3 });
    await first.perform({ do: "pass_time", milliseconds: 3_600_000 });
    await first.perform({ do: "move_clock", aheadMs: 60_000 });
    await first.perform({ do: "analyse" });
    const served = ({ tenant: { data } }: Simulation) =>
      data
        .findings(environmentId, findingType)!
        .query({ filters: [], sort: [], unsorted: "id", skip: 0, limit: 10_000 });
    const before = served(first);
    await first.close();
    const second = await simulated("kept");
    expect(second.tenant).toMatchObject({
      url: first.tenant.url,
      tokenId: first.tenant.tokenId,
      tokenKey: first.tenant.tokenKey,
    });
    const after = served(second);
    expect(after.count).toBe(before.count);
    expect(after.findings.map(({ id }) => id)).toEqual(before.findings.map(({ id }) => id));
    expect(after.findings.map(({ PrincipalHash }) => PrincipalHash)).toEqual(
      before.findings.map(({ PrincipalHash }) => PrincipalHash),
    );
    expect(second.view()).toMatchObject({ clockAheadMs: 0, passedMs: 3_600_000, faults: [], latencyMs: 0 });
    expect(statSync(file).mode & 0o077).toBe(0);
  });

  it("says so when another program has its port", async () => {
    const file = join(folder, "port.json");
    const first = await startSimulation({ file });
    await first.close();
    const blocker = createServer().listen(first.tenant.port, "127.0.0.1");
    await once(blocker, "listening");
    await expect(startSimulation({ file })).rejects.toThrow(
      `Port ${first.tenant.port}, which the simulated tenant had, is in use.`,
    );
    blocker.close();
  });

  it.each(["{", "{}", "null"])("says so when its file holds %s, which is no tenant", async (content) => {
    const file = join(folder, "damaged.json");
    writeFileSync(file, content);
    await expect(startSimulation({ file })).rejects.toThrow(/is damaged.*--fresh/);
  });

  it("says so when it cannot be saved, and listens no longer", async () => {
    const file = join(folder, "full.json");
    const first = await startSimulation({ file });
    await first.close();
    mkdirSync(`${file}.draft`);
    await expect(startSimulation({ file })).rejects.toThrow(/cannot be saved in .*full\.json \(EISDIR\)/);
    await expect(fetch(first.tenant.url)).rejects.toThrow("fetch failed");
  });
});

it("without a simulated tenant there is nothing to control", async () => {
  const real = await startTestConsole();
  expect((await real.send("/api/tenant")).status).toBe(404);
  expect(await real.call("GET /overview")).toMatchObject({ simulated: false, suggestedInstance: null });
});
