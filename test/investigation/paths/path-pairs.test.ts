import { describe, expect, it } from "@jest/globals";
import { readCaseContext } from "../../../src/investigation/case-context.ts";
import { choosePairs, chooseStarts } from "../../../src/investigation/paths/path-pairs.ts";
import type { JsonObject } from "../../../src/runtime/protocol.ts";

function choose(starts: string[] | null, ends: string[] | null, context: JsonObject = {}) {
  const { pairs, note } = choosePairs(starts, ends, readCaseContext(context, 0));
  return { pairs: pairs.map(({ start, end }) => `${start}>${end}`), note };
}

const entities = [
  { identifier: "alice@a", type: "USERUNIQNAME" },
  { identifier: "10.0.0.1", type: "ADDRESS" },
  { identifier: "https://x.test", type: "DestinationURL" },
  { identifier: "d41d8cd9", type: "FILEHASH" },
  { identifier: "ALICE@A", type: "GENERICENTITY" },
  { identifier: "SRV01.A", type: "HOSTNAME" },
];
const findings = [
  { source: "S-1", target: "S-2" },
  { source: null, target: "S-3" },
  { source: "S-4", target: "S-5" },
];

describe("choosePairs", () => {
  it("pairs the values one by one, repetitions included", () => {
    expect(choose(["A", "A", "B"], ["X", "Y", "X"])).toEqual({ pairs: ["A>X", "A>Y", "B>X"], note: "" });
  });

  it("pairs one value with many, on either side", () => {
    expect(choose(["A"], ["X", "Y"]).pairs).toEqual(["A>X", "A>Y"]);
    expect(choose(["A", "B"], ["X"]).pairs).toEqual(["A>X", "B>X"]);
  });

  it("refuses lists of unequal length, and says how long they are", () => {
    expect(() => choose(["A", "B"], ["X", "Y", "Z"])).toThrow("Start Node has 2 values and End Node has 3 values.");
  });

  it("pairs each selected entity with every value of the other end, because nobody chose their order", () => {
    const both = ["A>alice@a", "A>SRV01.A", "B>alice@a", "B>SRV01.A"];
    expect(choose(["A", "B"], null, { entities }).pairs).toEqual(both);
    expect(choose(null, ["X", "Y", "Z"], { entities }).pairs).toHaveLength(6);
  });

  it("refuses more pairs of selected entities than it can check or list, and says what to reduce", () => {
    const many = (length: number) => Array.from({ length }, (_, index) => `A${index}`);
    expect(() => choose(many(251), null, { entities })).toThrow(
      "Start Node and the selected entities make 502 different pairs, and at most 500 can be checked. Enter fewer values in Start Node, or select fewer entities.",
    );
    expect(() => choose(null, many(10_001), { entities })).toThrow(
      "End Node and the selected entities make 20002 pairs, and at most 20000 can be listed. Enter fewer values in End Node",
    );
  });

  it("refuses more than 500 different pairs, however they are repeated", () => {
    const many = (length: number) => Array.from({ length }, (_, index) => `A${index}`);
    expect(choose(["X"], [...many(500), ...many(500), "a0"]).pairs).toHaveLength(1001);
    expect(() => choose(["X"], many(501))).toThrow("Start Node and End Node make 501 different pairs");
    expect(() => choose(["X"], Array<string>(20_001).fill("A"))).toThrow("20001 pairs");
    const ends = many(501).map((source) => ({ source, target: "T" }));
    const advice = "Enter Start Node and End Node, with the object ids of up to 500 findings.";
    for (const [given, made] of [
      [ends, "501 different pairs, and at most 500 can be checked."],
      [Array(20_001).fill(ends[0]), "20001 pairs, and at most 20000 can be listed."],
    ] as const)
      expect(() => choose(null, null, { findings: [...given] })).toThrow(
        `The findings of the alert make ${made} ${advice}`,
      );
  });

  it("takes the selected entities for one empty end, each once, without those that no directory holds", () => {
    expect(choose(null, ["X"], { entities })).toEqual({
      pairs: ["alice@a>X", "SRV01.A>X"],
      note: "Used the selected entities as Start Node: alice@a, SRV01.A.",
    });
    expect(choose(["A"], null, { entities, findings }).pairs).toEqual(["A>alice@a", "A>SRV01.A"]);
  });

  it("checks the findings of the alert that have a source when both ends are empty", () => {
    expect(choose(null, null, { entities, findings })).toEqual({
      pairs: ["S-1>S-2", "S-4>S-5"],
      note: "Checked the findings of the alert.",
    });
  });

  it("says how many findings of the alert it does not check because the platform has not kept them", () => {
    const { note, lost } = choosePairs(null, null, readCaseContext({ findings, findingsLost: 118 }, 0));
    expect([note, lost]).toEqual([
      "Checked the findings of the alert. Could not check 118 more findings of it: the platform has not kept what they join. Look the alert up in the service.",
      118,
    ]);
    expect(() => choose(null, null, { entities, findingsLost: 1 })).toThrow("the platform has not kept");
    const itself = [{ source: "S-1", target: "S-1" }];
    expect(() => choose(null, null, { findings: itself, findingsLost: 3 })).toThrow(
      /no finding of the alert has a source and a target that differ\. .* Could not check 3 more findings of it/,
    );
    expect(choosePairs(["A"], ["X"], readCaseContext({ findings, findingsLost: 118 }, 0)).lost).toBe(0);
  });

  it("lets explicit values win", () => {
    expect(choose(["A"], ["X"], { entities, findings })).toEqual({ pairs: ["A>X"], note: "" });
  });

  it("leaves out what the case pairs with itself, and keeps what was entered so", () => {
    expect(choose(null, ["ALICE@A"], { entities })).toEqual({
      pairs: ["SRV01.A>ALICE@A"],
      note: "Used the selected entities as Start Node: alice@a, SRV01.A. Left out alice@a: start and end are the same object.",
    });
    const rest = ["A>alice@a", "A>SRV01.A", "SRV01.A>alice@a"];
    expect(choose(["A", "SRV01.A"], null, { entities }).pairs).toEqual(rest);
    expect(choose(null, null, { findings: [{ source: "S-1", target: "s-1" }, ...findings] }).pairs).toEqual([
      "S-1>S-2",
      "S-4>S-5",
    ]);
    expect(choose(["A"], ["a"], { entities })).toEqual({ pairs: ["A>a"], note: "" });
    expect(choose(null, null, { findings: [{ source: "straße", target: "strasse" }] }).pairs).toEqual([
      "straße>strasse",
    ]);
  });

  it("says which parameter to fill when only pairs of an object and itself are left", () => {
    const [alice] = entities;
    expect(() => choose(["alice@A"], null, { entities: [alice!] })).toThrow(
      "End Node is empty, and no entity besides Start Node itself is selected. Enter End Node",
    );
  });

  it("says which parameter to fill when nothing stands in for it", () => {
    expect(() => choose(["A"], null, { entities: entities.slice(1, 2), findings })).toThrow("End Node is empty");
    expect(() => choose(null, ["X"])).toThrow("Start Node is empty");
    expect(() => choose(null, null, { entities })).toThrow("Start Node and End Node are empty");
  });

  it.each<[string, JsonObject]>([
    ["no lists", { entities: "x", findings: 1 }],
    ["entries of other types", { entities: [null, 1, [], { identifier: {} }], findings: [[], { source: {} }] }],
    ["blank texts", { entities: [{ identifier: " " }], findings: [{ source: " ", target: "S" }] }],
  ])("takes a context with %s for an empty one", (_, context) => {
    expect(readCaseContext(context, 0)).toEqual({ entities: [], findings: [], findingsLost: 0 });
  });

  it("takes numbers for texts and texts for numbers, and an entry that is no finding for a lost one", () => {
    const context = { entities: [{ identifier: 5 }], findings: [null, "S", { source: 7, target: "X" }] };
    expect(readCaseContext({ ...context, findingsLost: "3" }, 0)).toEqual({
      entities: [{ identifier: "5", type: "" }],
      findings: [{ source: "7", target: "X" }],
      findingsLost: 5,
    });
    expect([-5, 2.5, "x", {}].map((findingsLost) => readCaseContext({ findingsLost }, 0).findingsLost)).toEqual([
      0, 3, 0, 0,
    ]);
  });
});

describe("chooseStarts", () => {
  it("takes no selected domain for a start, because each is in Tier Zero itself", () => {
    const domains = ["DOMAIN", "SOURCEDOMAIN"].map((type) => ({ identifier: "CORP.TEST", type }));
    const choose = (selected: JsonObject[]) => chooseStarts(null, null, readCaseContext({ entities: selected }, 0));
    expect(choose([...domains, ...entities.slice(0, 1)])).toMatchObject({
      values: ["alice@a"],
      note: "Used the selected entities as Start Node: alice@a. Domains were left out.",
    });
    expect(choose(domains)).toBeNull();
  });

  it("has each start once, in whatever letter case, and all that only capitals make the same", () => {
    const choose = (...starts: string[]) => chooseStarts(starts, null, readCaseContext({}, 0))?.values;
    expect(choose("ada", "ADA")).toHaveLength(1);
    expect(choose("strasse", "straße", "ﬁn", "fin")).toEqual(["strasse", "straße", "ﬁn", "fin"]);
  });
});
