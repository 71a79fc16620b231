import { describe, expect, it } from "@jest/globals";
import { Ring, scopeOf, selectTypes, startingAt, unofferedTypes } from "../../src/ingestion/scope.ts";

const corp = { id: "S-1", name: "CORP.TEST", collected: true };
const twin = { id: "S-2", name: "corp.test", collected: true };
const cloud = { id: "T-1", name: "Cloud" };
const empty = { id: "S-3", name: "NEW.TEST", collected: false };
const visible = [corp, twin, cloud, empty];

describe("the environments of a poll", () => {
  it.each([[["All"]], [["all"]], [["x", "ALL"]], [[]]])(
    "are all with collected data for the selection %j",
    (selection) => {
      expect(scopeOf(visible, selection, 2)).toEqual({
        selected: [corp, twin, cloud],
        unknown: [],
        uncollected: [empty],
        visible,
        unreadable: 2,
      });
    },
  );

  it("are selected by name or id without letter case; a name that two share means both", () => {
    expect(scopeOf(visible, ["Corp.Test", " t-1 "], 0).selected).toEqual([corp, twin, cloud]);
    expect(scopeOf(visible, ["s-2"], 0).selected).toEqual([twin]);
  });

  it("are named when they do not exist or hold no data", () => {
    expect(scopeOf(visible, ["nowhere", "NEW.TEST"], 0)).toMatchObject({
      selected: [],
      unknown: ["nowhere"],
      uncollected: [empty],
    });
  });

  it("are read once when the service lists one twice", () => {
    expect(scopeOf([corp, cloud, corp], [], 0).selected).toEqual([corp, cloud]);
    expect(scopeOf([corp, cloud, { ...corp, collected: false }], [], 0).selected).toEqual([corp, cloud]);
  });
});

describe("the finding types of a poll", () => {
  it("compare exactly and come in a fixed order", () => {
    expect(selectTypes(["B", "A", "B"], ["All"])).toEqual(["A", "B"]);
    expect(selectTypes(["T0Owns", "T0Admins"], ["t0owns", "T0Admins"])).toEqual(["T0Admins"]);
  });

  it("are named when no environment offers them", () => {
    expect(unofferedTypes(["T0Owns"], ["T0Owns", "t0owns"])).toEqual(["t0owns"]);
    expect(unofferedTypes(["T0Owns"], ["All", "x"])).toEqual([]);
  });
});

describe("the order of a poll", () => {
  it("begins where the last run was cut short and holds every entry once", () => {
    expect(startingAt(["a", "b", "c"], (entry) => entry === "b")).toEqual(["b", "c", "a"]);
    expect(startingAt(["a", "b"], (entry) => entry === "gone")).toEqual(["a", "b"]);
    expect(startingAt([], () => true)).toEqual([]);
  });
});

describe("a ring of names", () => {
  it("goes on behind each name, with the first one behind the last and behind one that it does not have", () => {
    const ring = new Ring(["A", "B"]);
    ring.add("C");
    expect(["A", "B", "C", "D"].map((name) => ring.behind(name))).toEqual(["B", "C", "A", "A"]);
    expect(new Ring([]).behind("A")).toBe("A");
  });
});
