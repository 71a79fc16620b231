import { afterEach, describe, expect, it } from "@jest/globals";
import { startTenant, type Tenant, type TenantOptions } from "../../sandbox/tenant/index.ts";
import { PollingHost } from "../support/polling-host.ts";

const HOUR = 3_600_000;
const uniform = { environments: 3, findingTypes: 4, findingsPerPair: 25 };
const open: Tenant[] = [];

async function start(options: TenantOptions = {}): Promise<{ tenant: Tenant; host: PollingHost }> {
  let host: PollingHost | null = null;
  const tenant = await startTenant({
    dataset: uniform,
    clock: { now: () => host?.clock.now() ?? Date.now() },
    ...options,
  });
  open.push(tenant);
  host = new PollingHost(tenant);
  return { tenant, host };
}

/** Request paths that arrived since the last call. */
function watch(tenant: Tenant): () => string[] {
  let from = 0;
  return () => {
    const paths = tenant.requests.slice(from).map(({ path }) => path.split("/").slice(-1)[0] ?? "");
    from = tenant.requests.length;
    return paths;
  };
}

function first(tenant: Tenant): { id: string; findingType: string } {
  const id = tenant.data.environments[0]?.id ?? "";
  return { id, findingType: tenant.data.findingTypes(id)[0] ?? "" };
}

afterEach(async () => {
  await Promise.all(open.splice(0).map((tenant) => tenant.close()));
});

