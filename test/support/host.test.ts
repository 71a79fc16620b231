import { beforeEach, describe, expect, it } from "@jest/globals";
import type { Tenant } from "../../sandbox/tenant/index.ts";
import { TestHost, type Death, type StateIsWritten } from "./host.ts";
import { firstStream, startTenant } from "./tenant.ts";

/** Twelve findings of one stream, four to an alert. */
const run = { maxEventsPerAlert: 4 };
let tenant: Tenant;

beforeEach(async () => {
  tenant = await startTenant({ dataset: { environments: 1, findingTypes: 1, findingsPerPair: 12 } });
});

/** A run that dies, then one that lives. */
async function afterDeath(writesState: StateIsWritten, dies: Death) {
  const host = new TestHost(tenant, { writesState });
  const died = await host.poll({ run, dies });
  const state = host.state;
  const held = host.stored.size;
  const lived = await host.poll({ run });
  const { delivered, recognised, status } = lived;
  return { died: died.status, held, state, status, delivered, recognised, missing: host.stored.missing(tenant) };
}

describe("the host that tests drive", () => {
  it("keeps what a run delivers, and hands its state to the next one", async () => {
    const host = new TestHost(tenant);
    const poll = await host.poll({ run });
    expect(poll).toMatchObject({ status: "completed", delivered: 12, recognised: 0 });
    expect([poll.alerts.length, poll.events.length, host.stored.size]).toEqual([3, 12, 12]);
    expect(host.stored.missing(tenant)).toBe(0);
    expect(await host.poll()).toMatchObject({ status: "completed", delivered: 0, alerts: [] });
  });

  it("misses what the tenant serves and it does not hold, but no deleted finding", () => {
    const host = new TestHost(tenant);
    expect(host.stored.missing(tenant)).toBe(12);
    const { environmentId, findingType } = firstStream(tenant);
    tenant.control.deleteFinding(environmentId, findingType, 1);
    expect(host.stored.missing(tenant)).toBe(11);
  });

  it("recognises alerts when its state is lost", async () => {
    const host = new TestHost(tenant);
    await host.poll({ run });
    host.state = null;
    expect(await host.poll({ run })).toMatchObject({ delivered: 0, recognised: 12 });
    expect(host.stored.repeated).toEqual([]);
  });

  it.each([
    ["before the first alert", { alerts: 0 }, 0],
    ["after an alert", { alerts: 1 }, 4],
    ["between an alert and its state, which are written as one", { alerts: 2, between: true }, 8],
    ["at its first byte", { bytes: 1 }, 0],
    ["at once", { ms: 0 }, 0],
  ] as const)("dies %s and goes on there", async (_, dies, held) => {
    expect(await afterDeath("with the alert", dies)).toMatchObject({
      died: "died",
      held,
      status: "completed",
      delivered: 12 - held,
      recognised: 0,
      missing: 0,
    });
  });

  it.each([
    ["after the alert", { held: 8, delivered: 4, recognised: 4, missing: 0 }],
    ["before the alert", { held: 4, delivered: 4, recognised: 0, missing: 4 }],
    ["at the end", { held: 8, state: null, delivered: 4, recognised: 8, missing: 0 }],
    ["never", { held: 8, state: null, delivered: 4, recognised: 8, missing: 0 }],
  ] as const)("can write its state %s, and die in between", async (writesState, expected) => {
    expect(await afterDeath(writesState, { alerts: 2, between: true })).toMatchObject(expected);
  });

  it("says so when a plugin crashes", async () => {
    const host = new TestHost(tenant, { plugin: "/no/such/plugin.mjs" });
    await expect(host.poll()).rejects.toThrow(/The plugin crashed with exit code 1: .*Cannot find module/s);
  });

  it("runs actions with its credentials", async () => {
    const { result, logs } = await new TestHost(tenant).act({ name: "Ping" });
    expect([result.status, result.value, logs]).toEqual(["completed", true, []]);
  });
});
