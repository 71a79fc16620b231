import { describe, expect, it } from "@jest/globals";
import type { TenantOptions } from "../../sandbox/tenant/index.ts";
import { movableClock } from "../support/fake-clock.ts";
import { TestHost } from "../support/host.ts";
import { firstStream, startTenant } from "../support/tenant.ts";

const HOUR = 3_600_000;
const uniform = { environments: 3, findingTypes: 4, findingsPerPair: 25 };

async function start(options: TenantOptions = {}) {
  const clock = movableClock();
  const tenant = await startTenant({ dataset: uniform, clock, ...options });
  return { tenant, host: new TestHost(tenant, { clock }), clock };
}

describe("polling for findings", () => {
  it("delivers every finding once: one alert per environment and finding type, then only what is new", async () => {
    const { tenant, host } = await start();
    const all = await host.poll();
    expect(all).toMatchObject({ status: "completed", value: true, json: { findings: 300, alerts: 12 } });
    expect([all.alerts.length, host.stored.size]).toEqual([12, 300]);
    expect((await host.poll()).alerts).toEqual([]);

    const { environmentId: id } = firstStream(tenant);
    tenant.control.analyse(id, { findings: 2 });
    const next = await host.poll();
    expect(next.events).toHaveLength(8);
    expect(new Set(next.events.map((event) => event["environment_id"]))).toEqual(new Set([id]));
    expect([host.stored.size, host.stored.repeated]).toEqual([308, []]);
  });

  it("takes findings that share the newest time, come late inside the window, or differ in the last digit", async () => {
    const { tenant, host } = await start();
    const { environmentId: id, findingType } = firstStream(tenant);
    const at = (created_at: string): void => void tenant.control.addFindings(id, findingType, [{ created_at }]);
    const second = new Date(Date.now() - 1_000).toISOString().slice(0, 19);
    at(`${second}.5Z`);
    await host.poll();
    const before = host.stored.size;
    at(`${second}.5Z`);
    at(new Date(Date.parse(`${second}Z`) - HOUR).toISOString());
    at(`${second}.500000001Z`);
    at(`${second}.49Z`);
    expect((await host.poll()).events).toHaveLength(4);
    expect([host.stored.size, host.stored.repeated]).toEqual([before + 4, []]);
  });

  it("keeps environments of one name apart, and knows a renamed one again", async () => {
    const { tenant, host } = await start();
    for (const { id } of tenant.data.environments) tenant.control.renameEnvironment(id, "SAME.TEST");
    const { alerts } = await host.poll();
    expect(new Set(alerts.map((alert) => alert.sourceGroupingIdentifier)).size).toBe(3);
    expect(new Set(alerts.map((alert) => alert.environmentName))).toEqual(new Set(["SAME.TEST"]));
    tenant.control.renameEnvironment(firstStream(tenant).environmentId, "NEW.TEST");
    expect((await host.poll()).alerts).toEqual([]);
  });

  it("delivers the others when one pair fails, says so, and gets the rest in the next run", async () => {
    const { tenant, host } = await start();
    const { environmentId: id, findingType } = firstStream(tenant);
    tenant.control.fault({
      path: `${id}/details`,
      query: { finding: findingType },
      effect: { kind: "status", status: 500 },
    });
    const run = await host.poll();
    expect(run).toMatchObject({ status: "partial", json: { findings: 275, streamsUnread: 1 } });
    expect(run.message).toContain(findingType);
    tenant.control.clearFaults();
    expect((await host.poll()).events).toHaveLength(25);
    expect([host.stored.size, host.stored.repeated]).toEqual([300, []]);
  });

  it("stops asking at a rate limit, keeps what is complete, and goes on in the next run", async () => {
    const { tenant, host } = await start({ dataset: { ...uniform, findingTypes: 10 } });
    tenant.control.fault({ path: "details", from: 9, times: 1, effect: { kind: "status", status: 429, body: "text" } });
    const run = await host.poll();
    expect(run.status).toBe("partial");
    // What was under way when the limit was hit still arrives; nothing new is begun.
    expect(tenant.requests.filter(({ path }) => path.endsWith("/details")).length).toBeLessThan(20);
    const rest = await host.poll();
    expect(rest.status).toBe("completed");
    expect([host.stored.size, host.stored.repeated]).toEqual([750, []]);
  });

  it("reads the others when one environment hangs, in time", async () => {
    const { tenant, host } = await start();
    const { environmentId: id } = firstStream(tenant);
    tenant.control.fault({ path: `${id}/available-types`, effect: { kind: "stall" } });
    const { status, events } = await host.poll({ deadlineMs: 3_000 });
    expect([status, events.length]).toEqual(["partial", 200]);
    tenant.control.clearFaults();
    expect((await host.poll()).events).toHaveLength(100);
  });

  it("delivers what was read before a rate limit, also when it has no texts in its state yet", async () => {
    const { tenant, host } = await start({
      maxPageSize: 10,
      dataset: { environments: 1, findingTypes: 1, findingsPerPair: 100 },
    });
    for (let run = 0; run < 6 && host.stored.size < 100; run++) {
      tenant.control.clearFaults();
      tenant.control.fault({ path: "details", from: 4, effect: { kind: "status", status: 429, body: "text" } });
      const before = host.stored.size;
      await host.poll();
      expect(host.stored.size).toBeGreaterThan(before);
    }
    expect([host.stored.size, host.stored.repeated]).toEqual([100, []]);
  });

  it("delivers findings without texts rather than late when the run's time ends before they arrive", async () => {
    const { tenant, host } = await start();
    tenant.control.fault({ path: "assets/findings", effect: { kind: "stall" } });
    const { status, events } = await host.poll({ deadlineMs: 3_000 });
    expect(status).toBe("partial");
    expect(events.length).toBeGreaterThan(0);
    tenant.control.clearFaults();
    await host.poll();
    expect([host.stored.size, host.stored.repeated]).toEqual([300, []]);
  });

  it("delivers findings whose description cannot be loaded, and says which", async () => {
    const { tenant, host } = await start();
    const { findingType } = firstStream(tenant);
    tenant.control.fault({
      path: `${findingType}/long_remediation`,
      effect: { kind: "status", status: 503, body: "html" },
    });
    const { status, json, message, events } = await host.poll();
    expect([status, json]).toMatchObject(["partial", { findings: 300, descriptionsMissing: 1 }]);
    expect(message).toContain(findingType);
    expect(events).toHaveLength(300);
  });

  it("delivers a finding of odd shape with what it has, and counts what did not fit", async () => {
    const { tenant, host } = await start();
    const { environmentId: id, findingType } = firstStream(tenant);
    tenant.control.addFindings(id, findingType, [
      { ImpactPercentage: "much", FromPrincipalProps: null, Severity: 5 },
      { id: undefined, Severity: "", created_at: undefined },
    ]);
    const { json, events } = await host.poll();
    expect(events).toHaveLength(302);
    expect(json).toMatchObject({ invalidValues: 2 });
    expect((await host.poll()).events).toEqual([]);
  });

  it("delivers findings whose texts are no valid Unicode, and the others with them", async () => {
    const { tenant, host } = await start();
    const { environmentId: id, findingType } = firstStream(tenant);
    const broken = "broken \ud800";
    const names = { FromPrincipalName: broken, ToPrincipalProps: { name: broken } };
    tenant.control.addFindings(id, findingType, [names, { FromPrincipal: broken, ToPrincipal: broken }]);
    const { status, events } = await host.poll();
    expect([status, events.length]).toEqual(["completed", 302]);
  });

  it("reads a sample in a test run and remembers nothing", async () => {
    const { tenant, host } = await start();
    const run = await host.poll({ run: { test: true } });
    expect(run).toMatchObject({ status: "completed" });
    expect([run.alerts.length, host.state]).toEqual([tenant.data.environments.length, null]);
  });

  it("repeats nothing and loses nothing when the host dies after any alert", async () => {
    const { tenant, host } = await start();
    for (let alerts = 0; alerts < 14; alerts++) {
      await host.poll({ dies: { alerts: alerts % 4 }, run: { maxEventsPerAlert: 9 } });
      if (alerts % 5 === 0) tenant.control.analyse(firstStream(tenant).environmentId, { findings: 1 });
    }
    await host.poll();
    expect([host.stored.size, host.stored.repeated]).toEqual([312, []]);
  });
});
