import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import type { Tenant, TenantOptions, WireFinding } from "../../../sandbox/tenant/index.ts";
import { FindingTable } from "../../../sandbox/tenant/dataset/finding-table.ts";
import { startTenant } from "../../support/tenant.ts";
import { ask, type Body } from "./client.ts";

let tenant: Tenant;

const TYPE = "T0GenericAll";
const EMPTY_TYPE = "CustomType";

async function start(options: TenantOptions = {}): Promise<string> {
  tenant = await startTenant({ dataset: { environments: 1, findingTypes: 2, findingsPerPair: 25 }, ...options });
  return tenant.data.environments[0]!.id;
}

type Page = Omit<Body, "data"> & { data: WireFinding[] };

async function details(environmentId: string, query: string, finding = TYPE): Promise<{ json: Page }> {
  const reply = await ask(
    tenant,
    `/api/v2/domains/${environmentId}/details?finding=${encodeURIComponent(finding)}${query}`,
  );
  return { json: reply.json as unknown as Page };
}

const ids = (records: WireFinding[]): number[] => records.map((record) => record.id);

describe("details", () => {
  it("gives pages with count, limit, skip and data, ten findings by default", async () => {
    const id = await start();
    const first = await details(id, "");
    expect(first.json).toMatchObject({ count: 25, limit: 10, skip: 0 });
    expect(first.json.data).toHaveLength(10);
    const last = await details(id, "&skip=20&limit=20");
    expect(last.json).toMatchObject({ count: 25, limit: 20, skip: 20 });
    expect(last.json.data).toHaveLength(5);
    expect((await details(id, "&skip=25")).json).toMatchObject({ count: 25, data: [] });
  });

  it("grants no page larger than its maximum, which is also what limit=0 means", async () => {
    const id = await start({ maxPageSize: 7 });
    expect((await details(id, "&limit=1000")).json.data).toHaveLength(7);
    expect((await details(id, "&limit=0")).json.data).toHaveLength(7);
  });

  it("can refuse a larger page instead", async () => {
    const id = await start({ maxPageSize: 7, rejectLargeLimits: true, defaultPageSize: 5 });
    expect((await details(id, "&limit=8")).json).toMatchObject({
      http_status: 400,
      errors: [{ message: "invalid limit: 8" }],
    });
    expect((await details(id, "&limit=7")).json.data).toHaveLength(7);
    expect((await details(id, "&limit=0")).json.data).toHaveLength(7);
    expect((await details(id, "")).json.data).toHaveLength(5);
  });

  it("can refuse to sort by a column, and by all of them", async () => {
    const id = await start({ sortableColumns: ["id"] });
    const refusal = { http_status: 400, errors: [{ message: "column format does not support sorting" }] };
    expect((await details(id, "&sort_by=id&sort_by=-created_at")).json).toMatchObject(refusal);
    expect(ids((await details(id, "&sort_by=-id&limit=2")).json.data)).toEqual([25, 24]);
    await start({ sortableColumns: [] });
    expect((await details(id, "&sort_by=id")).json).toMatchObject(refusal);
    expect((await details(id, "")).json.count).toBe(25);
  });

  it("can take sort orders and keep its own", async () => {
    const id = await start({ honourSorting: false });
    expect(ids((await details(id, "&sort_by=-id&limit=3")).json.data)).toEqual([1, 2, 3]);
    expect((await details(id, "&sort_by=Severity")).json).toMatchObject({ http_status: 400 });
  });

  it("asks for a finding type, knows its environments, and is empty for an unknown type", async () => {
    const id = await start();
    expect((await ask(tenant, `/api/v2/domains/${id}/details`)).status).toBe(400);
    expect((await ask(tenant, `/api/v2/domains/S-1-5-21-9/details?finding=${TYPE}`)).status).toBe(404);
    expect((await details(id, "", "Nothing")).json).toMatchObject({ count: 0, data: [] });
  });

  it.each([
    ["a negative skip", "&skip=-1"],
    ["a limit that is no number", "&limit=ten"],
    ["a column that cannot be sorted", "&sort_by=Severity"],
    ["a bare timestamp", "&created_at=2026-01-01T00:00:00Z"],
    ["an unknown predicate", "&id=above:3"],
    ["an instant with an offset", "&created_at=gte:2026-01-01T00:00:00%2B01:00"],
    ["an instant that is none", "&created_at=gte:2026-02-30T00:00:00Z"],
    ["an id that is no number", "&id=gte:first"],
  ])("refuses %s with 400", async (_title, query) => {
    const id = await start();
    expect((await details(id, query)).json).toMatchObject({ http_status: 400, errors: [{ context: "clients" }] });
  });

  it("passes over a bare value without a colon, as the service does", async () => {
    const id = await start();
    expect((await details(id, "&id=3")).json.count).toBe(25);
  });

  it("compares instants to the nanosecond, whatever the length of the fraction", async () => {
    const id = await start();
    const times = ["05Z", "05.1Z", "05.100000001Z", "05.12Z", "05.123456789Z", "05.9Z"].map(
      (end) => `2026-03-01T00:00:${end}`,
    );
    const shuffled = [3, 0, 5, 1, 4, 2].map((index) => ({ created_at: times[index] }));
    tenant.control.addFindings(id, EMPTY_TYPE, shuffled);
    const created = async (query: string): Promise<string[]> =>
      (await details(id, query, EMPTY_TYPE)).json.data.map((record) => record.created_at);
    expect(await created("&sort_by=created_at")).toEqual(times);
    expect(await created("&sort_by=-created_at")).toEqual(times.toReversed());
    expect(await created("&sort_by=created_at&created_at=gte:2026-03-01T00:00:05.1000Z")).toEqual(times.slice(1));
    expect(
      await created(
        "&sort_by=created_at&created_at=gt:2026-03-01T00:00:05.1Z&created_at=lt:2026-03-01T00:00:05.123456789Z",
      ),
    ).toEqual(times.slice(2, 4));
    expect(await created("&created_at=eq:2026-03-01T00:00:05.120Z")).toEqual([times[3]]);
    expect(await created("&sort_by=created_at&created_at=neq:2026-03-01T00:00:05Z")).toEqual(times.slice(1));
    expect(await created("&sort_by=created_at&created_at=lte:2026-03-01T00:00:05.1Z")).toEqual(times.slice(0, 2));
  });

  it("sorts by several columns in the order in which they are named", async () => {
    const id = await start();
    tenant.control.addFindings(id, EMPTY_TYPE, [
      { id: 901, ImpactPercentage: 0.5, created_at: "2026-03-01T00:00:02Z" },
      { id: 902, ImpactPercentage: 0.9, created_at: "2026-03-01T00:00:01Z" },
      { id: 903, ImpactPercentage: 0.5, created_at: "2026-03-01T00:00:01Z" },
    ]);
    expect(ids((await details(id, "&sort_by=-impact_percentage&sort_by=created_at", EMPTY_TYPE)).json.data)).toEqual([
      902, 903, 901,
    ]);
    expect(ids((await details(id, "&sort_by=created_at&sort_by=-id", EMPTY_TYPE)).json.data)).toEqual([903, 902, 901]);
  });

  it("can pass over filters, and give findings in no useful order", async () => {
    const id = await start({ honourFilters: false, unsortedOrder: "scattered", defaultPageSize: 5 });
    expect((await details(id, "&created_at=gte:2099-01-01T00:00:00Z")).json.count).toBe(25);
    const pages: WireFinding[] = [];
    for (let skip = 0; skip < 25; skip += 5) pages.push(...(await details(id, `&skip=${skip}`)).json.data);
    const sorted = ids(pages).sort((a, b) => a - b);
    expect(ids(pages)).not.toEqual(sorted);
    expect(new Set(sorted).size).toBe(25);
  });

  it("takes a finding type that needs percent-encoding, in the query and in a path", async () => {
    const id = await start();
    const odd = "Custom/Type & 100% ä?";
    tenant.control.addFindings(id, odd, 2);
    tenant.control.setDocument(odd, "title", "An odd title");
    expect((await details(id, "", odd)).json.count).toBe(2);
    const title = await ask(tenant, `/api/v2/assets/findings/${encodeURIComponent(odd)}/title`);
    expect(title.text).toBe("An odd title");
  });

  it("serves records just as the control was given them: nulls stay, undefined fields are left out", async () => {
    const id = await start();
    tenant.control.addFindings(id, EMPTY_TYPE, [
      { id: undefined, Severity: "", FromPrincipalProps: null, ImpactCount: null },
    ]);
    const [record] = (await details(id, "", EMPTY_TYPE)).json.data;
    expect(record).not.toHaveProperty("id");
    expect(record).toMatchObject({ Severity: "", FromPrincipalProps: null, ImpactCount: null });
  });
});

