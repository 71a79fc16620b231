import { describe, expect, it } from "@jest/globals";
import { readCaseContext } from "../../../src/investigation/case-context.ts";
import { summaryOf } from "../../../src/investigation/paths/path-summary.ts";
import { pathInsight, pathTables } from "../../../src/investigation/paths/path-wall.ts";
import type { PathEntry } from "../../../src/investigation/paths/path-entry.ts";
import type { Severity } from "../../../src/runtime/protocol.ts";

const node = (name: string) => ({ objectId: `ID-${name}`, name, kind: "User" });
const nothing = { length: null, hops: [], alternatives: [], truncated: false };

/** "A B C" is a path from A over B to C. */
function open(names: string, { severity, tierZero }: { severity?: Severity; tierZero?: string[] } = {}): PathEntry {
  const [start, ...others] = names.split(" ").map(node);
  const hops = others.map((to, index) => ({ from: [start, ...others][index]!, relation: "AdminTo", to }));
  return {
    ...nothing,
    start: start!,
    end: others.at(-1)!,
    status: "path",
    exists: true,
    length: hops.length,
    hops,
    ...(severity && { severity }),
    ...(tierZero && { tierZero: tierZero.map((name) => `ID-${name}`) }),
  };
}
const closed = (start: string, end: string): PathEntry => ({
  ...nothing,
  start: node(start),
  end: node(end),
  status: "no_path",
  exists: false,
});
const failed = (start: string, end: string): PathEntry => ({
  ...closed(start, end),
  status: "failed",
  exists: null,
  error: `${start} was not found.`,
});

describe("the summary of some pairs", () => {
  it("counts them, names the worst open one, and reports the open ones first, worst first", () => {
    const entries = [
      closed("E", "F"),
      open("A B C", { severity: "low" }),
      failed("X", "Y"),
      open("C D", { severity: "critical" }),
    ];
    expect(summaryOf(true, entries)).toEqual({
      verdict: "open",
      open: 2,
      closed: 1,
      unanswered: 1,
      worst: "critical",
      ends: "ID-C,ID-D,ID-A",
      report: [
        "Open: 2",
        "- C to D (1 hop), critical",
        "- A to C (2 hops), low",
        "Closed: 1",
        "- E to F",
        "Could not be checked: 1",
        "- X was not found.",
      ].join("\n"),
    });
  });

  it("counts findings that the platform has not kept as not answered", () => {
    const { unanswered, report } = summaryOf(null, [closed("A", "B")], { lost: 3 });
    expect([unanswered, report]).toEqual([3, "Closed: 1\n- A to B\nNot kept by the platform, and not checked: 3"]);
  });

  it("is closed only when every pair was answered", () => {
    expect(summaryOf(false, [closed("A", "B")])).toMatchObject({ verdict: "closed", worst: "unknown", ends: "" });
    expect(summaryOf(null, [closed("A", "B"), failed("C", "D")])).toMatchObject({ verdict: "unknown" });
  });

  it("does not count the severity of a closed path", () => {
    const entries = [{ ...closed("A", "B"), severity: "critical" as const }, open("A C", { severity: "moderate" })];
    expect(summaryOf(true, entries).worst).toBe("moderate");
  });

  it("counts a finding as open whose relationship gives no control, and says that it is no attack path", () => {
    const entry = { ...open("A B", { severity: "high", tierZero: ["B"] }), givesControl: false };
    expect(summaryOf(true, [entry])).toMatchObject({ verdict: "open", open: 1, worst: "high" });
    expect(summaryOf(true, [entry]).report).toBe("Open: 1\n- A to B (AdminTo, no attack path), high");
  });

  it("names of equally severe ones the shortest first, and no severity of what is not open", () => {
    const entries = [
      open("A B C D", { severity: "high" }),
      open("E F", { severity: "high" }),
      { ...closed("G", "H"), severity: "critical" as const },
    ];
    const lines = ["Open: 2", "- E to F (1 hop), high", "- A to D (3 hops), high", "Closed: 1", "- G to H"];
    expect(summaryOf(true, entries).report).toBe(lines.join("\n"));
  });

  it("leaves out ends whose object ids the service did not name", () => {
    expect(summaryOf(true, [{ ...open("A B"), end: { ...node("B"), objectId: null } }]).ends).toBe("ID-A");
  });

  it("stays short with five hundred pairs", () => {
    const many = Array.from({ length: 500 }, (_, index) => open(`S${index} T${index}`, { severity: "high" }));
    const { report, ends } = summaryOf(true, many);
    expect(report.split("\n")).toHaveLength(27);
    expect(report).toContain("- and 475 more, which are in the result of Does Path Exist");
    expect(ends.split(",")).toHaveLength(50);
  });
});

