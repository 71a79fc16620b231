import { describe, expect, it } from "@jest/globals";
import { environmentAfterRun, decide, isUnchanged, reasonToReadStream } from "../../src/ingestion/skip-decision.ts";
import { storedBatch } from "../../src/ingestion/state/delivered-ids.ts";
import { identityKeyOf } from "../../src/ingestion/state/id-text.ts";

const NOW = 2_000_000_000;
const MINUTE = 60;
const HOUR = 3600;

/** An environment that was read to its end ten minutes ago, with all evidence. */
const READ = { readAt: NOW - 10 * MINUTE, readAllAt: NOW - 5 * HOUR, evidence: { analysis: "A1", trend: "T1" } };

describe("the decision about an environment", () => {
  it.each([
    ["the same analysis", { analysis: "A1" }, "skip", "same_evidence"],
    ["the same sparkline", { trend: "T1" }, "skip", "same_evidence"],
    ["a new analysis", { analysis: "A2" }, "read", "new_evidence"],
    ["a new analysis, although the sparkline is the same", { analysis: "A2", trend: "T1" }, "read", "new_evidence"],
    ["another sparkline", { trend: "T2" }, "read", "new_evidence"],
    ["an analysis that runs", { isRunning: true as const }, "read", "analysis_running"],
    ["no evidence", {}, "probe", "no_evidence"],
  ])("on %s is %j -> %s, because of %s", (_, evidence, decision, reason) => {
    expect(decide(READ, evidence, NOW)).toEqual({ decision, reason });
  });

  it.each([
    ["was never read", undefined, "read", "new"],
    ["was being read when a run was killed, no one knows when", {}, "read_all", "left"],
    ["was left unfinished or failed in the last run", { ...READ, due: "left" as const }, "read", "left"],
    ["is read with another selection", { ...READ, due: "selection" as const }, "read_all", "selection"],
    ["was gone", { due: "returned" as const }, "read_all", "returned"],
    ["was last read an hour ago", { ...READ, readAt: NOW - HOUR }, "read", "hourly"],
    ["was read at a time that lies ahead", { ...READ, readAt: NOW + 1 }, "read", "hourly"],
    [
      "was last searched for undated findings a day ago",
      { ...READ, readAt: NOW - HOUR, readAllAt: NOW - 24 * HOUR },
      "read_all",
      "daily",
    ],
    [
      "was searched for undated findings at a time that lies ahead",
      { ...READ, readAt: NOW - HOUR, readAllAt: NOW + 1 },
      "read_all",
      "daily",
    ],
  ])("reads an environment that %s, whatever the evidence says", (_, memory, decision, reason) => {
    expect(decide(memory, { analysis: "A1", trend: "T1" }, NOW)).toEqual({ decision, reason });
  });

  it("never skips on an empty sparkline, and reads when the sparkline was empty and is not any more", () => {
    const empty = { ...READ, evidence: { trend: "" } };
    expect(decide(empty, { trend: "" }, NOW).reason).toBe("no_evidence");
    expect(decide({ ...READ, evidence: {} }, { trend: "" }, NOW).decision).toBe("probe");
    expect(decide(empty, { trend: "T1", isOld: true }, NOW)).toEqual({ decision: "read", reason: "new_evidence" });
  });

  it("does not skip on evidence that was not there when the environment was read", () => {
    const { evidence, ...without } = READ;
    expect(decide(without, { analysis: "A1" }, NOW).decision).toBe("read");
    expect(decide({ ...READ, evidence: { trend: "T1" } }, { analysis: "T1" }, NOW).decision).toBe("read");
    expect(decide(without, { analysis: "A1", isOld: true }, NOW)).toEqual({
      decision: "probe",
      reason: "old_evidence",
    });
    const other = { ...READ, evidence: { analysis: "A0" } };
    expect(decide(other, { analysis: "A1", isOld: true }, NOW).decision).toBe("read");
  });

  it("searches for undated findings once a day, although each run reads because something has changed", () => {
    const memory = { ...READ, readAllAt: NOW - 24 * HOUR };
    expect(decide(memory, { analysis: "A2" }, NOW)).toEqual({ decision: "read_all", reason: "new_evidence" });
    expect(decide(memory, { isRunning: true }, NOW)).toEqual({ decision: "read_all", reason: "analysis_running" });
  });

  it("skips for less than an hour at a stretch", () => {
    const memory = { ...READ, readAt: NOW };
    expect(decide(memory, { analysis: "A1" }, NOW + HOUR - 1).decision).toBe("skip");
    expect(decide(memory, { analysis: "A1" }, NOW + HOUR).decision).toBe("read");
  });
});