describe("polling for findings", () => {
  it("delivers every finding once: one alert per environment and finding type, then only what is new", async () => {
    const { tenant, host } = await start();
    const all = await host.poll();
    expect(all.outcome).toMatchObject({ status: "completed", value: true, json: { findings: 300, alerts: 12 } });
    expect([all.alerts.length, host.findings.size]).toEqual([12, 300]);
    expect((await host.poll()).alerts).toEqual([]);

    const { id } = first(tenant);
    tenant.control.analyse(id, { findings: 2 });
    const next = await host.poll();
    expect(next.events).toHaveLength(8);
    expect(new Set(next.events.map((event) => event["environment_id"]))).toEqual(new Set([id]));
    expect([host.findings.size, host.repeated]).toEqual([308, []]);
  });

  it("asks for nothing twice: a first run needs a page per pair and four texts per type, a quiet one a probe per pair", async () => {
    const { tenant, host } = await start();
    const requests = watch(tenant);
    await host.poll();
    expect(requests()).toHaveLength(1 + 3 + 4 * 4 + 12);
    await host.poll();
    const quiet = requests();
    expect(quiet).toHaveLength(1 + 3 + 12);
    expect(tenant.requests.slice(-12).every(({ bytes, path }) => path.endsWith("/details") && bytes < 4_000)).toBe(
      true,
    );
  });

  it("takes findings that share the newest time, come late inside the window, or differ in the last digit", async () => {
    const { tenant, host } = await start();
    const { id, findingType } = first(tenant);
    const at = (created_at: string): void => void tenant.control.addFindings(id, findingType, [{ created_at }]);
    const second = new Date(Date.now() - 1_000).toISOString().slice(0, 19);
    at(`${second}.5Z`);
    await host.poll();
    const before = host.findings.size;
    at(`${second}.5Z`);
    at(new Date(Date.parse(`${second}Z`) - HOUR).toISOString());
    at(`${second}.500000001Z`);
    at(`${second}.49Z`);
    expect((await host.poll()).events).toHaveLength(4);
    expect([host.findings.size, host.repeated]).toEqual([before + 4, []]);
  });

  it("keeps environments of one name apart, and knows a renamed one again", async () => {
    const { tenant, host } = await start();
    for (const { id } of tenant.data.environments) tenant.control.renameEnvironment(id, "SAME.TEST");
    const { alerts } = await host.poll();
    expect(new Set(alerts.map((alert) => alert.sourceGroupingIdentifier)).size).toBe(3);
    expect(new Set(alerts.map((alert) => alert.environmentName))).toEqual(new Set(["SAME.TEST"]));
    tenant.control.renameEnvironment(first(tenant).id, "NEW.TEST");
    expect((await host.poll()).alerts).toEqual([]);
  });

  it("delivers the others when one pair fails, says so, and gets the rest in the next run", async () => {
    const { tenant, host } = await start();
    const { id, findingType } = first(tenant);
    tenant.control.fault({
      path: `${id}/details`,
      query: { finding: findingType },
      effect: { kind: "status", status: 500 },
    });
    const run = await host.poll();
    expect(run.outcome).toMatchObject({ status: "partial", json: { findings: 275, findingTypesUnread: 1 } });
    expect(run.outcome?.message).toContain(findingType);
    tenant.control.clearFaults();
    expect((await host.poll()).events).toHaveLength(25);
    expect([host.findings.size, host.repeated]).toEqual([300, []]);
  });

  it("stops asking at a rate limit, keeps what is complete, and goes on in the next run", async () => {
    const { tenant, host } = await start({ dataset: { ...uniform, findingTypes: 10 } });
    tenant.control.fault({ path: "details", from: 9, times: 1, effect: { kind: "status", status: 429, body: "text" } });
    const requests = watch(tenant);
    const run = await host.poll();
    expect(run.outcome?.status).toBe("partial");
    // What was under way when the limit was hit still arrives; nothing new is begun.
    expect(requests().filter((path) => path === "details").length).toBeLessThan(20);
    const rest = await host.poll();
    expect(rest.outcome?.status).toBe("completed");
    expect([host.findings.size, host.repeated]).toEqual([750, []]);
  });

  it("reads the others when one environment hangs, in time", async () => {
    const { tenant, host } = await start();
    const { id } = first(tenant);
    tenant.control.fault({ path: `${id}/available-types`, effect: { kind: "stall" } });
    const { outcome, events } = await host.poll({ timeMs: 3_000 });
    expect([outcome?.status, events.length]).toEqual(["partial", 200]);
    tenant.control.clearFaults();
    expect((await host.poll()).events).toHaveLength(100);
  });

  it("delivers what was read before a rate limit, also when it has no texts in its state yet", async () => {
    const { tenant, host } = await start({
      maxPageSize: 10,
      dataset: { environments: 1, findingTypes: 1, findingsPerPair: 100 },
    });
    for (let run = 0; run < 6 && host.findings.size < 100; run++) {
      tenant.control.clearFaults();
      tenant.control.fault({ path: "details", from: 4, effect: { kind: "status", status: 429, body: "text" } });
      const before = host.findings.size;
      await host.poll();
      expect(host.findings.size).toBeGreaterThan(before);
    }
    expect([host.findings.size, host.repeated]).toEqual([100, []]);
  });

  it("delivers findings without texts rather than late when the run's time ends before they arrive", async () => {
    const { tenant, host } = await start();
    tenant.control.fault({ path: "assets/findings", effect: { kind: "stall" } });
    const { outcome, events } = await host.poll({ timeMs: 1_000 });
    expect(outcome?.status).toBe("partial");
    expect(events.length).toBeGreaterThan(0);
    tenant.control.clearFaults();
    await host.poll();
    expect([host.findings.size, host.repeated]).toEqual([300, []]);
  });

  it("delivers findings whose texts cannot be read, and says which", async () => {
    const { tenant, host } = await start();
    const { findingType } = first(tenant);
    tenant.control.fault({
      path: `${findingType}/long_remediation`,
      effect: { kind: "status", status: 503, body: "html" },
    });
    const { outcome, events } = await host.poll();
    expect(outcome).toMatchObject({ status: "partial", json: { findings: 300, textsUnread: 1 } });
    expect(outcome?.message).toContain(findingType);
    expect(events).toHaveLength(300);
  });

  it("delivers a finding of odd shape with what it has, and counts what did not fit", async () => {
    const { tenant, host } = await start();
    const { id, findingType } = first(tenant);
    tenant.control.addFindings(id, findingType, [
      { ImpactPercentage: "much", FromPrincipalProps: null, Severity: 5 },
      { id: undefined, Severity: "", created_at: undefined },
    ]);
    const { outcome, events } = await host.poll();
    expect(events).toHaveLength(302);
    expect(outcome).toMatchObject({ json: { misfits: 2 } });
    expect((await host.poll()).events).toEqual([]);
  });

  it("reads a sample in a test run and remembers nothing", async () => {
    const { tenant, host } = await start();
    const run = await host.poll({ run: { test: true } });
    expect(run.outcome).toMatchObject({ status: "completed" });
    expect(run.outcome?.checkpoint).toBeUndefined();
    expect([run.alerts.length, host.state]).toEqual([tenant.data.environments.length, null]);
  });

  it("finishes a backlog under a small budget, every pair in its turn", async () => {
    const { host } = await start({ dataset: { environments: 2, findingTypes: 3, findingsPerPair: 90 } });
    const turns: Set<string>[] = [];
    for (let run = 0; host.findings.size < 540 && run < 40; run++) {
      const { alerts, outcome } = await host.poll({ run: { maxAlerts: 4, maxEventsPerAlert: 10 } });
      expect(alerts.length).toBeLessThanOrEqual(4);
      if (host.findings.size < 540) expect(outcome?.status).toBe("partial");
      turns.push(new Set(alerts.map((alert) => `${alert.environmentId} ${alert.findingType}`)));
    }
    expect([host.findings.size, host.repeated]).toEqual([540, []]);
    expect(new Set(turns.slice(0, 3).flatMap((pairs) => [...pairs])).size).toBe(6);
  });

  it("repeats nothing and loses nothing when the host dies after any alert", async () => {
    const { tenant, host } = await start();
    for (let alerts = 0; alerts < 14; alerts++) {
      await host.poll({ diesAfter: alerts % 4, run: { maxEventsPerAlert: 9 } });
      if (alerts % 5 === 0) tenant.control.analyse(first(tenant).id, { findings: 1 });
    }
    await host.poll();
    expect([host.findings.size, host.repeated]).toEqual([312, []]);
  });
});

