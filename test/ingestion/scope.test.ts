import { describe, expect, it } from "@jest/globals";
import { Ring, startingAt } from "../../src/ingestion/scope.ts";

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