describe("what is remembered of an environment", () => {
  const evidence = { analysis: "A2" };

  it("is the evidence that a complete run was based on, and when it read everything", () => {
    expect(environmentAfterRun(READ, { decision: "read", complete: true, evidence }, NOW)).toEqual({
      readAt: NOW,
      readAllAt: READ.readAllAt,
      evidence,
    });
    expect(environmentAfterRun(undefined, { decision: "read_all", complete: true, evidence }, NOW)).toEqual({
      readAt: NOW,
      readAllAt: NOW,
      evidence,
    });
  });

  it("is a search for undated findings when nothing had a window yet, and otherwise when that was decided", () => {
    const evidence = {};
    expect(environmentAfterRun(undefined, { decision: "read", complete: false, evidence }, NOW)).toEqual({
      readAllAt: NOW,
      due: "left",
    });
    expect(environmentAfterRun({}, { decision: "read_all", complete: false, evidence }, NOW)).toEqual({
      readAllAt: NOW,
      due: "left",
    });
    expect(environmentAfterRun(READ, { decision: "read", complete: false, evidence }, NOW).readAllAt).toBe(
      READ.readAllAt,
    );
    expect(environmentAfterRun({}, { decision: null, complete: false, evidence }, NOW)).toEqual({ due: "left" });
  });

  it("is not a read when it was only probed: the next read is due as before", () => {
    expect(environmentAfterRun(READ, { decision: "probe", complete: true, evidence }, NOW)).toEqual({
      ...READ,
      evidence,
    });
  });

  it("is nothing to skip on when anything failed or was left", () => {
    for (const decision of ["probe", "read"] as const) {
      const memory = environmentAfterRun(READ, { decision, complete: false, evidence }, NOW);
      expect(memory).toEqual({ readAt: READ.readAt, readAllAt: READ.readAllAt, due: "left" });
      expect(decide(memory, evidence, NOW + MINUTE)).toEqual({ decision: "read", reason: "left" });
    }
    const due = { ...READ, due: "selection" as const };
    expect(environmentAfterRun(due, { decision: "read", complete: false, evidence }, NOW).due).toBe("selection");
    expect(environmentAfterRun(due, { decision: "read", complete: true, evidence }, NOW).due).toBeUndefined();
  });
});

describe("the probe of a stream", () => {
  it("shows nothing for ids that are texts: an added one need not be the greatest", () => {
    const [stored] = Object.values(storedBatch(0, [{ key: identityKeyOf("h1", ""), check: 0, hour: 500_000 }]));
    expect(isUnchanged({ ids: { "500000": stored ?? "" } }, { count: 1, newestId: "h1" })).toBe(false);
  });

  const memory = { ids: { "500000": "1+4", "500001": "17" } };

  it("shows nothing new when the window holds as many findings as before, the newest among them", () => {
    expect(reasonToReadStream(memory)).toBeNull();
    expect(isUnchanged(memory, { count: 6, newestId: "17" })).toBe(true);
    expect(isUnchanged({ cursor: 500_000 }, { count: 0, newestId: null })).toBe(true);
    expect(isUnchanged({ cursor: 500_000 }, { count: 1, newestId: "1" })).toBe(false);
  });

  it.each([
    ["one more finding", { count: 7, newestId: "5" }],
    ["one finding less, which may hide a new one", { count: 5, newestId: "5" }],
    ["as many findings, a new one among them", { count: 6, newestId: "6" }],
    ["as many findings, the newest with an id that has no order", { count: 6, newestId: "h77" }],
    ["no count", { count: null, newestId: "5" }],
    ["a count and no finding", { count: 6, newestId: null }],
  ])("asks for a read on %s", (_, probe) => {
    expect(isUnchanged(memory, probe)).toBe(false);
  });

  it.each([
    ["was never read", undefined, "new"],
    ["has nothing but a name", {}, "new"],
    ["is not read to its end", { ...memory, unfinished: { skip: 5, after: "5" } }, "backlog"],
    ["is offered again after it was gone", { ...memory, wholeHistory: true as const }, "whole_history"],
    ["was not read to its end even once", { ...memory, cursor: 0 }, "new"],
  ])("is not enough for a stream that %s", (_, other, reason) => {
    expect(reasonToReadStream(other)).toBe(reason);
    expect(isUnchanged(other ?? {}, { count: 6, newestId: "5" })).toBe(false);
  });
});
