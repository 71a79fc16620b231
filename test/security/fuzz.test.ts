import { afterEach, beforeAll, describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import type { Tenant } from "../../sandbox/tenant/index.ts";
import { manifest } from "../../src/generated/manifest.ts";
import type { ActionName } from "../../src/manifest/types.ts";
import type { JsonObject } from "../../src/runtime/protocol.ts";
import { movableClock } from "../support/fake-clock.ts";
import { TestHost } from "../support/host.ts";
import { builtPackage } from "../support/package.ts";
import { exampleParameters } from "../support/requests.ts";
import { startTenant, withTenant } from "../support/tenant.ts";
import { mutations, type Mutation } from "./mutations.ts";

const dataset = { environments: 2, findingTypes: 2, findingsPerPair: 6 };
const SEED = 20;
const RUNS = 20;
const HOUR_MS = 3_600_000;

interface Attack {
  path: string;
  /** First answer that is changed, and how many are. */
  from: number;
  times: number;
  mutate: Mutation;
}

function attacks(...paths: string[]): fc.Arbitrary<Attack> {
  const path = fc.constantFrom(...paths);
  return fc.record({
    path,
    from: fc.integer({ min: 1, max: 3 }),
    times: fc.integer({ min: 1, max: 6 }),
    mutate: mutations,
  });
}

function begin({ control }: Tenant, { path, from, times, mutate }: Attack): void {
  control.fault({ path, from, times, effect: { kind: "body", transform: mutate } });
}

const ofConnector = attacks("available-domains", "available-types", "details", "sparkline", "title", "remediation");

describe("a connector that gets answers which nobody should send", () => {
  it("delivers flat records or says what it could not read, and gets the rest once the answers are right", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(ofConnector, { minLength: 1, maxLength: 2 }), (changes) => {
        const clock = movableClock();
        return withTenant({ dataset, maxPageSize: 4, clock }, async (tenant) => {
          const host = new TestHost(tenant, { clock });
          for (const change of changes) begin(tenant, change);
          const { message, events } = await host.poll();
          expect(message).not.toMatch(/^$|unexpectedly/);
          const types = new Set(events.flatMap((event) => Object.values(event)).map((value: unknown) => typeof value));
          expect(["string", "number", "boolean"]).toEqual(expect.arrayContaining([...types]));
          tenant.control.clearFaults();
          // An id that was changed into another one can pass for a known finding until the next full read.
          clock.moveOn(HOUR_MS);
          const clean = await host.poll();
          expect([clean.status, host.stored.missing(tenant)]).toEqual(["completed", 0]);
        });
      }),
      { numRuns: RUNS, seed: SEED },
    );
  }, 120_000);

  it("does so as a process too", async () => {
    const { plugin } = await builtPackage();
    for (const change of fc.sample(ofConnector, { numRuns: 2, seed: SEED })) {
      await withTenant({ dataset, maxPageSize: 4 }, async (tenant) => {
        const host = new TestHost(tenant, { plugin });
        begin(tenant, change);
        expect((await host.poll()).message).not.toMatch(/^$|unexpectedly/);
        tenant.control.clearFaults();
        const clean = await host.poll();
        expect([clean.status, host.stored.missing(tenant)]).toEqual(["completed", 0]);
      });
    }
  }, 120_000);
});

describe("an action that gets answers which nobody should send", () => {
  let tenant: Tenant;
  let host: TestHost;
  beforeAll(async () => {
    tenant = await startTenant();
    host = new TestHost(tenant);
  });
  afterEach(() => {
    tenant.control.clearFaults();
  });

  /** Where the action asks on these parameters: each kind of route, and any of them. */
  async function pathsOf(name: ActionName, parameters: JsonObject): Promise<string[]> {
    const before = tenant.requests.length;
    expect((await host.act({ name, parameters })).result.status).toBe("completed");
    const kinds = tenant.requests.slice(before).map(({ path }) => path.replace("/api/v2/", "").split("/")[0] ?? "");
    return [...new Set(kinds), "."];
  }

  it.each(manifest.actions.map(({ name }) => name))(
    "%s ends in one result that fits its schema and says something",
    async (name) => {
      const parameters = exampleParameters(name);
      const paths = await pathsOf(name, parameters);
      await fc.assert(
        fc.asyncProperty(attacks(...paths), async (change) => {
          tenant.control.clearFaults();
          begin(tenant, change);
          const { code, result, stderr } = await host.act({ name, parameters });
          expect([code, stderr, result.type]).toEqual([0, "", "result"]);
          expect(["completed", "failed"]).toContain(result.status);
          expect(result.message).not.toMatch(/^$|unexpectedly/);
        }),
        { numRuns: RUNS, seed: SEED },
      );
    },
  );
});
