import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import type { PathEntry } from "../../../src/investigation/paths/path-entry.ts";
import { anyNear, type KnownStart, nearnessOf, nearnessOfAll } from "../../../src/investigation/tier-zero/distance.ts";

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
/** Of a start that was asked about so many ends, all of them by default. */
const nearness = (
  known: KnownStart,
  entries: readonly PathEntry[],
  { ends = entries.length, gap = null }: { ends?: number; gap?: string | null } = {},
) => nearnessOf(known, entries, { ends, gap });

describe("the distance of one start", () => {
  it("is that of the nearest object of Tier Zero on any path, or of the end that was tried", () => {
    expect(nearness(start, [open("A B C D", ["D"])])).toMatchObject({ hops: 3, object: node("D"), priority: "high" });
    expect(nearness(start, [open("A B C D", ["B", "D"])])).toMatchObject({ hops: 1, object: node("B") });
    expect(nearness(start, [open("A B C D E F"), closed("X")])).toMatchObject({ hops: 5, priority: "moderate" });
    const beside = { hop: 1, from: node("A"), relation: "Owns", to: node("Z") };
    const path = { ...open("A B C", ["Z"]), alternatives: [beside] };
    expect(nearness(start, [path])).toMatchObject({
      hops: 1,
      object: node("Z"),
      priority: "critical",
      text: "A is 1 hop from Tier Zero: Z.",
    });
  });

  it("is none for a start in Tier Zero, by the search or by a path", () => {
    const inside = { hops: 0, exists: true, object: node("A"), text: "A is in Tier Zero.", priority: "critical" };
    expect(nearness({ ...start, isTierZero: true }, [])).toMatchObject(inside);
    expect(nearness(start, [open("A B", ["A", "B"])])).toMatchObject(inside);
  });

  it("is false only when every end was answered with no path, and null in any other case without one", () => {
    const answers = fc.array(fc.constantFrom(true, false, null), { maxLength: 6 });
    fc.assert(
      fc.property(answers, fc.nat(2), (exists, unasked) => {
        const entryOf = { true: open("A B"), false: closed("B"), null: unanswered("B") };
        const found = nearness(
          start,
          exists.map((each) => entryOf[`${each}`]),
          { ends: exists.length + unasked },
        );
        const closedEverywhere = exists.length > 0 && unasked === 0 && exists.every((each) => each === false);
        expect(found.exists).toBe(exists.includes(true) ? true : closedEverywhere ? false : null);
        expect(found.error !== undefined).toBe(found.exists === null);
      }),
    );
    const gap = "It was not asked about others.";
    expect(nearness(start, [closed("B")], { gap })).toMatchObject({ exists: null, priority: "unknown", error: gap });
    expect(nearness(start, [closed("B"), open("A C")], { gap })).toMatchObject({ exists: true });
    expect(nearness({ ...start, error: "It was not found." }, [])).toMatchObject({
      exists: null,
      priority: "unknown",
      error: "It was not found.",
    });
  });
});

describe("the distance of several starts", () => {
  it("is that of the nearest one, and false only when each is", () => {
    const far = nearness(start, [open("A B C D")]);
    const none = nearness(start, [closed("B")]);
    const unknown = nearness(start, [unanswered("B")]);
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
