import { createHmac } from "node:crypto";
import { describe, expect, test } from "@jest/globals";
import { drive, Process, VirtualTime } from "../clock.ts";
import {
  always,
  ENVIRONMENT,
  plainEnvironment,
  plainFinding,
  plainFindings,
  plainScenario,
  TYPE,
} from "../scenarios.ts";
import type { Scenario } from "../scenario.ts";
import { EPOCH, HOUR, World } from "../world.ts";
import type { Answer } from "./answers.ts";
import { token } from "./signature.ts";
import { Tenant } from "./tenant.ts";

interface Row {
  id?: number | string;
  created_at?: string;
}

/** A tenant that is asked at one moment after the other. */
class Asking {
  readonly time = new VirtualTime(1);
  readonly #tenant: Tenant;
  readonly #process = new Process(this.time);
  scheme = "svcsignature";

  constructor(scenario: Scenario) {
    this.#tenant = new Tenant(new World(scenario));
  }

  async get(target: string, signal = new AbortController().signal): Promise<Answer> {
    const date = new Date(EPOCH + this.time.now).toISOString();
    const digest = (key: string | Buffer, text: string): Buffer => createHmac("sha256", key).update(text).digest();
    const key = digest(digest(token.key, `GET${target}`), date.slice(0, 13));
    const headers = {
      Authorization: `${this.scheme} ${token.id}`,
      RequestDate: date,
      Signature: digest(key, "").toString("base64"),
    };
    const send = this.#tenant.connect(this.#process, () => this.time.now);
    const answer = send({ method: "GET", target, headers, signal, onHead: () => undefined, onBody: () => undefined });
    await drive(this.time, answer);
    return answer;
  }

  async details(query = ""): Promise<{ count?: unknown; data: Row[] | null }> {
    const { body } = await this.get(`/api/v2/domains/${ENVIRONMENT}/details?finding=${TYPE}${query}`);
    return JSON.parse(body) as { count?: unknown; data: Row[] | null };
  }

  async ids(query: string): Promise<unknown[]> {
    return ((await this.details(query)).data ?? []).map(({ id }) => id);
  }
}

describe("Pages", () => {
  test("Without a limit a page has ten findings, and the count is that of all", async () => {
    const { count, data } = await new Asking(plainScenario({ findings: plainFindings(25) })).details();
    expect([count, data?.length]).toEqual([25, 10]);
  });

  test("Skip and limit cut a page out of the sorted whole", async () => {
    const asking = new Asking(plainScenario({ findings: plainFindings(25) }));
    expect(await asking.ids("&sort_by=id&skip=20&limit=3")).toEqual([21, 22, 23]);
  });

  test("A page cap holds whatever limit is asked for", async () => {
    const scenario = plainScenario({ findings: plainFindings(25) });
    scenario.tenant.pageCap = 4;
    expect(await new Asking(scenario).ids("&sort_by=id&limit=1000")).toEqual([1, 2, 3, 4]);
  });

  test.each([
    [{ of: "page", limit: "absent" }, 4, undefined],
    [{ of: "page", limit: "asked" }, 4, 1_000],
    [{ of: "page", limit: "asked", environments: ["another"] }, 25, 4],
    [{ of: "list", most: 7 }, 7, 4],
    [undefined, 25, 4],
  ] as const)("A tenant can count %j", async (counts, count, limit) => {
    const scenario = plainScenario({ findings: plainFindings(25) });
    scenario.tenant.pageCap = 4;
    if (counts !== undefined) scenario.tenant.counts = counts;
    expect(await new Asking(scenario).details("&limit=1000")).toMatchObject({ count, ...(limit && { limit }) });
  });

  test("An empty list is null where the tenant says so", async () => {
    const scenario = plainScenario();
    scenario.tenant.nullForEmpty = true;
    expect((await new Asking(scenario).details()).data).toBeNull();
  });
});

describe("Sorting", () => {
  const findings = [
    plainFinding(1, { created: 2_000, nanoseconds: 5 }),
    plainFinding(2, { created: 2_000 }),
    plainFinding(3, { created: "missing" }),
    plainFinding(4, { created: "zero" }),
    plainFinding(5, { created: 1_000 }),
  ];

  test("Rows come by created_at to the nanosecond, the zero time first, those without one last", async () => {
    expect(await new Asking(plainScenario({ findings })).ids("&sort_by=created_at")).toEqual([4, 5, 2, 1, 3]);
  });

  test("A minus sign turns the order round", async () => {
    expect(await new Asking(plainScenario({ findings })).ids("&sort_by=-id")).toEqual([5, 4, 3, 2, 1]);
  });

  test("A column that the tenant refuses is answered with 400", async () => {
    const scenario = plainScenario({ findings });
    scenario.tenant.refusesSorting = ["-id"];
    const asking = new Asking(scenario);
    const { status } = await asking.get(`/api/v2/domains/${ENVIRONMENT}/details?finding=${TYPE}&sort_by=-id`);
    expect(status).toBe(400);
  });
});

