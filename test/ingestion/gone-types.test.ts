import { describe, expect, it } from "@jest/globals";
import { Selection } from "../../src/ingestion/selection.ts";
import { HOUR_MS, MINUTE_MS } from "../../src/clock.ts";
import { DAY_HOURS } from "../../src/ingestion/time.ts";
import { host, made, S1, S2 } from "./support/fake-host.ts";

it("A finding type that is listed and not selected does not count as gone since it was last selected", async () => {
  const soar = host({
    environments: [S1],
    types: { "S-1": ["A", "B"] },
    findings: { "S-1 A": made(1, 1), "S-1 B": made(11, 2) },
  });
  const day = async (types: string[], selected: string[]): Promise<string[]> => {
    soar.tenant.types["S-1"] = types;
    const { ids } = await soar.poll({ selection: new Selection({ "Selected Finding Types": selected }) });
    soar.clock.advance(DAY_HOURS * HOUR_MS);
    return ids;
  };
  expect(await day(["A", "B"], ["All"])).toEqual(["1", "11", "12"]);
  await day(["A"], ["All"]);
  for (let listed = 0; listed < 7; listed++) await day(["A", "B"], ["A"]);
  await day(["A"], ["A"]);
  expect(await day(["A", "B"], ["All"])).toEqual([]);
});

describe("what comes back", () => {
  /** A host whose tenant offers type A no more in runs that lie so many hours apart, and then again. */
  async function backAfter(hours: readonly number[]) {
    const soar = host();
    const first = await soar.poll();
    const away = async (): Promise<void> => {
      soar.tenant.types["S-1"] = ["B"];
      soar.tenant.findings["S-1 A"] = [];
      await soar.poll();
      for (const [index, each] of hours.entries()) {
        soar.clock.advance(each * HOUR_MS);
        if (index < hours.length - 1) await soar.poll();
      }
      soar.tenant.types["S-1"] = ["A", "B"];
    };
    return { soar, first, away };
  }

  it.each([
    ["26 hours, in which one run missed it", [26], ["4"]],
    ["more than two days, in which only the first run missed it", [49], ["4"]],
    ["runs that missed it for two days", [49, 1], ["1", "2", "3", "4"]],
    ["runs that missed it for more than a week", [24, 24, 24, 24, 24, 24, 24, 24], ["1", "2", "3", "4"]],
  ])("with its finding type after %s is repeated only if that was for two days", async (_, hours, ids) => {
    const { soar, first, away } = await backAfter(hours);
    await away();
    soar.tenant.findings["S-1 A"] = [...made(1, 3), { id: 4 }];
    expect((await soar.poll()).ids).toEqual(ids);
    // A host that knows alerts by their ids takes them for new ones.
    await away();
    soar.tenant.findings["S-1 A"] = made(1, 3);
    const again = await soar.poll();
    const known = new Set(first.alerts.map(({ id }) => id));
    expect(again.alerts.some(({ id }) => known.has(id))).toBe(false);
  });

  it.each([
    ["finding type", 4, "the service's clock is ahead", { aheadMs: 50 * MINUTE_MS, hours: -1 / 12 }],
    ["finding type", 9, "findings are dated in the future", { aheadMs: 0, hours: 20 }],
    ["environment", 9, "the service's clock is ahead", { aheadMs: 50 * MINUTE_MS, hours: -1 / 12 }],
    ["environment", 9, "findings are dated in the future", { aheadMs: 0, hours: 20 }],
  ])("with its %s after %d days makes alerts with other ids also where %s", async (kind, days, _, dated) => {
    const { aheadMs, hours } = dated;
    const soar = host({ findings: {} });
    soar.clock.advance(20 * MINUTE_MS);
    const findings = [{ id: 1, created_at: new Date(soar.clock.now() + aheadMs + hours * HOUR_MS).toISOString() }];
    const poll = (): ReturnType<typeof soar.poll> => {
      soar.tenant.time = soar.clock.now() + aheadMs;
      return soar.poll();
    };
    const offer = (isThere: boolean): void => {
      if (kind === "environment") soar.tenant.environments = isThere ? [S1, S2] : [S1];
      else soar.tenant.types["S-2"] = isThere ? ["A", "B"] : ["B"];
      soar.tenant.findings["S-2 A"] = isThere ? findings : [];
    };
    offer(true);
    const first = await poll();
    soar.clock.advance(5 * MINUTE_MS);
    offer(false);
    for (let day = 0; day < days; day++) {
      await poll();
      soar.clock.advance(DAY_HOURS * HOUR_MS);
    }
    offer(true);
    const again = await poll();
    expect([first.ids, again.ids]).toEqual([["1"], ["1"]]);
    expect(again.alerts[0]?.id).not.toBe(first.alerts[0]?.id);
    expect(again.result.summary.memory).toEqual([{ kind: "returned", findings: 1 }]);
  });

  it("with its environment after more than a week makes alerts with other ids, and the run says so", async () => {
    const soar = host();
    const first = await soar.poll();
    soar.tenant.environments = [S1];
    await soar.poll();
    soar.clock.advance(8 * 24 * HOUR_MS);
    await soar.poll();
    soar.tenant.environments = [S1, S2];
    const again = await soar.poll();
    const known = new Set(first.alerts.map(({ id }) => id));
    expect(again.alerts.length).toBeGreaterThan(0);
    expect(again.alerts.some(({ id }) => known.has(id))).toBe(false);
    expect(again.result.summary.memory).toEqual([{ kind: "returned", findings: again.ids.length }]);
  });
});
