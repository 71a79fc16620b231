import { describe, expect, it } from "@jest/globals";
import { movableClock } from "../support/fake-clock.ts";
import { TestHost } from "../support/host.ts";
import { firstStream, startTenant } from "../support/tenant.ts";

const HOUR = 3_600_000;

/** A tenant with one stream of these findings, whose service reports its analyses. */
async function start(findings: Record<string, unknown>[]) {
  const clock = movableClock();
  const dataset = { environments: 1, findingTypes: 1, findingsPerPair: 0, analysedAt: "2026-01-01T00:00:00Z" };
  const tenant = await startTenant({ dataset, clock, analysisStatus: true });
  const { environmentId, findingType } = firstStream(tenant);
  const analyse = (more: Record<string, unknown>[]) =>
    tenant.control.analyse(environmentId, { findings: { [findingType]: more } });
  analyse(findings);
  return { tenant, clock, analyse, host: new TestHost(tenant, { clock }) };
}

const hoursAgo = (hours: number): string => new Date(movableClock().now() - hours * HOUR).toISOString();

describe("Lowest Severity To Fetch", () => {
  const words = ["low", "moderate", "high", "critical", "odd"];
  const fields = { "Lowest Severity To Fetch": "high" };

  it("leaves out what is lower, says so, and delivers it once the field is empty", async () => {
    const { host } = await start(words.map((Severity) => ({ Severity, ExposurePercentage: 0, ImpactPercentage: 0 })));
    const first = await host.poll({ fields });
    expect(first.message).toBe(
      "Delivered 3 new findings in 1 alert from 1 environment. 2 findings were left out by Lowest Severity To Fetch.",
    );
    expect(first.json["leftOut"]).toEqual({ "Lowest Severity To Fetch": 2 });
    expect(first.events.map(({ severity }) => severity).sort()).toEqual(["critical", "high", "unknown"]);
    expect((await host.poll({ fields })).delivered).toBe(0);
    expect((await host.poll({ fields })).json).toMatchObject({ environmentsSkipped: 1, leftOut: {} });
    const without = await host.poll();
    expect(without.events.map(({ severity }) => severity).sort()).toEqual(["low", "moderate"]);
    expect(without.recognised).toBe(0);
    expect((await host.poll()).delivered).toBe(0);
  });

  it("delivers what has a severity of another name, and judges by figures only where the service gives none", async () => {
    const { host } = await start(
      ["very high", "Severe", ""].map((Severity) => ({ Severity, ExposurePercentage: 0.1 })),
    );
    const { events, json } = await host.poll({ fields });
    expect([events.length, json["leftOut"]]).toEqual([2, { "Lowest Severity To Fetch": 1 }]);
  });

  it("delivers a finding whose severity rises later, however old it is", async () => {
    const { tenant, clock, host, analyse } = await start([{ Severity: "low", created_at: hoursAgo(500) }]);
    expect((await host.poll({ fields })).delivered).toBe(0);
    const { environmentId, findingType } = firstStream(tenant);
    tenant.data.findings(environmentId, findingType)!.update((record) => ({ ...record, Severity: "critical" }));
    analyse([]);
    clock.moveOn(25 * HOUR);
    expect((await host.poll({ fields })).events).toMatchObject([{ severity: "critical" }]);
  });

  it("refuses a word that is no severity, and names those that are", async () => {
    const { host } = await start([]);
    const { status, message } = await host.poll({ fields: { "Lowest Severity To Fetch": "severe" } });
    expect([status, message]).toEqual([
      "failed",
      'Parameter "Lowest Severity To Fetch" must be one of Low, Medium, High, Critical, or empty.',
    ]);
  });
});

describe("Max Hours Backwards", () => {
  const fields = { "Max Hours Backwards": "48" };

  it("counts from the first run, so that nothing later is left out and nothing older comes again", async () => {
    const { clock, host, analyse } = await start([
      { created_at: hoursAgo(47) },
      { created_at: hoursAgo(49) },
      { created_at: hoursAgo(900) },
      { created_at: "0001-01-01T00:00:00Z" },
    ]);
    const first = await host.poll({ fields });
    expect(first.message).toBe(
      "Delivered 2 new findings in 1 alert from 1 environment. 2 findings were left out by Max Hours Backwards.",
    );
    clock.moveOn(100 * HOUR);
    // An outage of four days: these are older than the field says, and newer than the first run.
    analyse([{ created_at: hoursAgo(-2) }, { created_at: hoursAgo(47.5) }]);
    expect((await host.poll({ fields })).delivered).toBe(2);
    expect((await host.poll()).delivered).toBe(2);
    expect((await host.poll()).delivered).toBe(0);
  });
});

it("A test run shows a finding that the connector would deliver", async () => {
  const { host } = await start([{ Severity: "low" }, { Severity: "critical" }]);
  const { events } = await host.poll({ fields: { "Lowest Severity To Fetch": "Medium" }, run: { test: true } });
  expect(events).toMatchObject([{ severity: "critical" }]);
});