describe("the tables of some pairs", () => {
  it("are the hops alone for a single pair", () => {
    expect(pathTables([open("A B C", { tierZero: ["C"] })])).toEqual([
      {
        title: "Hops",
        columns: ["Path", "Hop", "From", "Relation", "To", "Tier Zero"],
        rows: [
          ["A to C", 1, "A", "AdminTo", "B", ""],
          ["A to C", 2, "B", "AdminTo", "C", "yes"],
        ],
      },
    ]);
    expect(pathTables([closed("A", "B")])).toEqual([]);
    // An object leads to itself, and a result may be too large for the hops.
    expect(pathTables([{ ...open("A B"), hops: [] }])).toEqual([]);
  });

  it("begin with the pairs when there are several: open ones, then those without an answer", () => {
    const entries = [closed("E", "F"), failed("X", "Y"), open("A B", { severity: "high", tierZero: ["B"] })];
    const [pairs] = pathTables([...entries, ...entries]);
    expect(pairs).toEqual({
      title: "Checked Paths",
      columns: ["Start", "End", "Path", "Hops", "Severity", "To Tier Zero"],
      rows: [
        ["A", "B", "open", 1, "high", "yes"],
        ["X", "Y", "X was not found.", "", "", ""],
        ["E", "F", "none", "", "", ""],
      ],
    });
  });

  it("have the hops of a path once, however many findings of different severities are about it", () => {
    const findings = (["low", "high"] as const).map((severity) => open("A B C", { severity }));
    const [pairs, hops] = pathTables(findings);
    expect(pairs?.rows.map((row) => row[4])).toEqual(["high", "low"]);
    expect(hops?.rows).toHaveLength(2);
  });

  it("do not say that a relationship without control leads to Tier Zero", () => {
    const entry = { ...open("A B", { tierZero: ["B"] }), givesControl: false };
    const [pairs] = pathTables([entry, closed("E", "F")]);
    expect(pairs?.rows[0]).toEqual(["A", "B", "relationship only", 1, "", ""]);
  });

  it("have two hundred rows, and say how many are left out", () => {
    const many = Array.from({ length: 300 }, (_, index) => open(`S${index} M${index} T${index}`));
    expect(pathTables(many).map(({ rows, note }) => [rows.length, note])).toEqual([
      [200, "100 of 300 rows are left out here. The JSON result has them."],
      [200, "400 of 600 rows are left out here. The JSON result has them."],
    ]);
  });

  it("hold no control characters and no megabytes, whatever the service calls an object", () => {
    const [table] = pathTables([open(`A\u001b[31m\u202e ${"B".repeat(1_000_000)}`)]);
    expect(JSON.stringify(table)).not.toMatch(/u001b|\u202e/);
    expect(JSON.stringify(table).length).toBeLessThan(2_000);
  });
});

describe("the insight of some pairs", () => {
  it("draws the path that leads into Tier Zero", () => {
    expect(pathInsight([open("A B C", { tierZero: ["C"] }), open("A B")])).toEqual({
      insight: {
        title: "Attack path to Tier Zero",
        text: "An attack path leads into Tier Zero: A -AdminTo-> B -AdminTo-> C. Whoever controls A can take over the environment.",
        severity: "critical",
      },
    });
  });

  it("draws eight hops at most, and of a longer path or one without hops only the ends", () => {
    const textOf = (path: PathEntry): string | undefined => pathInsight([path]).insight?.text.split(". ")[0];
    const into = { tierZero: ["T"] };
    expect(textOf(open("A B C D E F G H T", into))).toMatch(/: A( -AdminTo-> [B-HT]){8}$/);
    expect(textOf(open("A B C D E F G H I T", into))).toMatch(/: A to T \(9 hops\)$/);
    expect(textOf({ ...open("A B T", into), hops: [] })).toMatch(/: A to T \(2 hops\)$/);
    // Another shortest path leads through X.
    expect(textOf(open("A B C", { tierZero: ["X"] }))).toMatch(/: A to C \(2 hops\)$/);
  });

  it("names several with the worst first", () => {
    const entries = [
      open("A B", { severity: "low", tierZero: ["B"] }),
      open("C D", { severity: "high", tierZero: ["D"] }),
    ];
    expect(pathInsight(entries).insight?.text).toBe(
      "2 attack paths lead into Tier Zero: C to D (1 hop), A to B (1 hop). Whoever controls one of the starts can take over the environment.",
    );
  });

  it("counts a path once, however many findings of different severities are about it", () => {
    const into = { tierZero: ["B"] };
    const findings = (["low", "critical", "high"] as const).map((severity) => open("A B", { severity, ...into }));
    expect(pathInsight(findings).insight?.text).toMatch(/^An attack path leads into Tier Zero: A -AdminTo-> B\. /);
    expect(pathInsight([...findings, open("C B", into)]).insight?.text).toMatch(
      /^2 attack paths lead into Tier Zero: A to B \(1 hop\), C to B \(1 hop\)\. /,
    );
  });

  it("is none for a path within Tier Zero, one that does not reach it, and one that is closed", () => {
    // Each has ends of its own: a pair that was given twice is looked at once.
    expect(pathInsight([open("A B", { tierZero: ["A", "B"] }), open("C D"), closed("E", "F")])).toEqual({});
  });

  it("is none for a finding about a relationship that gives no control", () => {
    expect(pathInsight([{ ...open("A B", { tierZero: ["B"] }), givesControl: false }])).toEqual({});
  });
});

describe("the severity of a finding of the alert", () => {
  const severityOf = (finding: object) =>
    readCaseContext({ findings: [{ source: "S-1", target: "S-2", ...finding }] }, Date.UTC(2026, 10, 29)).findings[0]
      ?.severity;

  it("is that of the event, and at most low when the risk was accepted", () => {
    expect(severityOf({ severity: "critical", accepted: false })).toBe("critical");
    expect(severityOf({ severity: "critical", accepted: true })).toBe("low");
    for (const accepted of ["true", "True"]) expect(severityOf({ severity: "critical", accepted })).toBe("low");
    expect(severityOf({ severity: "unknown", accepted: true })).toBe("unknown");
  });

  it("is that of the event again once the acceptance has ended", () => {
    const accepted = { severity: "critical", accepted: true };
    expect(severityOf({ ...accepted, acceptedUntil: "2026-11-29T00:00:00Z" })).toBe("critical");
    expect(severityOf({ ...accepted, acceptedUntil: "2026-11-29T01:00:01+01:00" })).toBe("low");
    for (const acceptedUntil of [null, "never", 5]) expect(severityOf({ ...accepted, acceptedUntil })).toBe("low");
  });

  it("is left out when the host does not pass it on", () => {
    for (const severity of [undefined, null, "SEVERE", 5]) expect(severityOf({ severity })).toBeUndefined();
  });
});