describe("Filters", () => {
  const bound = new Date(EPOCH + 1_000).toISOString();
  const findings = [
    plainFinding(1, { created: 0 }),
    plainFinding(2, { created: 1_000 }),
    plainFinding(3, { created: 1_000, nanoseconds: 1 }),
    plainFinding(4, { created: "missing" }),
    plainFinding(5, { created: "zero" }),
  ];
  const cases: [string, number[]][] = [
    ["gte", [2, 3]],
    ["gt", [3]],
    ["lt", [5, 1]],
    ["lte", [5, 1, 2]],
    ["eq", [2]],
  ];

  test.each(cases)("created_at=%s keeps what fits, and never a row without a date", async (predicate, ids) => {
    const query = `&sort_by=created_at&created_at=${predicate}:${bound}`;
    expect(await new Asking(plainScenario({ findings })).ids(query)).toEqual(ids);
  });

  test("A filter without a predicate is answered with 400", async () => {
    const target = `/api/v2/domains/${ENVIRONMENT}/details?finding=${TYPE}&created_at=2026-03-01T00:00:00Z`;
    expect((await new Asking(plainScenario({ findings })).get(target)).status).toBe(400);
  });

  test("A tenant may ignore filters", async () => {
    const scenario = plainScenario({ findings });
    scenario.tenant.ignoresFilters = true;
    expect(await new Asking(scenario).ids(`&created_at=gt:${bound}`)).toHaveLength(5);
  });
});

describe("Clock", () => {
  test("A finding is dated by the clock of its moment, and the date stays when the clock is put right", async () => {
    const scenario = plainScenario({ findings: [plainFinding(1, { created: 5_000, visible: 5_000 })] });
    scenario.tenant.clock = [{ span: [4_000, 6_000], aheadMs: 24 * HOUR }];
    const asking = new Asking(scenario);
    asking.time.skipTo(10_000);
    const { data } = await asking.details();
    expect(data?.[0]?.created_at).toBe("2026-03-02T06:00:05Z");
  });

  test("The Date header tells the service's own time", async () => {
    const scenario = plainScenario();
    scenario.tenant.clock = [{ span: [0, 1_000], aheadMs: HOUR / 2 }];
    const { headers } = await new Asking(scenario).get("/api/v2/available-domains");
    expect(headers["date"]).toBe("Sun, 01 Mar 2026 06:30:00 GMT");
  });

  test("A clock that drifts is the further off the longer it does", async () => {
    const scenario = plainScenario();
    scenario.tenant.clock = [{ span: [0, 10 * HOUR], aheadMs: 60_000, driftPpm: -10_000 }];
    const asking = new Asking(scenario);
    asking.time.skipTo(5 * HOUR);
    const { headers } = await asking.get("/api/v2/available-domains");
    expect(headers["date"]).toBe("Sun, 01 Mar 2026 10:58:00 GMT");
  });

  test("A request that is dated more than an hour away is refused", async () => {
    const scenario = plainScenario();
    scenario.tenant.clock = [{ span: [0, 1_000], aheadMs: 2 * HOUR }];
    expect((await new Asking(scenario).get("/api/v2/available-domains")).status).toBe(401);
  });
});

