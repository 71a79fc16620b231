import { describe, expect, test } from "@jest/globals";
import { type AlertFacts, changeFor, type Settings } from "../../src/follow-up/alert-change.ts";
import type { AlertMemory } from "../../src/follow-up/state/state.ts";
import { NO_VERDICTS } from "../../src/follow-up/proof/verdict.ts";
import type { JobAlert, Priority } from "../../src/runtime/protocol.ts";

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
    worstListed: "unknown",
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
    ["its severity was not known when it was delivered", { keptOpen: "high" }, { severity: "unknown" }],
  ])("is only commented on, once, when %s", (_, settings, changes) => {
    const all = { ...CLOSING, ...settings };
    const given = facts({ alert: alertWith(changes) });
    const { change, memory } = changeFor(given, all);
    expect(change).toMatchObject({ change: "comment", reason: "remediated" });
    expect(changeFor({ ...given, memory }, all).change).toBeNull();
  });

  test("is kept open when a finding was worse than the severity that it was delivered with", () => {
    const alert = alertWith({ severity: "low" });
    const { memory } = changeFor(facts({ alert, counts: { ...NO_VERDICTS, accepted: 2 }, worstListed: "high" }), {
      ...CLOSING,
      keptOpen: "high",
    });
    expect(changeFor(facts({ alert, memory }), { ...CLOSING, keptOpen: "high" }).change?.change).toBe("comment");
    expect(changeFor(facts({ alert, memory }), { ...CLOSING, keptOpen: "critical" }).change?.change).toBe("close");
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

  test("is reopened although Close Alerts is off by now", () => {
    const given = facts({ alert: alertWith(closedByJob), counts });
    expect(changeFor(given, { ...CLOSING, closes: false }).change?.change).toBe("reopen");
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

  describe("whose risk is accepted, and then not any more", () => {
    const all = { ...NO_VERDICTS, accepted: 2 };
    const ended = { ...NO_VERDICTS, accepted: 1, active: 1 };

    type Run = { counts: AlertFacts["counts"]; priorityOfFindings?: Priority; closes?: boolean };

    /** What the host is asked for in runs one after the other; what it knows of the priority is in the alert. */
    function runs(...given: (Partial<JobAlert> & Run)[]) {
      let memory: AlertMemory = {};
      return given.map(({ counts, priorityOfFindings: priority = 80, closes = true, ...alert }) => {
        const step = changeFor(facts({ alert: alertWith(alert), counts, memory, priority }), { ...CLOSING, closes });
        ({ memory } = step);
        return step.change?.priority ?? step.change?.text ?? null;
      });
    }

    test("has a low priority meanwhile, is asked for once, and has the old one again afterwards", () => {
      expect(runs({ counts: all }, { counts: all }, { counts: ended })).toEqual([40, null, 80]);
      const [high, low] = [{ priority: 100 }, { priority: 100, currentPriority: 40 }] as const;
      expect(runs({ ...high, counts: all }, { ...high, counts: ended })).toEqual([40, 100]);
      expect(runs({ ...high, currentPriority: 60, counts: all }, { ...low, counts: ended })).toEqual([40, 60]);
    });

    test("keeps the low priority that it has, until a worse finding is not accepted", () => {
      const low = { priority: 40 } as const;
      expect(runs({ ...low, counts: all }, { ...low, counts: ended, priorityOfFindings: 40 })).toEqual([null, null]);
      expect(runs({ ...low, counts: all }, { ...low, counts: ended, priorityOfFindings: 100 })).toEqual([null, 100]);
      const unknown = { priority: -1, currentPriority: -1 } as const;
      expect(runs({ ...unknown, counts: all }, { ...unknown, counts: ended })).toEqual([null, 80]);
    });

    test.each<[string, (current: Priority) => Partial<JobAlert>]>([
      ["does not say what priority it has now", () => ({ priority: 40 })],
      ["says what priority it has now", (currentPriority) => ({ priority: 40, currentPriority })],
    ])("is lowered again when its findings are accepted once more, if the host %s", (_, now) => {
      const given = [
        { ...now(40), counts: all },
        { ...now(40), counts: ended },
        { ...now(80), counts: all },
        { ...now(40), counts: ended, priorityOfFindings: 100 },
      ] as const;
      expect(runs(...given)).toEqual([null, 80, 40, 80]);
    });

    test("has the priority that it was delivered with again if a killed run has left no memory of another one", () => {
      const low = { priority: 100, currentPriority: 40 } as const;
      expect(runs({ ...low, counts: all }, { ...low, counts: ended, priorityOfFindings: 60 })).toEqual([null, 100]);
    });

    test("waits for a severity when only the graph has the finding that is not accepted", () => {
      const low = { priority: 40 } as const;
      const given = [{ counts: all }, { counts: ended, priorityOfFindings: -1 as const }, { counts: ended }];
      expect(runs(...given.map((each) => ({ ...low, ...each })))).toEqual([null, null, 80]);
    });

    test("keeps the lowest priority that somebody has set before", () => {
      const informative = { priority: 80, currentPriority: -1 } as const;
      const kept = expect.stringContaining("so it stays as it is.") as unknown;
      expect(runs({ ...informative, counts: all }, { ...informative, counts: ended })).toEqual([null, kept]);
    });

    test("goes by what the host said of its priority last when it says nothing", () => {
      const [high, chosen] = [{ priority: 80 }, { priority: 80, currentPriority: 100 }] as const;
      const kept = expect.any(String) as unknown;
      expect(runs({ ...high, counts: all }, { ...chosen, counts: ended }, { ...high, counts: all })).toEqual([
        ...[40, kept, 40],
      ]);
    });

    test("gets the comment on what is gone in the run in which its priority stays", () => {
      const counts = { ...NO_VERDICTS, accepted: 1, gone: 1 };
      const comment = expect.stringContaining("1 of 2 findings is gone.") as unknown;
      expect(runs({ priority: 40, counts })).toEqual([comment]);
    });

    test("is only commented on, once, while Close Alerts is off", () => {
      const off = { priority: 80, closes: false } as const;
      const accepted = expect.stringMatching(
        /was accepted .* stays as it is because Close Alerts is off\.$/,
      ) as unknown;
      const notAccepted = expect.stringMatching(/is not accepted\. Its priority stays as it is\.$/) as unknown;
      const [is, isNot] = [
        { ...off, counts: all },
        { ...off, counts: ended },
      ];
      expect(runs(is, is, isNot, isNot, is)).toEqual([accepted, null, notAccepted, null, accepted]);
      const gone = { ...off, counts: { ...NO_VERDICTS, accepted: 1, gone: 1 } };
      expect(runs(is, gone, gone)).toEqual([accepted, expect.stringContaining("1 of 2 findings is gone."), null]);
      const missing = { ...off, counts: { ...NO_VERDICTS, accepted: 1, missing: 1 } };
      expect(runs(is, missing, is, missing, isNot)).toEqual([accepted, null, null, null, notAccepted]);
    });

    test("is not raised while Close Alerts is off where the job had found it low", () => {
      const off = { priority: 40, closes: false } as const;
      const notAccepted = expect.stringMatching(/is not accepted\. Its priority stays as it is\.$/) as unknown;
      expect(runs({ ...off, counts: all }, { ...off, counts: ended }, { ...off, counts: ended })).toEqual([
        ...[null, notAccepted, null],
      ]);
    });

    test("is lowered once Close Alerts is on, and raised again although it is off by then", () => {
      const off = { priority: 80, closes: false } as const;
      const given = [
        { ...off, counts: all },
        { priority: 80, counts: all },
        { ...off, counts: all },
        { ...off, counts: ended },
      ] as const;
      expect(runs(...given)).toEqual([expect.any(String), 40, null, 80]);
    });

    test("keeps what somebody else has set meanwhile, and says so once", () => {
      const high = { priority: 80, currentPriority: 80 } as const;
      const chosen = { priority: 80, currentPriority: 100 } as const;
      const kept = expect.stringMatching(/Somebody else has changed its priority, so it stays as it is\.$/) as unknown;
      const given = [
        { ...high, counts: all },
        { ...chosen, counts: ended },
        { ...chosen, counts: ended },
      ];
      expect(runs(...given)).toEqual([40, kept, null]);
      // The host has it as it would be set.
      expect(runs({ ...high, counts: all }, { ...high, counts: ended })).toEqual([40, null]);
    });
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
