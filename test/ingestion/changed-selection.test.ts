import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { type CriterionName, Selection } from "../../src/ingestion/selection.ts";
import { MINUTE_MS } from "../../src/clock.ts";
import { applyMergePatch } from "../../src/runtime/merge-patch.ts";
import type { Json } from "../../src/runtime/protocol.ts";
import { ServerError } from "../../src/service/errors/errors.ts";
import type { Finding } from "../../src/service/resources/findings.records.ts";
import { instant } from "../support/streams.ts";
import { type FakeHost, host, reportOf, S1 } from "./support/fake-host.ts";

const down = new ServerError("down", { whoActs: "service" });

const finding = (id: number, hours: number, severity: string): Finding => ({
  id,
  created_at: instant(hours),
  Severity: severity,
});

/** Four streams, each with findings of every severity that are an hour and a month old. */
function allKinds(): Record<string, Finding[]> {
  const streams = ["S-1 A", "S-1 B", "S-2 A", "S-2 B"];
  const kinds = [-1, -700].flatMap((hours) => ["Low", "Critical"].map((severity) => ({ hours, severity })));
  const findings = (stream: number) =>
    kinds.map(({ hours, severity }, index) => finding(10 + stream * 10 + index, hours, severity));
  return Object.fromEntries(streams.map((name, index) => [name, findings(index)]));
}

const fields = fc.record(
  {
    "Lowest Severity To Fetch": fc.constantFrom("Low", "Critical"),
    "Max Hours Backwards": fc.constantFrom(48, 1_000),
    "Selected Finding Types": fc.constantFrom(["A"], ["B"], ["All"]),
    "Selected Environments": fc.constantFrom(["S-1"], ["All"]),
  } satisfies Record<CriterionName, fc.Arbitrary<unknown>>,
  { requiredKeys: [] },
);

const runs = fc.array(
  fc.record({
    fields,
    /** How many lists of findings the service gives before it refuses. */
    lists: fc.option(fc.nat(4), { nil: null }),
    /** A stream of which it gives none. */
    fails: fc.option(fc.constantFrom("S-1 A", "S-1 B", "S-2 A"), { nil: null }),
    /** How many alerts reach the host before the run is killed. */
    killedBehind: fc.option(fc.nat(2), { nil: null, freq: 3 }),
    minutes: fc.constantFrom(1, 10, 61),
  }),
  { minLength: 1, maxLength: 8 },
);

/** @returns ids of the findings that reached the host */
async function pollUntilKilled(soar: FakeHost, selection: Selection, killedBehind: number | null): Promise<string[]> {
  const ids: string[] = [];
  let alerts = 0;
  try {
    await soar.poll({
      selection,
      deliver: (alert, patch) => {
        if (alerts++ === killedBehind) return Promise.reject(new Error("killed"));
        soar.state = applyMergePatch(soar.state, JSON.parse(JSON.stringify(patch)) as Json);
        ids.push(...alert.events.map((event) => String(event["finding_id"])));
        return Promise.resolve();
      },
    });
  } catch (error) {
    if (!(error instanceof Error && error.message === "killed")) throw error;
  }
  return ids;
}

function admitted({ tenant }: FakeHost, selection: Selection, firstRun: number, streams: string[]): string[] {
  return streams.flatMap((stream) => {
    const findings = tenant.findings[stream];
    if (!Array.isArray(findings)) throw new Error(`${stream} is not a list.`);
    const times = (each: Finding) => ({ createdAt: Date.parse(each.created_at ?? ""), firstRun });
    return findings
      .filter((each) => selection.criterionLeavingOut(each, times(each)) === null)
      .map(({ id }) => String(id));
  });
}

describe("a selection that changes", () => {
  it("is followed in three good runs, whatever failed or was killed before", async () => {
    await fc.assert(
      fc.asyncProperty(runs, fields, async (planned, last) => {
        const soar = host({ analysis: { completedAt: "2030-01-31T09:00:00Z", idle: true } });
        const firstRun = soar.clock.now();
        const delivered: string[] = [];
        for (const { fields: held, lists, fails, killedBehind, minutes } of planned) {
          soar.tenant.listsGranted = lists;
          soar.tenant.findings = { ...allKinds(), ...(fails !== null && { [fails]: down }) };
          delivered.push(...(await pollUntilKilled(soar, new Selection(held), killedBehind)));
          soar.clock.advance(minutes * MINUTE_MS);
        }
        soar.tenant.listsGranted = null;
        soar.tenant.findings = allKinds();
        const selection = new Selection(last);
        for (let run = 0; run < 3; run++) {
          delivered.push(...(await soar.poll({ selection })).ids);
          soar.clock.advance(MINUTE_MS);
        }
        const environments = selection.scope([S1, { id: "S-2", name: "LAB.TEST" }], 0).selected;
        const streams = environments.flatMap(({ id }) => selection.types(["A", "B"]).map((type) => `${id} ${type}`));
        expect(delivered).toEqual(expect.arrayContaining(admitted(soar, selection, firstRun, streams)));
        expect(new Set(delivered).size).toBe(delivered.length);
        expect((await soar.poll({ selection })).asked).toEqual(["environments", "analysis"]);
      }),
      { numRuns: 200 },
    );
  });

  it("is read in full where an earlier run has left a part unread for another reason", async () => {
    const soar = host({
      environments: [S1],
      findings: { "S-1 A": [finding(1, -1, "Low")], "S-1 B": [finding(2, -700, "Low"), finding(3, -1, "Critical")] },
    });
    const critical = new Selection({ "Lowest Severity To Fetch": "Critical" });
    await soar.poll({ selection: critical });
    soar.clock.advance(61 * MINUTE_MS);
    const { "S-1 A": listed = [] } = soar.tenant.findings;
    soar.tenant.findings["S-1 A"] = down;
    await soar.poll({ selection: critical });
    soar.tenant.findings["S-1 A"] = listed;
    soar.clock.advance(MINUTE_MS);
    expect((await soar.poll()).ids).toEqual(["1", "2"]);
  });

  it("costs one read of everything, although one stream always fails", async () => {
    const soar = host({ environments: [S1] });
    await soar.quiet();
    soar.tenant.findings["S-1 B"] = down;
    const decisions: unknown[] = [];
    for (let run = 0; run < 3; run++) {
      const { result } = await soar.poll({ selection: new Selection({ "Lowest Severity To Fetch": "Critical" }) });
      const { decision, reason } = reportOf(result, "S-1")?.item ?? {};
      decisions.push([decision, reason]);
      soar.clock.advance(MINUTE_MS);
    }
    expect(decisions).toEqual([
      ["read_all", "selection"],
      ["read", "left"],
      ["read", "left"],
    ]);
  });
});