const arbitraryQuery = fc.record({
  filters: fc.array(
    fc.record({
      column: fc.constantFrom("id", "created_at"),
      predicate: fc.constantFrom(
        "eq" as const,
        "neq" as const,
        "gt" as const,
        "gte" as const,
        "lt" as const,
        "lte" as const,
      ),
      step: fc.integer({ min: 0, max: 40 }),
    }),
    { maxLength: 3 },
  ),
  sort: fc.array(fc.record({ column: fc.constantFrom("id", "created_at", "updated_at"), descending: fc.boolean() }), {
    maxLength: 3,
  }),
  skip: fc.integer({ min: 0, max: 45 }),
  limit: fc.integer({ min: 1, max: 45 }),
});

/** Two batches with gaps between their ids, and single records among and after them. */
function mixedTable(): FindingTable {
  const table = new FindingTable();
  const second = (step: number): string => `2026-01-01T00:00:${String(step).padStart(2, "0")}Z`;
  const make = (index: number) => ({ Finding: `F${index}` }) as WireFinding;
  const batch = (firstId: number, count: number, step: number) => {
    table.addBatch({ firstId, count, createdAt: second(step), updatedAt: second(50 - step), assets: 1, risk: 1, make });
  };
  batch(3, 12, 10);
  batch(20, 9, 5);
  for (const id of [1, 17, 35]) {
    table.add({ ...make(id), id, created_at: second(id), updated_at: second(id) });
  }
  return table;
}

