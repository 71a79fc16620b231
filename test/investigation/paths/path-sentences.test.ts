import { describe, expect, it } from "@jest/globals";
import { pathSentences } from "../../../src/investigation/paths/path-sentences.ts";
import type { PathEntry } from "../../../src/investigation/paths/path-entry.ts";

const node = (name: string | null, objectId: string | null = name) => ({ objectId, name, kind: "User" });
const hop = (from: string | null, to: string | null) => ({ from: node(from), relation: "Owns", to: node(to) });
const nothing = { length: null, hops: [], alternatives: [], truncated: false };

const closed = (start: string, end: string): PathEntry => ({
  ...nothing,
  start: node(start),
  end: node(end),
  status: "no_path",
  exists: false,
});
const open = (start: string, end: string, changes: Partial<PathEntry> = {}): PathEntry => ({
  ...closed(start, end),
  status: "path",
  exists: true,
  length: 1,
  hops: [hop(start, end)],
  ...changes,
});
const failed = (error: string): PathEntry => ({ ...closed("X", "Y"), status: "failed", exists: null, error });

describe("the sentences about one pair", () => {
  it.each<[PathEntry, string]>([
    [closed("A", "B"), "No attack path leads from A to B."],
    [open("A", "B"), "An attack path leads from A to B in 1 hop."],
    [open("A", "B", { length: 1_200 }), "An attack path leads from A to B in 1,200 hops."],
    [open("A", "A", { length: 0, hops: [] }), "A and A are the same object: the path has no hops."],
    [failed("The service is down."), "The service is down."],
    [
      open("A", "B", { givesControl: false, alternatives: [{ hop: 1, ...hop("A", "B"), relation: "GetChanges" }] }),
      "Only a relationship that gives no control by itself joins the objects of the finding: A to B (Owns, GetChanges, no attack path). A finding about another relationship is fixed.",
    ],
    [
      open("A", "B", { start: node(null, "S-1"), end: node(null) }),
      "An attack path leads from S-1 to unnamed object in 1 hop.",
    ],
  ])("say what was found out (%#)", (entry, sentence) => {
    expect(pathSentences([entry])).toEqual([sentence]);
  });
});

it("says that hops lead through objects that the token may not see", () => {
  const hops = [hop("A", "HIDDEN"), hop("HIDDEN", "B")];
  expect(pathSentences([open("A", "B", { length: 2, hops })])).toEqual([
    "An attack path leads from A to B in 2 hops.",
    "Some hops lead through objects that the token may not see. The service gives all of them the id HIDDEN.",
  ]);
});

describe("the sentences about several pairs", () => {
  it("begin with what could not be checked and why, and name each pair once", () => {
    const unanswered = ["One.", "Two.", "One."].map(failed);
    const entries = [open("A", "B"), open("A", "B"), closed("C", "D"), closed("E", "F"), ...unanswered];
    expect(pathSentences(entries)).toEqual([
      "Could not check 3 of 7 pairs.",
      "One.",
      "Two.",
      "An attack path exists for 2 of 7 pairs: A to B (1 hop).",
      "No attack path exists for 2 of 7 pairs: C to D, E to F.",
    ]);
  });

  it("tell an attack path from a relationship that gives no control", () => {
    expect(pathSentences([open("A", "B"), open("C", "D", { givesControl: false }), closed("E", "F")])).toEqual([
      "An attack path exists for 1 of 3 pairs: A to B (1 hop).",
      "For 1 of 3 pairs, only a relationship that gives no control by itself joins the objects of the finding: C to D (Owns, no attack path). A finding about another relationship is fixed.",
      "No attack path exists for 1 of 3 pairs: E to F.",
    ]);
  });

  it("call no object and itself an attack path", () => {
    const same = open("A", "A", { length: 0, hops: [] });
    expect(pathSentences([same, open("A", "B"), closed("C", "D")])).toEqual([
      "An attack path exists for 1 of 3 pairs: A to B (1 hop).",
      "For 1 of 3 pairs, start and end are the same object: A to itself.",
      "No attack path exists for 1 of 3 pairs: C to D.",
    ]);
  });

  it("are only about what there is", () => {
    expect(pathSentences([closed("A", "B"), closed("C", "D")])).toEqual([
      "No attack path exists for 2 of 2 pairs: A to B, C to D.",
    ]);
    expect(pathSentences([open("A", "B"), open("C", "D")])).toEqual([
      "An attack path exists for 2 of 2 pairs: A to B (1 hop), C to D (1 hop).",
    ]);
  });

  it("name three reasons, and say how many more there are", () => {
    const reasons = ["One.", "Two.", "Three.", "Four.", "Five."];
    expect(pathSentences(reasons.slice(0, 3).map(failed))).toEqual([
      "Could not check 3 of 3 pairs.",
      "One.",
      "Two.",
      "Three.",
    ]);
    expect(pathSentences(reasons.map(failed))).toEqual([
      "Could not check 5 of 5 pairs.",
      "One.",
      "Two.",
      "Three.",
      "The JSON result has 2 more reasons.",
    ]);
  });

  it("say what the JSON result lacks when one of them lacks it", () => {
    const truncated = "The JSON result does not have every hop of every shortest path, because there are too many.";
    expect(pathSentences([closed("A", "B"), open("A", "C", { truncated: true })]).slice(2)).toEqual([truncated]);
  });

  it.each<[string, Partial<PathEntry>]>([
    ["the start of a hop", { hops: [hop("A", "B"), hop(null, "C")] }],
    ["the end of a hop", { hops: [hop("A", null), hop("B", "C")] }],
    ["a hop of another path", { alternatives: [{ hop: 1, ...hop("A", null) }] }],
  ])("say that an object is not known at %s", (_, changes) => {
    const unknown =
      "The service did not say which objects some hops lead through. Their object ids are null in the JSON result.";
    expect(pathSentences([closed("A", "B"), open("A", "C", changes)]).slice(2)).toEqual([unknown]);
  });
});
