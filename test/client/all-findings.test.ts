import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import type { Tenant } from "../../sandbox/tenant/index.ts";
import { AttackPathClient, type ClientFinding, IncompleteError, RateLimitedError } from "../../src/client/index.ts";
import { askHere } from "../support/command-line.ts";
import { firstStream, startTenant } from "../support/tenant.ts";

let tenant: Tenant;
let client: AttackPathClient;

beforeEach(async () => {
  tenant = await startTenant({ dataset: { environments: 2, findingTypes: 2, findingsPerPair: 12 }, maxPageSize: 10 });
  client = new AttackPathClient({
    server: tenant.url,
    credentials: { tokenId: tenant.tokenId, tokenKey: tenant.tokenKey },
    requestsPerSecond: 10_000,
  });
});
afterEach(() => {
  client.close();
});

async function collect<T>(list: AsyncIterable<T>): Promise<{ records: T[]; error: unknown }> {
  const records: T[] = [];
  try {
    for await (const record of list) records.push(record);
  } catch (error) {
    return { records, error };
  }
  return { records, error: null };
}

const idOf = ({ environment_id, finding_type, finding_id }: ClientFinding): string =>
  [environment_id, finding_type, finding_id].join(" ");

async function commandLine(...args: string[]): Promise<unknown[]> {
  const { out } = await askHere(tenant, [...args, "--json"]);
  return out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as unknown);
}

const lists = {
  findings: { listed: () => client.allFindings(), command: ["findings"] },
  environments: { listed: () => client.environments(), command: ["environments"] },
};

describe("the records of the library", () => {
  it.each(Object.entries(lists))("have the fields and scales that the command line writes: %s", async (_, each) => {
    const { records, error } = await collect<object>(each.listed());
    const shown = records.map((record) =>
      Object.fromEntries(Object.entries(record).filter(([key]) => key !== "record" && key !== "deleted_at")),
    );
    expect(error).toBeNull();
    expect(shown.length).toBeGreaterThan(1);
    expect(shown).toEqual(await commandLine(...each.command));
  });

  it("have them for a trend, too", async () => {
    const { environmentId, findingType } = firstStream(tenant);
    const { records } = await collect(client.trend({ environmentId, findingType }));
    const shown = records.map(({ record: _, ...point }) => point);
    expect(shown).toEqual(await commandLine("trend", environmentId, findingType));
  });

  it("give percentages from 0 to 100, and the service's own record beside them", async () => {
    const { records } = await collect(client.findings(firstStream(tenant)));
    for (const { impact_percentage: impact, record } of records) {
      expect(impact).toBeCloseTo((record.ImpactPercentage ?? NaN) * 100, 3);
    }
    expect(Math.max(...records.map(({ impact_percentage: impact }) => impact ?? 0))).toBeGreaterThan(1);
  });
});

describe("all findings of a tenant", () => {
  it("are those of every type in every environment, each once", async () => {
    const expected: string[] = [];
    for await (const { id } of client.environments()) {
      for await (const findingType of client.findingTypes(id)) {
        expected.push(...(await collect(client.findings({ environmentId: id, findingType }))).records.map(idOf));
      }
    }
    const { records, error } = await collect(client.allFindings());
    expect(error).toBeNull();
    expect(records.map(idOf)).toEqual(expected);
    expect(new Set(expected).size).toBe(48);
  });

  it("come without those of lists that cannot be read, which an error at the end names", async () => {
    const { environmentId, findingType } = firstStream(tenant);
    tenant.control.fault({
      path: `/${environmentId}/details$`,
      query: { finding: findingType },
      effect: { kind: "status", status: 500 },
    });
    const { records, error } = await collect(client.allFindings());
    expect(records).toHaveLength(36);
    expect(error).toBeInstanceOf(IncompleteError);
    expect(error).toMatchObject({
      code: "incomplete",
      message: expect.stringContaining(`${environmentId} / ${findingType}`),
      missing: [{ environmentId, findingType, error: { code: "server" } }],
    });
  });

  it("end at once when the service wants no more requests", async () => {
    tenant.control.fault({ path: "/details$", from: 2, effect: { kind: "status", status: 429 } });
    const { records, error } = await collect(client.allFindings());
    expect(records).toHaveLength(10);
    expect(error).toBeInstanceOf(RateLimitedError);
  });
});