describe("a table of findings", () => {
  it("answers any query on computed batches as it does on records that it holds", async () => {
    tenant = await startTenant({ dataset: { environments: 1, findingTypes: 1, findingsPerPair: 1 } });
    const lazy = mixedTable();
    const held = mixedTable();
    held.update((record) => record);
    fc.assert(
      fc.property(arbitraryQuery, ({ filters, sort, skip, limit }) => {
        const query = {
          filters: filters.map(({ column, predicate, step }) => ({
            column,
            predicate,
            value: column === "id" ? step : BigInt(Date.parse("2026-01-01T00:00:00Z") + step * 1000) * 1_000_000n,
          })),
          sort,
          unsorted: "id" as const,
          skip,
          limit,
        };
        const simplify = (page: { count: number; findings: WireFinding[] }) => ({
          count: page.count,
          ids: ids(page.findings),
        });
        expect(simplify(lazy.query(query))).toEqual(simplify(held.query(query)));
      }),
      { numRuns: 300 },
    );
  });

  it("pages through a million findings without making them", async () => {
    let made = 0;
    tenant = await startTenant({ dataset: { environments: 1, findingTypes: 1, findingsPerPair: 1 } });
    const table = new FindingTable();
    const make = () => {
      made += 1;
      return {} as WireFinding;
    };
    table.addBatch({
      firstId: 1,
      count: 1_000_000,
      createdAt: "2026-01-01T00:00:00Z",
      updatedAt: "2026-01-01T00:00:00Z",
      assets: 1,
      risk: 1,
      make,
    });
    const page = table.query({
      filters: [{ column: "id", predicate: "gt", value: 999 }],
      sort: [{ column: "created_at", descending: true }],
      unsorted: "id",
      skip: 500_000,
      limit: 3,
    });
    expect(page.count).toBe(999_001);
    expect(ids(page.findings)).toEqual([501_000, 501_001, 501_002]);
    expect(made).toBe(3);
  });
});

describe("a finding", () => {
  const only = async (id: string): Promise<WireFinding> => (await details(id, "&limit=1")).json.data[0]!;
  const instant = expect.stringMatching(/^2\d{3}-\d\d-\d\dT[\d:.]+Z$/) as unknown;

  it("can be accepted, for as long as one says", async () => {
    const id = await start();
    const before = await only(id);
    expect(tenant.control.acceptFinding(id, TYPE, before.id)).toBe(true);
    const accepted = await only(id);
    expect(accepted).toMatchObject({ Accepted: true, AcceptedUntil: "2030-01-01T00:00:00Z", updated_at: instant });
    expect(accepted.updated_at).not.toBe(before.updated_at);
    expect(accepted.created_at).toBe(before.created_at);
    tenant.control.acceptFinding(id, TYPE, before.id, "2027-05-01T00:00:00Z");
    expect((await only(id)).AcceptedUntil).toBe("2027-05-01T00:00:00Z");
    expect((await details(id, "&Accepted=eq:true&id=eq:1")).json.count).toBe(1);
    expect(tenant.control.acceptFinding(id, TYPE, 4_000)).toBe(false);
  });

  it("can be marked as deleted and is still served, or be removed and is not", async () => {
    const id = await start();
    expect((await only(id)).deleted_at).toEqual({ time: "0001-01-01T00:00:00Z", valid: false });
    expect(tenant.control.deleteFinding(id, TYPE, 1)).toBe(true);
    expect((await only(id)).deleted_at).toEqual({ time: instant, valid: true });
    expect((await details(id, "")).json.count).toBe(25);
    expect(tenant.control.removeFinding(id, TYPE, 1)).toBe(true);
    expect((await details(id, "")).json.count).toBe(24);
    expect(tenant.control.deleteFinding(id, TYPE, 1)).toBe(false);
  });

  it("can become visible long after it was created", async () => {
    const id = await start();
    const filter = "&created_at=gte:2025-12-01T00:00:00Z&created_at=lt:2025-12-02T00:00:00Z";
    expect((await details(id, filter)).json.count).toBe(0);
    const late = "2025-12-01T07:00:00Z";
    const [added] = tenant.control.addFindings(id, TYPE, [{ created_at: late, updated_at: late }]);
    expect((await details(id, filter)).json).toMatchObject({ count: 1, data: [added] });
  });

  it("can have the zero time, or one in the future", async () => {
    const id = await start();
    const times = ["0001-01-01T00:00:00Z", "2999-12-31T23:59:59.999999999Z"];
    tenant.control.addFindings(id, EMPTY_TYPE, [...times.map((created_at) => ({ created_at })), {}]);
    const created = async (query: string) =>
      (await details(id, query, EMPTY_TYPE)).json.data.map((record) => record.created_at);
    const sorted = await created("&sort_by=created_at");
    expect([sorted[0], sorted[2]]).toEqual(times);
    expect(await created("&created_at=gte:2999-01-01T00:00:00Z")).toEqual([times[1]]);
    expect(await created("&created_at=lt:1970-01-01T00:00:00Z")).toEqual([times[0]]);
  });
});

