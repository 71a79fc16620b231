import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import type { PathEntry } from "../../../src/investigation/paths/path-entry.ts";
import { anyNear, nearnessOf, nearnessOfAll } from "../../../src/investigation/tier-zero/distance.ts";

const node = (name: string) => ({ objectId: `ID-${name}`, name, kind: "User" });
const nothing = { length: null, hops: [], alternatives: [], truncated: false };
const unanswered = (end: string): PathEntry => ({
  ...nothing,
  start: node("A"),
  end: node(end),
  status: "failed",
  exists: null,
  error: "It failed.",
});
const closed = (end: string): PathEntry => ({ ...unanswered(end), status: "no_path", exists: false });
/** "A B C" is a path from A over B to C. */
function open(names: string, tierZero: string[] = []): PathEntry {
  const nodes = names.split(" ").map(node);
  const hops = nodes.slice(1).map((to, index) => ({ from: nodes[index]!, relation: "AdminTo", to }));
  const ends = { start: nodes[0]!, end: nodes.at(-1)!, status: "path" as const, exists: true, length: hops.length };
  return { ...nothing, ...ends, hops, tierZero: tierZero.map((name) => `ID-${name}`) };
}
const start = { start: node("A"), isTierZero: false };

describe("the distance of one start", () => {
  it("is that of the nearest object of Tier Zero on any path, or of the end that was tried", () => {
    expect(nearnessOf(start, [open("A B C D", ["D"])])).toMatchObject({ hops: 3, object: node("D"), priority: "high" });
    expect(nearnessOf(start, [open("A B C D", ["B", "D"])])).toMatchObject({ hops: 1, object: node("B") });
    expect(nearnessOf(start, [open("A B C D E F"), closed("X")])).toMatchObject({ hops: 5, priority: "moderate" });
    const beside = { hop: 1, from: node("A"), relation: "Owns", to: node("Z") };
    const path = { ...open("A B C", ["Z"]), alternatives: [beside] };
    expect(nearnessOf(start, [path])).toMatchObject({
      hops: 1,
      object: node("Z"),
      priority: "critical",
      text: "A is 1 hop from Tier Zero: Z.",
    });
  });

  it("is none for a start in Tier Zero, by the search or by a path", () => {
    const inside = { hops: 0, exists: true, object: node("A"), text: "A is in Tier Zero.", priority: "critical" };
    expect(nearnessOf({ ...start, isTierZero: true }, [])).toMatchObject(inside);
    expect(nearnessOf(start, [open("A B", ["A", "B"])])).toMatchObject(inside);
  });

  it("is false only when every end was answered with no path, and null in any other case without one", () => {
    const answers = fc.array(fc.constantFrom(true, false, null), { maxLength: 6 });
    fc.assert(
      fc.property(answers, (exists) => {
        const entryOf = { true: open("A B"), false: closed("B"), null: unanswered("B") };
        const found = nearnessOf(
          start,
          exists.map((each) => entryOf[`${each}`]),
        );
        const closedEverywhere = exists.length > 0 && exists.every((each) => each === false);
        expect(found.exists).toBe(exists.includes(true) ? true : closedEverywhere ? false : null);
        expect(found.error !== undefined).toBe(found.exists === null);
      }),
    );
    expect(nearnessOf({ ...start, error: "It was not found." }, [])).toMatchObject({
      exists: null,
      priority: "unknown",
      error: "It was not found.",
    });
  });
});

describe("the distance of several starts", () => {
  it("is that of the nearest one, and false only when each is", () => {
    const far = nearnessOf(start, [open("A B C D")]);
    const none = nearnessOf(start, [closed("B")]);
    const unknown = nearnessOf(start, [unanswered("B")]);
    expect(nearnessOfAll([none, unknown, far], [])).toMatchObject({ priority: "high", hops: 3, text: far.text });
    expect(nearnessOfAll([none, unknown], [])).toMatchObject({ priority: "unknown", hops: null });
    expect(nearnessOfAll([], [])).toMatchObject({ priority: "unknown", report: "" });
    expect([anyNear([none, far]), anyNear([none, unknown]), anyNear([none]), anyNear([])]).toEqual([
      true,
      null,
      false,
      null,
    ]);
  });
});
