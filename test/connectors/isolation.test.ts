import { beforeAll, describe, expect, it } from "@jest/globals";
import type { FaultEffect, FaultRequest, TenantOptions } from "../../sandbox/tenant/index.ts";
import { jumpingClock } from "../support/fake-clock.ts";
import { TestHost } from "../support/host.ts";
import { firstStream, startTenant } from "../support/tenant.ts";

const E = 5;
const T = 2;
const F = 4;
const PER_ENVIRONMENT = T * F;

/** Modules that a run imports come from the disk, in real time: nothing may wait for them on a clock that jumps. */
beforeAll(async () => {
  await new TestHost(await startTenant({ dataset: { environments: 1, findingTypes: 1, findingsPerPair: 1 } })).poll();
});

async function start(options: TenantOptions = {}) {
  let seen = (): number => 0;
  const clock = jumpingClock(() => seen());
  const dataset = { environments: E, findingTypes: T, findingsPerPair: F };
  const tenant = await startTenant({ dataset, clock, ...options });
  seen = () => tenant.traffic.sent + tenant.traffic.received + tenant.connections;
  const environments = tenant.data.environments.map(({ id, name }) => ({ id, name }));
  return { tenant, host: new TestHost(tenant, { clock }), environments };
}

const effects: [string, FaultEffect][] = [
  ["hang", { kind: "stall" }],
  ["reset the connection", { kind: "drop" }],
  ["answer 500", { kind: "status", status: 500 }],
  ["answer 403", { kind: "status", status: 403 }],
  ["answer 404", { kind: "status", status: 404 }],
  ["answer with a web page", { kind: "html" }],
  ["break off in the middle", { kind: "drop", at: "mid-body" }],
];

describe("environments that fail", () => {
  it.each(effects)("do not keep the others from being delivered in the same run when they %s", async (_, effect) => {
    const { tenant, host, environments } = await start();
    const [types, details] = environments;
    tenant.control.fault({ path: `${types!.id}/available-types$`, effect });
    tenant.control.fault({ path: `${details!.id}/details$`, effect });
    const run = await host.poll({ deadlineMs: 8_000 });
    expect(run.status).toBe("partial");
    expect(run.events).toHaveLength((E - 2) * PER_ENVIRONMENT);
    expect(run.message).toContain(types!.name);
    expect(run.message).toContain(details!.name);
    expect(run.json).toMatchObject({ streamsUnread: T });

    tenant.control.clearFaults();
    const next = await host.poll();
    expect([next.status, next.events.length]).toEqual(["completed", 2 * PER_ENVIRONMENT]);
    expect([host.stored.size, host.stored.repeated]).toEqual([E * PER_ENVIRONMENT, []]);
  });

  it.each([
    ["never begin to answer", { kind: "stall", at: "before" }],
    ["stall in the middle of an answer", { kind: "stall", at: "mid-body" }],
  ] as const)("do not keep the others waiting when they are many and %s", async (_, effect) => {
    const many = 12;
    const dataset = { environments: many + E, findingTypes: T, findingsPerPair: F };
    const { tenant, host, environments } = await start({ dataset });
    const broken = new Set(environments.slice(0, many).map(({ id }) => id));
    const isBroken = ({ path }: FaultRequest) => [...broken].some((id) => path.includes(`/${id}/`));
    tenant.control.fault({ when: isBroken, effect });
    const run = await host.poll({ deadlineMs: 8_000 });
    expect(run.status).toBe("partial");
    expect(run.events).toHaveLength(E * PER_ENVIRONMENT);
  });

  it("do not wait for descriptions that stall in the middle", async () => {
    const { tenant, host } = await start({ dataset: { environments: 2, findingTypes: 6, findingsPerPair: F } });
    tenant.control.fault({ path: "/assets/", effect: { kind: "stall", at: "mid-body" } });
    const run = await host.poll({ deadlineMs: 15_000 });
    expect([run.status, run.events.length]).toEqual(["partial", 2 * 6 * F]);
  });

  it("deliver what can be read of them in a later run although their list of types fails", async () => {
    const { tenant, host, environments } = await start();
    await host.poll();
    const [{ id } = { id: "" }] = environments;
    tenant.control.addFindings(id, tenant.data.findingTypes(id)[0] ?? "", 2);
    tenant.control.fault({ path: `${id}/available-types$`, effect: { kind: "status", status: 500 } });
    const run = await host.poll();
    expect([run.status, run.events.length]).toEqual(["partial", 2]);
  });

  it("may be the list of environments itself: those of the last run are read, and the message says so", async () => {
    const { tenant, host, environments } = await start();
    await host.poll();
    const [{ id } = { id: "" }] = environments;
    tenant.control.addFindings(id, tenant.data.findingTypes(id)[0] ?? "", 2);
    tenant.control.fault({ path: "available-domains$", effect: { kind: "status", status: 500 } });
    const run = await host.poll();
    expect([run.status, run.events.length]).toEqual(["partial", 2]);
    expect(run.message).toMatch(/^Could not list the environments\./);
  });

  it("may be all: then the run fails, and the next one delivers everything", async () => {
    const { tenant, host } = await start();
    tenant.control.fault({ path: "details$", effect: { kind: "status", status: 500 } });
    const run = await host.poll();
    expect([run.status, run.value]).toEqual(["failed", null]);
    tenant.control.clearFaults();
    await host.poll();
    expect([host.stored.size, host.stored.repeated]).toEqual([E * PER_ENVIRONMENT, []]);
  });
});

