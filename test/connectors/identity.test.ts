import { describe, expect, it } from "@jest/globals";
import { movableClock } from "../support/fake-clock.ts";
import { TestHost } from "../support/host.ts";
import { firstStream, startTenant } from "../support/tenant.ts";

const DAY = 24 * 3_600_000;

async function start() {
  const clock = movableClock();
  const dataset = { environments: 1, findingTypes: 1, findingsPerPair: 12, analysedAt: "2026-01-01T00:00:00Z" };
  const tenant = await startTenant({ dataset, clock });
  const host = new TestHost(tenant, { clock });
  const { environmentId, findingType } = firstStream(tenant);
  const table = tenant.data.findings(environmentId, findingType);
  if (table === undefined) throw new Error("There is no such stream.");
  const first = await host.poll();
  const nextDay = () => {
    clock.moveOn(DAY + 60_000);
    return host.poll();
  };
  return { tenant, environmentId, findingType, table, clock, nextDay, first };
}

describe("an analysis", () => {
  it("that dates findings anew repeats none of them, however long ago they were delivered", async () => {
    const { tenant, environmentId, findingType, table, clock, nextDay } = await start();
    for (let day = 0; day < 4; day++) {
      tenant.control.addFindings(environmentId, findingType, 1);
      expect((await nextDay()).events).toHaveLength(1);
    }
    table.update((finding) => ({ ...finding, created_at: new Date(clock.now()).toISOString() }));
    expect((await nextDay()).message).toBe("Nothing new in 1 environment.");
  });

  it("that gives ids to other findings hides none of them, and the result says so", async () => {
    const { table, nextDay, first } = await start();
    const targets = first.events.map((event) => event["target_object_id"]);
    table.update((finding) =>
      "ToPrincipal" in finding ? { ...finding, ToPrincipal: `${finding.ToPrincipal}9` } : finding,
    );
    const { events, message, recognised } = await nextDay();
    expect([events.length, recognised]).toEqual([12, 0]);
    expect(message).toBe(
      "The service may have given known ids to other findings in 1 stream. They were delivered, and some findings may be repeated. Delivered 12 new findings in 1 alert from 1 environment.",
    );
    expect(events.map((event) => event["target_object_id"])).toEqual(targets.map((target) => `${String(target)}9`));
    expect((await nextDay()).message).toBe("Nothing new in 1 environment.");
  });

  it("that gives ids to and fro delivers each change in an alert that no host takes for a known one", async () => {
    const { table, nextDay } = await start();
    for (const suffix of ["9", "", "9", ""]) {
      table.update((finding) =>
        "ToPrincipal" in finding ? { ...finding, ToPrincipal: finding.ToPrincipal.replace(/9?$/, suffix) } : finding,
      );
      const { events, recognised } = await nextDay();
      expect([events.length, recognised]).toEqual([12, 0]);
    }
  });

  it("that brings back an old finding with its old date delivers it in an alert that no host takes for a known one", async () => {
    const { tenant, environmentId, findingType, table, nextDay, first } = await start();
    const id = Number(first.events[3]?.["finding_id"]);
    tenant.control.deleteFinding(environmentId, findingType, id);
    expect((await nextDay()).events).toEqual([]);
    table.change(id, { deleted_at: { time: "0001-01-01T00:00:00Z", valid: false } });
    const { events, message, recognised } = await nextDay();
    expect([events.map((event) => event["finding_id"]), recognised]).toEqual([[String(id)], 0]);
    expect(message).toBe(
      "1 finding returned, became visible late or got the id of another one, and may have been delivered before. Delivered 1 new finding in 1 alert from 1 environment.",
    );
  });

  it("whose finding becomes visible days later than its date delivers it with the daily read", async () => {
    const { tenant, environmentId, findingType, nextDay } = await start();
    tenant.control.addFindings(environmentId, findingType, [{ created_at: "2025-06-01T00:00:00Z" }]);
    expect((await nextDay()).events).toHaveLength(1);
  });
});