describe("the analysis gate", () => {
  async function quietTenant() {
    const { tenant, host } = await start();
    tenant.control.analyse(first(tenant).id);
    for (let poll = 0; poll < 3; poll++) await host.poll();
    return { tenant, host, requests: watch(tenant) };
  }

  it("stays open for two polls after a change, then skips environments that were not analysed again", async () => {
    const { tenant, host, requests } = await quietTenant();
    requests();
    for (const { id } of tenant.data.environments)
      expect(tenant.data.sparkline(id, first(tenant).findingType).length).toBeGreaterThan(0);
    await host.poll();
    expect(requests().sort().join(" ")).toBe(
      `available-domains${" available-types".repeat(3)}${" sparkline".repeat(3)}`,
    );
  });

  it("opens for the environment that was analysed again", async () => {
    const { tenant, host } = await quietTenant();
    const { id } = first(tenant);
    tenant.control.analyse(id, { findings: 1 });
    const { events } = await host.poll();
    expect(events).toHaveLength(4);
    expect(host.repeated).toEqual([]);
  });

  it("delivers one sweep later what a wrong inference passed over", async () => {
    const { tenant, host } = await quietTenant();
    tenant.control.analyse(first(tenant).id, { findings: 1, sparkline: false });
    expect((await host.poll()).events).toEqual([]);
    host.moveOn(HOUR);
    expect((await host.poll()).events).toHaveLength(4);
    expect(host.repeated).toEqual([]);
  });

  it("opens when the selection changes", async () => {
    const { tenant, host } = await quietTenant();
    const { id, findingType } = first(tenant);
    tenant.control.analyse(id, { findings: { [findingType]: 2 }, sparkline: false });
    expect((await host.poll({ environments: [id] })).events).toHaveLength(2);
  });
});

describe("a connector that cannot work", () => {
  it("fails with the reason when the key is wrong", async () => {
    const { tenant } = await start();
    const host = new PollingHost({ url: tenant.url, tokenId: tenant.tokenId, tokenKey: "wrong" });
    await expect(host.poll()).rejects.toMatchObject({ code: "unauthenticated" });
    expect(host.state).toBeNull();
  });

  it("fails when no selected environment exists, and lists what there is", async () => {
    const { tenant, host } = await start();
    const { outcome, log } = await host.poll({ environments: ["NOWHERE"] });
    expect(outcome).toMatchObject({ status: "failed", value: false });
    expect(log.join("\n")).toContain(tenant.data.environments[0]?.name);
  });

  it("leaves a state of a newer version untouched", async () => {
    const { host } = await start();
    host.state = { version: 99, tenant: "x" };
    const { outcome } = await host.poll();
    expect(outcome).toMatchObject({ status: "failed", value: false });
    expect([outcome?.message, host.state]).toEqual([expect.stringContaining("99"), { version: 99, tenant: "x" }]);
  });

  it("starts afresh over a damaged state and says so", async () => {
    const { host } = await start();
    host.state = { version: 1, tenant: "broken", environments: 5, leftover: true };
    host.state = { ...host.state, tenant: (await start()).tenant.url, more: [1] };
    const { log } = await host.poll();
    expect(log.join("\n")).toContain("saved state");
    expect(host.state).not.toHaveProperty("leftover");
  });
});