describe("progress", () => {
  it("is made under a small budget, every stream in its turn", async () => {
    const { host } = await start({ dataset: { environments: 2, findingTypes: 3, findingsPerPair: 90 } });
    const turns: Set<string>[] = [];
    for (let run = 0; host.stored.size < 540 && run < 40; run++) {
      const { alerts, status, message } = await host.poll({ run: { maxAlerts: 4, maxEventsPerAlert: 10 } });
      expect(alerts.length).toBeLessThanOrEqual(4);
      if (host.stored.size < 540) {
        expect(status).toBe("partial");
        expect(message).toContain("The host accepts no more alerts in this run.");
      }
      turns.push(new Set(alerts.map((alert) => `${alert.environmentId} ${alert.findingType}`)));
    }
    expect([host.stored.size, host.stored.repeated]).toEqual([540, []]);
    expect(new Set(turns.slice(0, 3).flatMap((streams) => [...streams])).size).toBe(6);
  });

  it("is made under a small budget by a stream that answers more slowly than the others, too", async () => {
    const { tenant, host } = await start({ dataset: { environments: 1, findingTypes: 8, findingsPerPair: 200 } });
    const { environmentId, findingType } = firstStream(tenant);
    const slow = { path: `${environmentId}/details$`, query: { finding: findingType } };
    tenant.control.fault({ ...slow, effect: { kind: "slow", milliseconds: 300 } });
    const turns: string[] = [];
    for (let run = 0; run < 8; run++) {
      const { alerts } = await host.poll({ run: { maxAlerts: 2, maxEventsPerAlert: 10 } });
      turns.push(...alerts.map((alert) => alert.findingType));
    }
    // Twice as many alerts as there are streams: each had its turn.
    expect(turns).toContain(findingType);
    expect(new Set(turns).size).toBe(8);
  });

  it("is made by runs that are cut short by their deadline, however slow the service", async () => {
    const { host } = await start({
      latencyMs: 200,
      dataset: { environments: 8, findingTypes: 4, findingsPerPair: 5 },
    });
    for (let run = 0; host.stored.size < 160 && run < 60; run++) await host.poll({ deadlineMs: 2_500 });
    expect([host.stored.size, host.stored.repeated]).toEqual([160, []]);
    // As long as so many runs may take, on a machine that has other work.
  }, 150_000);

  it("is made through a rate limit in the middle of every run", async () => {
    const { tenant, host } = await start({ dataset: { environments: 2, findingTypes: 4, findingsPerPair: 20 } });
    for (let run = 0; host.stored.size < 160 && run < 20; run++) {
      tenant.control.clearFaults();
      tenant.control.fault({ path: "details$", from: 4, effect: { kind: "status", status: 429, body: "text" } });
      const { status, message } = await host.poll();
      if (host.stored.size < 160) {
        expect(["partial", "failed"]).toContain(status);
        expect(message).toContain("status 429");
      }
    }
    expect([host.stored.size, host.stored.repeated]).toEqual([160, []]);
  });
});
