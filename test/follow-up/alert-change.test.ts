import { describe, expect, test } from "@jest/globals";
import { type AlertFacts, changeFor, type Settings } from "../../src/follow-up/alert-change.ts";
import { NO_VERDICTS } from "../../src/follow-up/proof/verdict.ts";
import type { JobAlert } from "../../src/runtime/protocol.ts";

const NOW = 1_780_000_000_000;
const DAY = 86_400_000;
const CLOSING: Settings = { closes: true, keptOpen: null, allowsMassClosing: false };

function alertWith(changes: Partial<JobAlert> = {}): JobAlert {
  const finding = { id: "1", source: "A", target: "B", createdAt: 0 };
  return {
    alertId: "alert-1",
    environmentId: "E",
    findingType: "T0GenericAll",
    status: "open",
    closedBy: null,
    closedAt: null,
    findings: [finding, { ...finding, target: "C" }],
    ...changes,
  };
}

function facts(changes: Partial<AlertFacts> = {}): AlertFacts {
  return {
    alert: alertWith(),
    memory: {},
    counts: { ...NO_VERDICTS, gone: 2 },
    analyses: [NOW - DAY, NOW],
    worstActive: "unknown",
    priority: 80,
    isClosingPaused: false,
    now: NOW,
    ...changes,
  };
}

const closedByJob = { status: "closed", closedBy: "job", closedAt: NOW - DAY } as const;

describe("an alert whose findings are all gone", () => {
  test("is closed with its evidence, and asked for again as long as it is open", () => {
    const { change, memory } = changeFor(facts(), CLOSING);
    expect(change).toMatchObject({ alertId: "alert-1", change: "close", reason: "remediated" });
    expect(change?.evidence).toEqual({
      analyses: [new Date(NOW - DAY).toISOString(), new Date(NOW).toISOString()],
      gone: 2,
      open: 0,
    });
    expect(change?.text).toMatch(
      /All 2 findings of this alert are gone\. Absent since .* UTC\. Complete reads confirmed this up to the analysis of .* UTC\./,
    );
    expect(changeFor(facts({ memory }), CLOSING).change?.change).toBe("close");
  });

  test.each<[string, Partial<Settings>, Partial<JobAlert>]>([
    ["Close Alerts is off", { closes: false }, {}],
    ["its severity is kept open", { keptOpen: "high" }, { severity: "high" }],
    ["its severity is worse than that", { keptOpen: "high" }, { severity: "critical" }],
    ["its severity is not known", { keptOpen: "high" }, {}],
  ])("is only commented on, once, when %s", (_, settings, changes) => {
    const all = { ...CLOSING, ...settings };
    const given = facts({ alert: alertWith(changes) });
    const { change, memory } = changeFor(given, all);
    expect(change).toMatchObject({ change: "comment", reason: "remediated" });
    expect(changeFor({ ...given, memory }, all).change).toBeNull();
  });

  test("is closed when its severity is lower than what is kept open", () => {
    const { change } = changeFor(facts({ alert: alertWith({ severity: "moderate" }) }), {
      ...CLOSING,
      keptOpen: "high",
    });
    expect(change?.change).toBe("close");
  });

  test.each<[string, Partial<AlertFacts>]>([
    ["the pause holds", { isClosingPaused: true }],
    ["a finding is unknown", { counts: { ...NO_VERDICTS, gone: 1, unknown: 1 } }],
    ["it has no findings", { alert: alertWith({ findings: [] }), counts: NO_VERDICTS }],
    ["a person closed it before", { alert: alertWith({ closedBy: "person" }) }],
    ["a person reopened it", { alert: alertWith({ reopenedBy: "person" }) }],
    ["a person reopened it some time ago", { memory: { person: true } }],
    ["somebody reopened it, and not the job", { alert: alertWith({ closedBy: "job" }) }],
    ["somebody reopened what the host had shown as closed", { memory: { closed: true, asked: "close" } }],
  ])("is left alone when %s", (_, changes) => {
    expect(changeFor(facts(changes), CLOSING).change).toBeNull();
  });

  test("is asked for again when the host refused to close it once more", () => {
    const alert = alertWith({ closedBy: "job", closedAt: NOW - 5 * DAY });
    const { memory } = changeFor(facts({ alert, memory: { asked: "reopen", reopened: 1 } }), CLOSING);
    expect(changeFor(facts({ alert, memory }), CLOSING).change?.change).toBe("close");
    const reopened = { ...alert, closedAt: NOW - DAY };
    expect(changeFor(facts({ alert: reopened, memory }), CLOSING).change).toBeNull();
  });

  test("is closed again after the job reopened it", () => {
    const alert = alertWith({ closedBy: "job" });
    expect(changeFor(facts({ alert, memory: { asked: "reopen", reopened: 1 } }), CLOSING).change?.change).toBe("close");
  });
});

describe("an alert that the job closed", () => {
  const counts = { ...NO_VERDICTS, active: 1, gone: 1 };

  test("is reopened when a finding returns, which doubles the wait once", () => {
    const given = facts({ alert: alertWith(closedByJob), counts });
    const { change, memory } = changeFor(given, CLOSING);
    expect(change).toMatchObject({ change: "reopen", reason: "returned" });
    expect(changeFor({ ...given, memory }, CLOSING).memory.reopened).toBe(1);
  });

  test("stays closed when the finding returns after 30 days, or only accepted", () => {
    const late = facts({ alert: alertWith({ ...closedByJob, closedAt: NOW - 31 * DAY }), counts });
    expect(changeFor(late, CLOSING).change).toBeNull();
    const accepted = { ...NO_VERDICTS, accepted: 1, gone: 1 };
    expect(changeFor(facts({ alert: alertWith(closedByJob), counts: accepted }), CLOSING).change).toBeNull();
  });
});

