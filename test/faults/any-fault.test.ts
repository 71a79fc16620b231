import { expect, it } from "@jest/globals";
import fc from "fast-check";
import { startTenant, type Fault, type FaultEffect, type Tenant } from "../../sandbox/tenant/index.ts";
import { ServiceError } from "../../src/service/errors.ts";
import { PollingHost } from "../support/polling-host.ts";
import { missingIn } from "./host.ts";

const MINUTE_MS = 60_000;
const html = "<!DOCTYPE html><html><body>Sign in</body></html>";
const status = fc.record({
  kind: fc.constant("status" as const),
  status: fc.constantFrom(400, 401, 403, 404, 408, 429, 500, 502, 503),
  body: fc.constantFrom("json" as const, "html" as const, "text" as const, "empty" as const),
});
const bodies = fc.constantFrom(html, "", "null", "[]", "{}", '{"data": 7}', '{"data": {}, "count": 3}', "{", '"text"');

/** What may happen to any answer. A list that ends early without a word cannot be told from a short one. */
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

async function live({ dataset, maxPageSize, maxEventsPerAlert, oddity, rounds }: Scenario): Promise<void> {
  const tenant = await startTenant({ dataset, maxPageSize });
  try {
    const host = new PollingHost(tenant);
    for (const { faults, added, odd, maxAlerts, diesAfter } of rounds) {
      change(tenant, added, odd ? oddity : null);
      for (const one of faults) tenant.control.fault(one);
      const outcome = await host
        .poll({ run: { maxAlerts, maxEventsPerAlert }, diesAfter })
        .then((poll) => poll.outcome)
        .catch((error: unknown) => {
          // What even the environments cannot be read with is the run's failure, in words for people.
          expect(error).toBeInstanceOf(ServiceError);
          return null;
        });
      if (outcome?.status === "completed") expect(missingIn(host.findings, tenant)).toBe(0);
      expect(outcome?.message).not.toBe("");
      tenant.control.clearFaults();
    }
    const last = await host.poll();
    expect([last.outcome?.status, missingIn(host.findings, tenant), host.repeated]).toEqual(["completed", 0, []]);
  } finally {
    await tenant.close();
  }
}

function change({ control, data }: Tenant, added: number, oddity: "late" | "deletion" | null): void {
  const [environment] = data.environments;
  const [findingType] = data.findingTypes(environment?.id ?? "");
  if (environment === undefined || findingType === undefined) return;
  if (oddity === "deletion") {
    const query = { filters: [], sort: [], unsorted: "id" as const, skip: 1, limit: 1 };
    const second = data.findings(environment.id, findingType)?.query(query).findings[0];
    if (second !== undefined) control.removeFinding(environment.id, findingType, second.id);
  }
  if (added === 0) return;
  const createdAt = new Date(Date.now() - (oddity === "late" ? 59 * MINUTE_MS : 0)).toISOString();
  control.analyse(environment.id, { findings: added, createdAt });
}

it("whatever fails, nothing is lost or repeated in the end, and no run is called completed that left something out", async () => {
  await fc.assert(fc.asyncProperty(scenario, live), { numRuns: 60, seed: 7, endOnFailure: false });
}, 240_000);

it("a reading that was interrupted finds what was added further up while as much was deleted there", async () => {
  const createdAt = (minutesAgo: number): string => new Date(Date.now() - minutesAgo * MINUTE_MS).toISOString();
  const dataset = { environments: 1, findingTypes: 1, findingsPerPair: 20, analysedAt: createdAt(60) };
  const tenant = await startTenant({ dataset, maxPageSize: 4 });
  try {
    const host = new PollingHost(tenant);
    const id = tenant.data.environments[0]?.id ?? "";
    const type = tenant.data.findingTypes(id)[0] ?? "";
    tenant.control.addFindings(id, type, [{ created_at: createdAt(10) }, { created_at: createdAt(9) }]);
    await host.poll({ run: { maxAlerts: 2, maxEventsPerAlert: 10 } });
    tenant.control.addFindings(id, type, [{ created_at: createdAt(62) }]);
    tenant.control.removeFinding(id, type, 3);
    const { outcome } = await host.poll();
    expect([outcome?.status, missingIn(host.findings, tenant), host.repeated]).toEqual(["completed", 0, []]);
  } finally {
    await tenant.close();
  }
});