describe("an analysis", () => {
  it("can find findings that are accepted or deleted already, or dated otherwise", async () => {
    const id = await start();
    const deleted_at = { time: "2026-06-02T00:00:00Z", valid: true };
    const odd = [
      { Accepted: true, AcceptedUntil: "2027-01-01T00:00:00Z" },
      { deleted_at },
      { created_at: "2026-01-01T00:00:00Z" },
    ];
    const added = tenant.control.analyse(id, { findings: { [EMPTY_TYPE]: odd, [TYPE]: 1 } });
    expect(added).toHaveLength(4);
    expect((await details(id, "", EMPTY_TYPE)).json.data).toMatchObject(odd);
  });

  it("adds findings that share one instant, and a sparkline point", async () => {
    const id = await start();
    const createdAt = "2026-06-01T00:00:00.000000001Z";
    const added = tenant.control.analyse(id, { findings: { [TYPE]: 3 }, createdAt });
    expect(added.map((record) => record.created_at)).toEqual([createdAt, createdAt, createdAt]);
    const sparkline = async (query: string) =>
      (await ask(tenant, `/api/v2/domains/${id}/sparkline?finding=${TYPE}${query}`)).json.data;
    expect(await sparkline(`&from=${createdAt}&to=2026-06-02T00:00:00Z`)).toMatchObject([
      { created_at: createdAt, FindingCount: 28, DomainSID: id, Finding: TYPE },
    ]);
    expect(await sparkline(`&from=2026-06-01T00:00:00.000000002Z&to=2026-06-02T00:00:00Z`)).toEqual([]);
    expect(await sparkline(`&from=2026-05-01T00:00:00Z&to=${createdAt}`)).toEqual([]);
  });

  it("can go unnoticed, touch what was there, and number everything anew", async () => {
    const id = await start();
    const before = ids((await details(id, "&limit=100")).json.data);
    const createdAt = "2026-06-01T00:00:00Z";
    tenant.control.analyse(id, { findings: { [TYPE]: 1 }, createdAt, sparkline: false, touch: true, renumber: true });
    expect(tenant.data.sparkline(id, TYPE)).toHaveLength(1);
    const after = (await details(id, "&limit=100")).json.data;
    expect(after).toHaveLength(26);
    expect(new Set(after.map((record) => record.updated_at))).toEqual(new Set([createdAt]));
    expect(ids(after).filter((finding) => before.includes(finding))).toEqual([]);
  });
});

describe("sparkline", () => {
  it("covers the last 30 days by default, and refuses a bound that is not an instant", async () => {
    const now = Date.parse("2026-05-01T00:00:00Z");
    const id = await start({ clock: { now: () => now } });
    tenant.control.analyse(id, { createdAt: "2026-03-31T00:00:00Z" });
    const answer = await ask(tenant, `/api/v2/domains/${id}/sparkline?finding=${TYPE}`).catch(() => null);
    expect(answer?.status).toBe(401);
    const jwt = tenant.control.issueJwt();
    const headers = { Authorization: `Bearer ${jwt}` };
    const read = (query: string) => ask(tenant, `/api/v2/domains/${id}/sparkline?finding=${TYPE}${query}`, { headers });
    expect((await read("")).json).toMatchObject({ start: "2026-04-01T00:00:00Z", end: "2026-05-01T00:00:00Z" });
    expect((await read("")).json.data).toHaveLength(1);
    expect((await read("&from=2026-03-01T00:00:00Z")).json.data).toHaveLength(2);
    expect((await read("&from=yesterday")).status).toBe(400);
  });
});