describe("Change", () => {
  test("A deleted finding is gone, or stays with its date of deletion", async () => {
    const asking = new Asking(
      plainScenario({
        findings: [
          plainFinding(1, { deleted: { at: 1_000, rowStays: false } }),
          plainFinding(2, { deleted: { at: 1_000, rowStays: true } }),
        ],
      }),
    );
    expect(await asking.ids("&sort_by=id")).toEqual([1, 2]);
    asking.time.skipTo(2_000);
    const { data } = await asking.details("&sort_by=id");
    expect(data).toMatchObject([{ id: 2, deleted_at: { valid: true } }]);
  });

  test("A finding cannot be read before it is visible", async () => {
    const asking = new Asking(plainScenario({ findings: [plainFinding(1, { created: 0, visible: 5_000 })] }));
    expect(await asking.ids("")).toEqual([]);
    asking.time.skipTo(5_000);
    expect(await asking.ids("")).toEqual([1]);
  });

  test("The datapipe tells the last complete analysis, and that one is running", async () => {
    const scenario = plainScenario({
      analyses: [
        [1_000, 2_000],
        [5_000, 9_000],
      ],
    });
    scenario.tenant.datapipe = 200;
    const asking = new Asking(scenario);
    asking.time.skipTo(6_000);
    expect(JSON.parse((await asking.get("/api/v2/datapipe/status")).body)).toMatchObject({
      data: { status: "analyzing", last_complete_analysis_at: "2026-03-01T06:00:02.000Z" },
    });
  });

  test("An analysis that breaks off does not move the time of the last complete one, and neither does an ingestion", async () => {
    const complete = "2026-03-01T06:00:02.000Z";
    const scenario = plainScenario({
      analyses: [[1_000, 2_000]],
      brokenAnalyses: [[3_000, 4_000]],
      ingestions: [[5_000, 6_000]],
    });
    scenario.tenant.datapipe = 200;
    const asking = new Asking(scenario);
    const statuses: unknown[] = [];
    for (const moment of [3_500, 4_500, 5_500, 6_500]) {
      asking.time.skipTo(moment);
      const { data } = JSON.parse((await asking.get("/api/v2/datapipe/status")).body) as {
        data: Record<string, unknown>;
      };
      statuses.push([data["status"], data["last_complete_analysis_at"]]);
    }
    expect(statuses).toEqual(["analyzing", "idle", "ingesting", "idle"].map((status) => [status, complete]));
  });
});

describe("Sizes", () => {
  test("An id can be a long text, and long ids differ at their end", async () => {
    const findings = [1, 2].map((number) => plainFinding(number, { idPadding: 1_000_000 }));
    const [first, second] = await new Asking(plainScenario({ findings })).ids("&sort_by=id");
    expect([String(first).length, String(first).at(-1), String(second).at(-1)]).toEqual([1_000_001, "1", "2"]);
  });

  test("The name of an environment can have a million characters", async () => {
    const scenario = plainScenario({ environments: [plainEnvironment({ odd: "name of a million characters" })] });
    const { data } = JSON.parse((await new Asking(scenario).get("/api/v2/available-domains")).body) as {
      data: { name: string }[];
    };
    expect(data[0]?.name).toHaveLength(1_000_000);
  });
});

describe("Refusals and faults", () => {
  test("Another scheme word is answered with 400", async () => {
    const asking = new Asking(plainScenario());
    asking.scheme = "bhesignature";
    const { status, body } = await asking.get("/api/v2/available-domains");
    expect([status, body]).toEqual([400, expect.stringContaining("Unexpected authorization scheme")]);
  });

  test("A fault strikes where and as often as the scenario says", async () => {
    const fault = { ...always({ kind: "status", status: 503, body: "json" }, { endpoint: "details" }), times: 1 };
    const asking = new Asking(plainScenario({ faults: [fault], findings: plainFindings(1) }));
    expect((await asking.get("/api/v2/available-domains")).status).toBe(200);
    const target = `/api/v2/domains/${ENVIRONMENT}/details?finding=${TYPE}`;
    expect((await asking.get(target)).status).toBe(503);
    expect((await asking.get(target)).status).toBe(200);
  });

  test("A dropped connection fails with its code", async () => {
    const asking = new Asking(plainScenario({ faults: [always({ kind: "drop", code: "EPIPE" })] }));
    await expect(asking.get("/api/v2/available-domains")).rejects.toMatchObject({ code: "EPIPE" });
  });

  test("A request that hangs ends when it is aborted", async () => {
    const asking = new Asking(plainScenario({ faults: [always({ kind: "hang", head: false })] }));
    const stop = new AbortController();
    asking.time.after(60_000, () => {
      stop.abort();
    });
    await expect(asking.get("/api/v2/available-domains", stop.signal)).rejects.toMatchObject({ code: "ERR_CANCELED" });
    expect(asking.time.now).toBe(60_000);
  });

  test("A service that ends late requests answers 500 after the 30 seconds that are usual", async () => {
    const scenario = plainScenario({ faults: [always({ kind: "hang", head: false })] });
    scenario.tenant.endsLateRequests = true;
    const asking = new Asking(scenario);
    const { status, body } = await asking.get("/api/v2/available-domains");
    expect([status, body]).toEqual([500, expect.stringContaining("request timed out")]);
    expect(Math.floor(asking.time.now / 1_000)).toBe(30);
  });

  test.each([
    ["small", 2],
    ["zero", 0],
    ["big", 8],
    ["null", null],
    ["text", "5"],
    ["missing", undefined],
  ] as const)("A count can lie: %s", async (lie, count) => {
    const scenario = plainScenario({ findings: plainFindings(5), faults: [always({ kind: "count", lie })] });
    expect((await new Asking(scenario).details()).count).toBe(count);
  });
});
