import { describe, expect, it } from "@jest/globals";
import { Selection } from "../../src/ingestion/selection.ts";
import { HOUR_MS, MINUTE_MS } from "../../src/clock.ts";
import { ForbiddenError, RateLimitedError, ServerError } from "../../src/service/errors/errors.ts";
import { instant } from "../support/streams.ts";
import { host, made, S1 } from "./support/fake-host.ts";
import type { FakeTenant } from "./support/fake-service.ts";

const P1 = instant(-1);
const server = new ServerError("down", { whoActs: "service" });
const forbidden = new ForbiddenError("no", { whoActs: "administrator" });

describe("evidence", () => {
  const idle = (completedAt: string): FakeTenant["analysis"] => ({ completedAt, idle: true });

  it("is asked for only once it can lead to a skip", async () => {
    const soar = host({ analysis: idle("T1") });
    expect((await soar.poll()).asked).not.toContain("analysis");
    expect((await soar.poll()).asked).toContain("analysis");
    expect((await soar.poll()).asked.sort()).toEqual(["analysis", "environments"]);
  });

  it("that cannot be compared with the last run's is enough to probe when it is older than that run, else streams are read", async () => {
    const asked = async (completed: number, tellsTime = true): Promise<string[]> => {
      const soar = host({ environments: [S1], types: { "S-1": ["A"] }, analysis: idle(instant(completed)) });
      if (!tellsTime) soar.tenant.time = null;
      await soar.poll();
      soar.clock.advance(10 * MINUTE_MS);
      return (await soar.poll()).asked.filter((question) => question.endsWith("S-1 A"));
    };
    expect(await asked(-1)).toEqual(["newest S-1 A"]);
    expect(await asked(0.1)).toEqual(["pages S-1 A"]);
    // Its clock may be far behind.
    expect(await asked(-1, false)).toEqual(["pages S-1 A"]);
  });

  it("that is refused in a way that would end a run elsewhere holds no finding back", async () => {
    const soar = host({ analysis: idle("T1") });
    await soar.quiet();
    soar.tenant.analysis = new RateLimitedError("wait", { whoActs: "service" });
    soar.tenant.findings["S-1 A"] = made(1, 4);
    expect((await soar.poll()).ids).toEqual(["4"]);
  });

  it("that shows no new analysis is enough for every environment", async () => {
    const soar = host({ analysis: idle("T1") });
    await soar.quiet();
    const { result } = await soar.poll();
    expect(result.summary.environments.map(({ outcome }) => outcome)).toEqual(["unchanged", "unchanged"]);
    soar.tenant.findings["S-1 A"] = made(1, 4);
    soar.tenant.analysis = idle("T2");
    expect((await soar.poll()).ids).toEqual(["4"]);
  });

  it("of the sparkline is asked for when the tenant does not tell its analysis, which is remembered for a day", async () => {
    const soar = host({ trend: P1 });
    await soar.quiet();
    expect((await soar.poll()).asked.sort()).toEqual(["environments", "sparkline S-1", "sparkline S-2"]);
    soar.clock.advance(25 * HOUR_MS);
    expect((await soar.poll()).asked).toContain("analysis");
    expect((await soar.poll()).asked).not.toContain("analysis");
  });

  it("of the sparkline is not asked for when the service does not tell its time, which may date an analysis long ago", async () => {
    const soar = host({ trend: P1, time: null });
    await soar.quiet();
    const { asked } = await soar.poll();
    expect(asked.filter((question) => question.startsWith("sparkline"))).toEqual([]);
    expect(asked).toContain("newest S-1 A");
  });

  it("is not believed while an analysis runs, nor is the sparkline asked for then", async () => {
    const soar = host({ analysis: idle("T1"), trend: P1 });
    await soar.quiet();
    soar.tenant.analysis = { completedAt: "T1", idle: false };
    soar.tenant.findings["S-1 A"] = made(1, 4);
    const { ids, asked } = await soar.poll();
    expect(ids).toEqual(["4"]);
    expect(asked.filter((question) => /^(?:sparkline|newest)/.test(question))).toEqual([]);
  });

  it.each<[string, FakeTenant["analysis"], FakeTenant["trend"]]>([
    ["fails", server, forbidden],
    ["is late", { afterMs: 60_000, then: null }, { afterMs: 60_000, then: P1 }],
    ["is empty", null, ""],
  ])("that %s is no reason to miss anything, nor to wait long", async (_, analysis, trend) => {
    const soar = host({ analysis: idle("T1"), trend: P1 });
    await soar.quiet();
    Object.assign(soar.tenant, { analysis, trend });
    soar.tenant.findings["S-1 A"] = made(1, 4);
    const { ids, result, tookMs } = await soar.poll();
    expect([ids, result.summary.ended]).toEqual([["4"], null]);
    expect(tookMs).toBeLessThan(45_000);
  });

  it("of a sparkline without dates says nothing, however often it is the same", async () => {
    const soar = host({ trend: "no date" });
    await soar.quiet();
    soar.tenant.findings["S-1 A"] = made(1, 4);
    expect((await soar.poll()).ids).toEqual(["4"]);
  });

  it("of a sparkline is not used while the time of the analysis is unknown: it shows the one before", async () => {
    const soar = host({ analysis: idle("T1"), trend: P1 });
    await soar.quiet();
    soar.tenant.analysis = server;
    await soar.quiet();
    soar.tenant.findings["S-1 A"] = made(1, 4);
    expect((await soar.poll()).ids).toEqual(["4"]);
  });

  it("of a sparkline that fails once is asked for again after a few minutes", async () => {
    const soar = host({ trend: P1 });
    await soar.quiet();
    soar.tenant.trend = server;
    expect((await soar.poll()).asked).toContain("newest S-1 A");
    soar.tenant.trend = P1;
    soar.clock.advance(5 * MINUTE_MS);
    for (let run = 0; run < 2; run++) await soar.poll();
    expect((await soar.poll()).asked.sort()).toEqual(["environments", "sparkline S-1", "sparkline S-2"]);
  });

  it("of a sparkline that is late is not waited for", async () => {
    const soar = host({ trend: P1 });
    await soar.quiet();
    soar.tenant.trend = { afterMs: HOUR_MS, then: P1 };
    soar.tenant.findings["S-1 A"] = made(1, 4);
    const { ids, tookMs } = await soar.poll();
    expect(ids).toEqual(["4"]);
    expect(tookMs).toBeLessThan(45_000);
  });

  it("of a probe that is late is not waited for: the stream is read", async () => {
    const soar = host();
    await soar.quiet();
    soar.tenant.findings["S-1 A"] = made(1, 4);
    soar.tenant.newest = { afterMs: HOUR_MS, then: [] };
    const { ids, tookMs } = await soar.poll();
    expect(ids).toEqual(["4"]);
    expect(tookMs).toBeLessThan(45_000);
  });

  it("does not hide finding types that were not selected when it was gathered", async () => {
    const soar = host({ analysis: idle("T1") });
    const selection = new Selection({ "Selected Finding Types": ["A"] });
    for (let run = 0; run < 3; run++) await soar.poll({ selection });
    expect((await soar.poll()).ids).toEqual(["11", "12", "13", "31", "32", "33"]);
  });

  it("is none for an environment that failed: it is read in the next run", async () => {
    const soar = host({ analysis: idle("T1") });
    await soar.quiet();
    soar.tenant.analysis = idle("T2");
    soar.tenant.findings["S-1 A"] = server;
    await soar.poll();
    soar.tenant.findings["S-1 A"] = made(1, 4);
    const { ids, asked } = await soar.poll();
    expect(ids).toEqual(["4"]);
    expect(asked).not.toContain("pages S-2 A");
  });

  it("does not hide a finding without a usable time for more than a day", async () => {
    const soar = host({ analysis: idle("T1") });
    await soar.quiet();
    soar.tenant.findings["S-1 A"] = [{ id: 77 }, ...made(1, 3)];
    expect((await soar.poll()).ids).toEqual([]);
    soar.clock.advance(24 * HOUR_MS);
    expect((await soar.poll()).ids).toEqual(["77"]);
  });

  it("does not search once more for findings without a usable time in what was read, where a run left only the rest", async () => {
    const soar = host({ environments: [S1] });
    await soar.poll();
    soar.clock.advance(24 * HOUR_MS);
    soar.tenant.findings["S-1 A"] = server;
    soar.tenant.findings["S-1 B"] = [{ id: 77 }, ...made(11, 3)];
    expect((await soar.poll()).ids).toEqual(["77"]);
    soar.tenant.findings["S-1 A"] = [{ id: 78 }, ...made(1, 3)];
    const { ids, asked } = await soar.poll();
    expect(ids).toEqual(["78"]);
    expect(asked).not.toContain("newest S-1 B");
  });
});
