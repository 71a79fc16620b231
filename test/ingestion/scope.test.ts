import { describe, expect, it } from "@jest/globals";
import { nextStart, planOf } from "../../src/ingestion/plan.ts";
import { scopeOf, selectTypes, unofferedTypes } from "../../src/ingestion/scope.ts";

const corp = { id: "S-1", name: "CORP.TEST", collected: true };
const twin = { id: "S-2", name: "corp.test", collected: true };
const cloud = { id: "T-1", name: "Cloud" };
const empty = { id: "S-3", name: "NEW.TEST", collected: false };
const visible = [corp, twin, cloud, empty];

describe("the scope", () => {
  it("takes every collected environment for All, anywhere in the selection and in any letter case", () => {
    for (const selected of [["All"], ["all"], ["x", "ALL"], []]) {
      expect(scopeOf(visible, selected)).toEqual({ chosen: [corp, twin, cloud], unknown: [], uncollected: [empty] });
    }
  });

  it("selects by name or id without letter case; a name shared by two means both", () => {
    expect(scopeOf(visible, ["Corp.Test", "t-1"]).chosen).toEqual([corp, twin, cloud]);
    expect(scopeOf(visible, ["s-2"]).chosen).toEqual([twin]);
  });

  it("names what does not exist and what holds no data", () => {
    expect(scopeOf(visible, ["nowhere", "NEW.TEST"])).toEqual({
      chosen: [],
      unknown: ["nowhere"],
      uncollected: [empty],
    });
  });

  it("compares finding types exactly", () => {
    expect(selectTypes(["B", "A", "B"], ["All"])).toEqual(["A", "B"]);
    expect(selectTypes(["T0Owns", "T0Admins"], ["t0owns", "T0Admins"])).toEqual(["T0Admins"]);
    expect(unofferedTypes(["T0Owns"], ["T0Owns", "t0owns"])).toEqual(["t0owns"]);
    expect(unofferedTypes(["T0Owns"], ["All", "x"])).toEqual([]);
  });
});

describe("the plan", () => {
  const types = [
    { environment: corp, findingTypes: ["A", "B"] },
    { environment: cloud, findingTypes: ["A"] },
  ];
  const names = (plan: ReturnType<typeof planOf>): string[] =>
    plan.map((pair) => `${pair.environmentId} ${pair.findingType}`);

  it("begins where the last run was cut short and still holds every pair once", () => {
    expect(names(planOf(types, { environmentId: "S-1", findingType: "B" }))).toEqual(["S-1 B", "T-1 A", "S-1 A"]);
    expect(names(planOf(types, { environmentId: "gone", findingType: "B" }))).toEqual(["S-1 A", "S-1 B", "T-1 A"]);
    expect(names(planOf(types, null))).toHaveLength(3);
  });

  it("gives the next turn to a pair that had none", () => {
    const plan = planOf(types, null);
    plan.forEach((pair, i) => (pair.progress = i === 1 ? "done" : "unfinished"));
    Object.assign(plan[0]!, { delivered: true });
    expect(nextStart(plan)).toEqual({ environmentId: "T-1", findingType: "A" });
  });

  it("moves on by one when every pair had a turn, so that a large one keeps nobody waiting", () => {
    const plan = planOf(types, null);
    plan.forEach((pair) => Object.assign(pair, { progress: "unfinished", delivered: true }));
    expect(nextStart(plan)).toEqual({ environmentId: "S-1", findingType: "B" });
    plan.forEach((pair) => (pair.progress = "done"));
    expect(nextStart(plan)).toBeNull();
  });
});
