import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { jsonReport, textReport } from "../../../sandbox/soar/report.ts";
import { alertsTable, table, WIDTH, wrap } from "../../../sandbox/soar/tables.ts";

describe("what is printed", () => {
  const unprintable = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u;

  it("never commands the terminal, and stays inside its columns", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "binary", maxLength: 150 }), { minLength: 1, maxLength: 5 }), (texts) => {
        const printed = table(
          [{ title: "A" }, { title: "B", width: 10 }, { title: "C", wrap: true }],
          texts.map((text) => [text, text, text]),
        );
        for (const line of printed.split("\n")) expect(line).not.toMatch(unprintable);
        for (const line of texts.flatMap((text) => wrap(text, 40))) expect(line).not.toMatch(unprintable);
      }),
    );
  });

  it("has the same columns for long names and short ones", () => {
    const row = {
      key: 1,
      id: "a",
      caseId: 1,
      connectorId: "c",
      runId: "r",
      name: "n",
      severity: "high" as const,
      priority: 80,
      status: "open" as const,
      closedBy: null,
      closedAt: null,
      reopenedBy: null,
    };
    const times = { startTime: 0, endTime: Date.UTC(2026, 10, 20, 9, 5), events: 12 };
    const printed = alertsTable([
      { ...row, ...times, title: "Short", environmentId: "e", environmentName: "A.LOCAL", findingType: "T" },
      {
        ...row,
        ...times,
        title: "L".repeat(200),
        environmentId: "e",
        environmentName: "B".repeat(200),
        findingType: "T",
      },
    ]);
    const lines = printed.split("\n");
    expect(lines).toHaveLength(4);
    expect(new Set(lines.map((line) => line.length)).size).toBeLessThanOrEqual(2);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(WIDTH);
    expect(lines[2]).toMatch(/high +A\.LOCAL +Short +12 {2}2026-11-20 09:05$/);
    expect(lines[3]).toContain("LLL…");
  });
});

describe("a report", () => {
  function capture(isTTY: boolean) {
    const written: string[] = [];
    const out = { isTTY, write: (text: string) => written.push(text) } as unknown as NodeJS.WriteStream;
    return { out, text: () => written.join("") };
  }

  it("for people has the step, its sentence wrapped, and its tables, but no progress line without a terminal", () => {
    const { out, text } = capture(false);
    const report = textReport(out);
    report.progress(1, 2, "findings");
    report.step({ name: "Ping", ok: true, ms: 1234, message: "word ".repeat(30).trim() });
    report.step({ name: "Poll", ok: false, message: "No.", tables: [["Alerts", "table"]] });
    report.end();
    const lines = text().split("\n");
    expect(lines[0]).toMatch(/^Ping {12}word/);
    expect(lines[1]).toMatch(/^ {16}word.*\(1\.2 s\)$/);
    expect(lines.slice(2)).toEqual(["Poll ✗          No.", "", "Alerts", "table", "", ""]);
  });

  it("for programs is one document", () => {
    const whole = capture(false);
    const report = jsonReport(whole.out);
    report.step({ name: "Ping", ok: true, ms: 5, message: "Yes.", facts: { value: true } });
    report.step({ name: "Poll", ok: false, message: "No." });
    report.end();
    expect(JSON.parse(whole.text())).toEqual({
      ok: false,
      steps: [
        { step: "Ping", ok: true, message: "Yes.", ms: 5, value: true },
        { step: "Poll", ok: false, message: "No." },
      ],
    });
  });
});
