import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { eventOf, type FindingEvent } from "../../../src/ingestion/mapping/event.ts";
import type { Finding } from "../../../src/service/resources/findings.records.ts";
import { MAPPED_AT, newFinding, ORIGIN, relationship } from "../../support/mapped-findings.ts";

const event = (finding: Finding): FindingEvent =>
  eventOf(newFinding(finding, "17"), { environmentName: "CORP.TEST", origin: ORIGIN, now: MAPPED_AT });

describe("an event", () => {
  it("begins when the finding was created and ends with its last update", () => {
    expect(event(relationship)).toMatchObject({
      start: Date.UTC(2026, 0, 1, 0, 0, 0, 123),
      end: Date.UTC(2026, 0, 1, 10),
    });
  });

  const ZERO = "0001-01-01T00:00:00Z";
  const EARLY = "2026-01-01T00:00:00Z";
  const LATE = "2026-01-01T10:00:00Z";
  it.each<[string | undefined, string | undefined, number, number]>([
    [EARLY, undefined, Date.parse(EARLY), Date.parse(EARLY)],
    [EARLY, ZERO, Date.parse(EARLY), Date.parse(EARLY)],
    [ZERO, LATE, Date.parse(LATE), Date.parse(LATE)],
    [LATE, EARLY, Date.parse(LATE), Date.parse(LATE)],
    [ZERO, ZERO, MAPPED_AT, MAPPED_AT],
    ["soon", undefined, MAPPED_AT, MAPPED_AT],
    ["1970-01-01T00:00:00Z", undefined, MAPPED_AT, MAPPED_AT],
  ])("of a finding created %s and updated %s has times", (created, updated, start, end) => {
    const times = { ...(created && { created_at: created }), ...(updated && { updated_at: updated }) };
    expect(event(times)).toMatchObject({ start, end });
  });

  it("never ends before it begins, and never begins at a time that was not set", () => {
    const text = fc.oneof(
      fc.string(),
      fc.constant(ZERO),
      fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
    );
    fc.assert(
      fc.property(text, text, (created_at, updated_at) => {
        const { start, end } = event({ created_at, updated_at });
        expect(start).toBeGreaterThan(0);
        expect(end).toBeGreaterThanOrEqual(start);
      }),
    );
  });

  it("gives shares in percent with four digits", () => {
    expect(event(relationship)).toMatchObject({ exposure: 87.5, impact: 12.3457 });
    expect(event({ ExposurePercentage: 0, ImpactPercentage: 1 })).toMatchObject({ exposure: 0, impact: 100 });
    expect(event({})).toMatchObject({ exposure: undefined, impact: undefined });
  });

  it("is accepted only when the service says so, until the time that it gives", () => {
    expect(event(relationship)).toMatchObject({ accepted: false, acceptedUntil: undefined });
    const until = "2027-01-01T00:00:00Z";
    expect(event({ Accepted: true, AcceptedUntil: until })).toMatchObject({ accepted: true, acceptedUntil: until });
  });

  it("names the target's domain where it is another one", () => {
    expect(event(relationship).targetDomain).toBeUndefined();
    expect(event({ ToPrincipalProps: { domain: "OTHER.TEST" } }).targetDomain).toBe("OTHER.TEST");
  });
});
