import { expect, it } from "@jest/globals";
import fc from "fast-check";
import type { Fault, FaultEffect, Tenant } from "../../sandbox/tenant/index.ts";
import { movableClock } from "../support/fake-clock.ts";
import { TestHost } from "../support/host.ts";
import { servedFindings } from "../support/served-findings.ts";
import { firstStream, withTenant } from "../support/tenant.ts";

const MINUTE_MS = 60_000;
const html = "<!DOCTYPE html><html><body>Sign in</body></html>";
const status = fc.record({
  kind: fc.constant("status" as const),
  status: fc.constantFrom(400, 401, 403, 404, 408, 429, 500, 502, 503),
  body: fc.constantFrom("json" as const, "html" as const, "text" as const, "empty" as const),
});
const bodies = fc.constantFrom(html, "", "null", "[]", "{}", '{"data": 7}', '{"data": {}, "count": 3}', "{", '"text"');

/** What may happen to any answer. A list that ends early without an error looks the same as a short one. */
const anywhere: fc.Arbitrary<FaultEffect> = fc.oneof(
  { weight: 5, arbitrary: status },
  bodies.map((body) => ({ kind: "body" as const, transform: () => body })),
  fc.constantFrom<FaultEffect>(
    { kind: "truncate" },
    { kind: "html" },
    { kind: "redirect", location: "https://elsewhere.example/" },
    { kind: "drop", at: "before" },
    { kind: "drop", at: "mid-body" },
  ),
);
const onPages = fc.constantFrom<FaultEffect>({ kind: "null-data" }, { kind: "empty-page" });

const hits = { from: fc.integer({ min: 1, max: 8 }), times: fc.integer({ min: 1, max: 4 }) };
const fault: fc.Arbitrary<Fault> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      ...hits,
      path: fc.constantFrom("available-domains", "available-types", "details", "sparkline", "remediation", "."),
      effect: anywhere,
    }),
  },
  fc.record({ ...hits, path: fc.constant("details"), effect: onPages }),
);

const scenario = fc.record({
  dataset: fc.record({
    environments: fc.integer({ min: 1, max: 3 }),
    findingTypes: fc.integer({ min: 1, max: 3 }),
    findingsPerPair: fc.integer({ min: 1, max: 12 }),
  }),
  maxPageSize: fc.integer({ min: 2, max: 8 }),
  maxEventsPerAlert: fc.integer({ min: 1, max: 10 }),
  /** In odd rounds new findings are dated almost an hour back, or a finding is deleted. */
  oddity: fc.constantFrom("late", "deletion"),
  rounds: fc.array(
    fc.record({
      faults: fc.array(fault, { maxLength: 3 }),
      /** New findings of each finding type. */
      added: fc.integer({ min: 0, max: 4 }),
      odd: fc.boolean(),
      maxAlerts: fc.constantFrom(1, 3, 100),
      diesAfter: fc.constantFrom(0, 1, 2, 5, Infinity, Infinity, Infinity),
    }),
    { minLength: 1, maxLength: 5 },
  ),
});

type Scenario = typeof scenario extends fc.Arbitrary<infer T> ? T : never;

function live({ dataset, maxPageSize, maxEventsPerAlert, oddity, rounds }: Scenario): Promise<void> {
  const clock = movableClock();
  return withTenant({ dataset, maxPageSize, clock }, async (tenant) => {
    const host = new TestHost(tenant, { clock });
    for (const { faults, added, odd, maxAlerts, diesAfter } of rounds) {
      change(tenant, added, odd ? oddity : null);
      for (const one of faults) tenant.control.fault(one);
      const dies = diesAfter === Infinity ? {} : { alerts: diesAfter };
      const poll = await host.poll({ run: { maxAlerts, maxEventsPerAlert }, dies });
      if (poll.status === "completed") expect(host.stored.missing(tenant)).toBe(0);
      if (poll.status !== "died") expect(poll.message).not.toMatch(/^$|unexpectedly/);
      tenant.control.clearFaults();
    }
    // Descriptions that failed are requested again after a few minutes.
    clock.moveOn(6 * MINUTE_MS);
    await expectEverythingOnce(tenant, host);
  });
}

/** A clean run brings the rest; the host writes alert and state as one, so nothing ever comes again. */
async function expectEverythingOnce(tenant: Tenant, host: TestHost): Promise<void> {
  const { status, recognised } = await host.poll();
  const { stored } = host;
  expect([status, stored.missing(tenant), stored.repeated, recognised]).toEqual(["completed", 0, [], 0]);
}

function change(tenant: Tenant, added: number, oddity: "late" | "deletion" | null): void {
  const { environmentId, findingType } = firstStream(tenant);
  if (oddity === "deletion") {
    const second = servedFindings(tenant, environmentId, findingType)[1];
    if (second !== undefined) tenant.control.removeFinding(environmentId, findingType, second.id);
  }
  if (added === 0) return;
  const createdAt = new Date(Date.now() - (oddity === "late" ? 59 * MINUTE_MS : 0)).toISOString();
  tenant.control.analyse(environmentId, { findings: added, createdAt });
}

it("whatever fails, nothing is lost or repeated in the end, and no run is called completed that left something out", async () => {
  await fc.assert(fc.asyncProperty(scenario, live), { numRuns: 20, seed: 7, endOnFailure: false });
}, 240_000);

it("a reading that was interrupted finds what was added further up while as much was deleted there", async () => {
  const createdAt = (minutesAgo: number): string => new Date(Date.now() - minutesAgo * MINUTE_MS).toISOString();
  const dataset = { environments: 1, findingTypes: 1, findingsPerPair: 20, analysedAt: createdAt(60) };
  await withTenant({ dataset, maxPageSize: 4 }, async (tenant) => {
    const host = new TestHost(tenant);
    const { environmentId, findingType } = firstStream(tenant);
    const add = (...times: string[]) =>
      tenant.control.addFindings(
        environmentId,
        findingType,
        times.map((created_at) => ({ created_at })),
      );
    add(createdAt(10), createdAt(9));
    await host.poll({ run: { maxAlerts: 2, maxEventsPerAlert: 10 } });
    add(createdAt(62));
    tenant.control.removeFinding(environmentId, findingType, 3);
    await expectEverythingOnce(tenant, host);
  });
});
