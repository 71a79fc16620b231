import { describe, expect, it } from "@jest/globals";
import { outcomeOf } from "../../../src/ingestion/report/report.ts";
import { Selection } from "../../../src/ingestion/selection.ts";
import { ForbiddenError } from "../../../src/service/errors/errors.ts";
import { HOUR_MS } from "../../../src/clock.ts";
import { type FakeHost, host, made, S1 } from "../support/fake-host.ts";

async function decisions(soar: FakeHost, changed: Parameters<FakeHost["poll"]>[0] = {}): Promise<string[]> {
  const { json } = outcomeOf((await soar.poll(changed)).result);
  return (json!["decisions"] as Record<string, string>[]).map((each) => Object.values(each).join(" ")).sort();
}

describe("the figures of a run", () => {
  it("count all streams that were not read, and name a thousand of them", async () => {
    const types = Array.from({ length: 1_500 }, (_, index) => `T${String(index).padStart(4, "0")}`);
    const soar = host({ environments: [S1], types: { "S-1": types }, findings: { "S-1 T0000": made(1, 1) } });
    const { json } = outcomeOf((await soar.poll({ limits: { maxAlerts: 1 } })).result);
    const { incomplete, streamsUnread } = json as { incomplete: unknown[]; streamsUnread: number };
    expect(streamsUnread).toBeGreaterThan(1_400);
    expect(incomplete).toHaveLength(1_000);
  });

  it("name why each environment, and each stream with a reason of its own, was skipped, probed or read", async () => {
    const soar = host({ types: { "S-1": ["A", "B"], "S-2": ["A"] } });
    const cutShort = { limits: { maxAlerts: 1, maxEventsPerAlert: 1 } };
    expect(await decisions(soar, cutShort)).toEqual(expect.arrayContaining(["S-1 A read new", "S-1 read new"]));
    expect(await decisions(soar)).toEqual(expect.arrayContaining(["S-1 A read backlog", "S-1 read left"]));
    soar.tenant.findings["S-1 A"] = made(1, 9);
    expect(await decisions(soar)).toEqual([
      "S-1 A read changed",
      "S-1 B probe unchanged",
      "S-1 probe no_evidence",
      "S-2 A probe unchanged",
      "S-2 probe no_evidence",
    ]);
    const analysed = host({ analysis: { completedAt: "T1", idle: true } });
    await analysed.quiet();
    expect(await decisions(analysed)).toEqual(["S-1 skip same_evidence", "S-2 skip same_evidence"]);
    analysed.tenant.analysis = { completedAt: "T2", idle: true };
    expect(await decisions(analysed)).toEqual(["S-1 read new_evidence", "S-2 read new_evidence"]);
    const selection = new Selection({ "Selected Finding Types": ["A"] });
    expect(await decisions(analysed, { selection })).toEqual(["S-1 read_all selection", "S-2 read_all selection"]);
  });

  it("name what needs attention, in the same words until it changes", async () => {
    const soar = host({ types: { "S-1": ["A", "B"], "S-2": ["A"] }, findings: { "S-1 A": made(1, 9) } });
    const selection = new Selection({
      "Selected Environments": ["CORP.TEST", "LBA.TEST"],
      "Selected Finding Types": ["A", "B", "X"],
    });
    for (const requestId of ["r-1", "r-2"]) {
      soar.tenant.findings["S-1 B"] = new ForbiddenError("Refused.", {
        whoActs: "administrator",
        endpoint: { method: "GET", path: "/details" },
        status: 403,
        requestId,
      });
      const { message, json } = outcomeOf((await soar.poll({ selection })).result);
      expect(message).toContain(requestId);
      expect(json?.["attention"]).toEqual([
        "CORP.TEST / B: forbidden (403)",
        "Selected Environments: LBA.TEST",
        "Selected Finding Types: X",
      ]);
    }
  });

  it("name nothing that needs attention where a limit leaves findings for the next run", async () => {
    const soar = host({ types: { "S-1": ["A"], "S-2": [] }, findings: { "S-1 A": made(1, 9) } });
    const { status, json } = outcomeOf((await soar.poll({ limits: { maxAlerts: 1, maxEventsPerAlert: 1 } })).result);
    expect([status, json?.["attention"]]).toEqual(["partial", []]);
  });

  it("say that a finding type is gone", async () => {
    const soar = host({ types: { "S-1": ["A", "B"], "S-2": ["A"] } });
    await soar.quiet();
    Object.assign(soar.tenant.types, { "S-1": ["A"] });
    soar.tenant.findings["S-1 B"] = [];
    soar.clock.advance(2 * HOUR_MS);
    expect(await decisions(soar)).toEqual(["S-1 B read gone", "S-1 read hourly", "S-2 read hourly"]);
  });
});