describe("an alert that still has findings", () => {
  test("gets one comment for each change", () => {
    const some = facts({ counts: { ...NO_VERDICTS, active: 1, gone: 1 } });
    const { change, memory } = changeFor(some, CLOSING);
    expect(change).toMatchObject({ change: "comment", reason: "partly_gone", evidence: { gone: 1, open: 1 } });
    expect(changeFor({ ...some, memory }, CLOSING).change).toBeNull();
    const back = changeFor(facts({ memory, counts: { ...NO_VERDICTS, active: 2 } }), CLOSING);
    expect(back.change).toMatchObject({ change: "comment", reason: "returned" });
    expect(back.memory.gone).toBeUndefined();
  });

  test("gets no comment when a wait begins again, nor when that is over", () => {
    const gone = { ...NO_VERDICTS, active: 1, gone: 1 };
    const { memory } = changeFor(facts({ counts: gone }), CLOSING);
    for (const verdict of ["missing", "withdrawn"] as const) {
      const again = changeFor(facts({ memory, counts: { ...NO_VERDICTS, active: 1, [verdict]: 1 } }), CLOSING);
      expect(again).toEqual({ change: null, memory });
    }
    expect(changeFor(facts({ memory, counts: gone }), CLOSING).change).toBeNull();
  });

  test("says how many are gone where one is listed again, and others are missing", () => {
    const alert = alertWith({
      findings: ["A", "B", "C"].map((target) => ({ id: target, source: "S", target, createdAt: 0 })),
    });
    const { memory } = changeFor(facts({ alert, counts: { ...NO_VERDICTS, gone: 2, missing: 1 } }), CLOSING);
    for (const [gone, missing, text] of [
      [1, 1, "1 of 3 findings is gone."],
      [0, 2, "None of its findings counts as gone any more."],
    ] as const) {
      const counts = { ...NO_VERDICTS, gone, missing, active: 1 };
      const { change } = changeFor(facts({ alert, memory, counts }), CLOSING);
      expect(change).toMatchObject({ change: "comment", reason: "partly_gone" });
      expect(change?.text).toContain(text);
    }
  });

  test("is told that one is back after all of them were gone, whatever was listed before", () => {
    const comments = { ...CLOSING, closes: false };
    let { memory } = changeFor(facts({ counts: { ...NO_VERDICTS, active: 1, gone: 1 } }), comments);
    ({ memory } = changeFor(facts({ memory }), comments));
    const { change } = changeFor(facts({ memory, counts: { ...NO_VERDICTS, active: 1, gone: 1 } }), comments);
    expect(change).toMatchObject({ change: "comment", reason: "returned" });
  });

  test("is told that one is back although the wait of another begins again", () => {
    const all = { ...CLOSING, closes: false };
    const { memory } = changeFor(facts(), all);
    const { change } = changeFor(facts({ memory, counts: { ...NO_VERDICTS, active: 1, missing: 1 } }), all);
    expect(change).toMatchObject({ change: "comment", reason: "returned" });
  });

  test("has a low priority while all of them are accepted", () => {
    const counts = { ...NO_VERDICTS, accepted: 2 };
    const { change, memory } = changeFor(facts({ counts }), CLOSING);
    expect(change).toMatchObject({ change: "priority", reason: "accepted", priority: 40 });
    expect(changeFor(facts({ counts, memory }), CLOSING).change).toBeNull();
    const ended = { ...NO_VERDICTS, accepted: 1, active: 1 };
    const alert = alertWith({ priority: 100 });
    expect(changeFor(facts({ alert, counts: ended, memory }), CLOSING).change?.priority).toBe(100);
    expect(changeFor(facts({ counts: ended, memory }), CLOSING).change?.priority).toBe(80);
  });

  test("keeps the low priority that it was delivered with, and nobody is told of a change", () => {
    const accepted = facts({ alert: alertWith({ priority: 40 }), counts: { ...NO_VERDICTS, accepted: 2 } });
    const { change, memory } = changeFor(accepted, CLOSING);
    expect(change).toBeNull();
    const counts = { ...NO_VERDICTS, accepted: 1, active: 1 };
    expect(changeFor({ ...accepted, memory, counts, priority: 40 }, CLOSING).change).toBeNull();
    const worse = changeFor({ ...accepted, memory, counts, priority: 100 }, CLOSING).change;
    expect(worse).toMatchObject({ change: "priority", reason: "acceptance_ended", priority: 100 });
    expect(worse?.text).toContain("The priority of the alert is raised.");
  });

  test("has its priority again when a finding is back, and no acceptance is said to have ended", () => {
    const memory = { accepted: true, gone: 1 } as const;
    const counts = { ...NO_VERDICTS, accepted: 1, active: 1 };
    const { change } = changeFor(facts({ counts, memory }), CLOSING);
    expect(change).toMatchObject({ change: "priority", priority: 80 });
    expect(change?.text).toContain("has a finding whose risk is not accepted");
  });

  test("is told once that it was withdrawn, and never closed for that", () => {
    const given = facts({ counts: { ...NO_VERDICTS, gone: 1, withdrawn: 1 } });
    const { change, memory } = changeFor(given, CLOSING);
    expect(change).toMatchObject({ change: "comment", reason: "withdrawn" });
    expect(changeFor({ ...given, memory }, CLOSING).change).toBeNull();
  });
});
