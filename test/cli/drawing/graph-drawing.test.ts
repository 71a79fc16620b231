import { describe, expect, it } from "@jest/globals";
import { dotOf, svgOf } from "../../../src/cli/drawing/graph-drawing.ts";
import type { MetaTreeGraph } from "../../../src/service/resources/graph.records.ts";

/** Names with all that must be escaped, an edge from a node to itself, and edges that lead to a node that is not listed. */
const graph = {
  a: { label: { text: 'A "quoted" \\ <name> & more' } },
  b: { label: { text: "" } },
  c: { label: { text: "two\nlines" } },
  "a-b": { id1: "a", id2: "b", label: { text: "Owns" } },
  "c-b": { id1: "c", id2: "b", label: { text: "A longer label" } },
  "b-b": { id1: "b", id2: "b", label: { text: "MemberOf" } },
  "a-x": { id1: "a", id2: "x", label: { text: "Unlisted" } },
  "x-a": { id1: "x", id2: "a", label: { text: "Unlisted" } },
} as unknown as MetaTreeGraph;

describe("a drawing of a meta tree", () => {
  it("is written in the language of Graphviz", () => {
    expect(dotOf(graph)).toBe(String.raw`digraph "meta tree" {
  rankdir=LR;
  node [shape=box];
  "a" [label="A \"quoted\" \\ <name> & more"];
  "b" [label="b"];
  "c" [label="two lines"];
  "x" [label="x"];
  "a" -> "b" [label="Owns"];
  "c" -> "b" [label="A longer label"];
  "b" -> "b" [label="MemberOf"];
  "a" -> "x" [label="Unlisted"];
  "x" -> "a" [label="Unlisted"];
}
`);
  });

  it("is a picture that holds all of it", () => {
    expect(svgOf(graph)).toMatchSnapshot();
  });
});
