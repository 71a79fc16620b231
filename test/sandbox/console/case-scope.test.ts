import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { eventSentence, fieldLabel, fieldText } from "../../../sandbox/console/browser/pages/case/event-text.ts";
import {
  askedBy,
  fittingAction,
  objectsIn,
  scopeOf,
  type Scope,
} from "../../../sandbox/console/browser/pages/case/scope.ts";
import { subjectOfEntity } from "../../../sandbox/console/browser/pages/case/subject.ts";
import { instant } from "../../../sandbox/console/browser/format.ts";
import type { AlertFinding, FindingEnd } from "../../../sandbox/console/contract/index.ts";
import type { Manifest } from "../../../src/manifest/manifest.ts";
import { rootDir } from "../../support/package.ts";

const integration = JSON.parse(readFileSync(join(rootDir, "integration.json"), "utf8")) as Manifest;

const object = (id: string): FindingEnd => ({ id, name: `${id}@CORP.TEST`, kind: "User" });
const finding = (position: number, source: string | null, target: string): AlertFinding => ({
  position,
  severity: "high",
  title: "Full Control",
  source: source === null ? null : object(source),
  target: object(target),
});
const findings = [finding(0, "A", "X"), finding(1, "B", "Y"), finding(2, "A", "X"), finding(3, "X", "X")];
const whole: Scope = { finding: null, start: null, end: null };

describe("what an action is asked from a case", () => {
  const paths = integration.actions.find(({ name }) => name === "Does Path Exist")!.parameters;
  const assets = integration.actions.find(({ name }) => name === "Fetch Assets")!.parameters;
  const ask = (scope: Partial<Scope>, all = findings, parameters = paths) =>
    askedBy(parameters, { ...whole, ...scope }, { findings: all, objects: objectsIn(all, null) });

  it("is each pair of the findings once, with the parameters left empty so that severities are kept", () => {
    const asked = ask({});
    expect(asked).toMatchObject({ parameters: {}, findings: null, isPossible: true });
    expect(asked.sentence).toBe("Asks whether 2 paths exist: A@CORP.TEST → X@CORP.TEST, B@CORP.TEST → Y@CORP.TEST.");
  });

  it("is the findings between the two ends that were chosen", () => {
    expect(ask({ start: "A", end: "X" })).toMatchObject({ parameters: {}, findings: [0, 2] });
    expect(ask({ start: "B" })).toMatchObject({ parameters: {}, findings: [1] });
    expect(ask({ finding: 1 })).toMatchObject({ parameters: {}, findings: [1] });
  });

  it("is any other pair by object ids, and one chosen end against the other ends of the findings, each once", () => {
    expect(ask({ start: "B", end: "X" }).parameters).toEqual({ "Start Node": ["B"], "End Node": ["X"] });
    const asked = ask({ start: "Y" });
    expect(asked.parameters).toEqual({ "Start Node": ["Y"], "End Node": ["X"] });
    expect(asked.sentence).toBe("Asks whether 1 path exists: Y@CORP.TEST → X@CORP.TEST.");
  });

  it("says what is missing instead of running into an error", () => {
    const lists = [finding(0, null, "X")];
    expect(ask({}, lists)).toMatchObject({ isPossible: false, sentence: "The findings have no start. Choose Start." });
    expect(ask({ start: "A", end: "A" })).toMatchObject({ isPossible: false });
  });

  it("is every object of the findings once, or the chosen one", () => {
    expect(ask({}, findings, assets).parameters).toEqual({ "Object IDs": ["A", "B", "X", "Y"] });
    expect(ask({ start: "B" }, findings, assets).parameters).toEqual({ "Object IDs": ["B"] });
  });

  it("takes an entity that has a name and an object id for one object", () => {
    const subject = subjectOfEntity("A@CORP.TEST");
    const objects = objectsIn(findings, subject);
    expect(objects.map(({ id }) => id)).toEqual(["A", "B", "X", "Y"]);
    expect(scopeOf(subject, objects)).toEqual({ finding: null, start: "A", end: null });
  });

  it("starts with the action that fits: paths for two ends, assets for one object", () => {
    const { actions } = integration;
    expect(fittingAction(actions, findings, null)).toBe("Does Path Exist");
    expect(fittingAction(actions, [finding(0, null, "X")], null)).toBe("Fetch Assets");
    expect(fittingAction(actions, findings, subjectOfEntity("A"))).toBe("Fetch Assets");
  });
});

describe("an event in words", () => {
  const at = 1_795_269_672_614;
  const event = {
    finding_type: "T0WriteDACL",
    title: "Write DACL",
    severity: "critical",
    source_principal_name: "ADA@CORP.TEST",
    target_principal_name: "ADMINS@CORP.TEST",
    target_principal_kind: "Group",
    target_tier_zero: true,
    start_time: at,
  };

  it("is a sentence that says who can do what, how bad it is and since when", () => {
    expect(eventSentence(event)).toBe(
      `ADA@CORP.TEST can take over ADMINS@CORP.TEST: WriteDacl on a Tier Zero group; critical; first seen ${instant(at)}.`,
    );
    const { source_principal_name: _, ...list } = event;
    expect(eventSentence(list)).toBe(`Write DACL: ADMINS@CORP.TEST; critical; first seen ${instant(at)}.`);
  });

  it("has fields with readable names, times and values", () => {
    expect(fieldLabel("source_object_id")).toBe("Source object ID");
    expect(fieldText("start_time", at)).toBe(instant(at));
    expect(fieldText("created_at", new Date(at).toISOString())).toBe(instant(at));
    expect(fieldText("accepted", false)).toBe("No");
    expect(fieldText("exposure_percentage", 23.9)).toBe("23.9 %");
  });
});
