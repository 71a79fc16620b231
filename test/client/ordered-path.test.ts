import { describe, expect, it } from "@jest/globals";
import { orderedPath, type PathGraph } from "../../src/client/index.ts";
import { graphOf } from "../support/fake-service.ts";

describe("an ordered path", () => {
  it("leads hop by hop from the start to the end, whatever the order of the edges", () => {
    const path = orderedPath(graphOf("B>C:AdminTo", "X>C:Owns", "A>B:MemberOf"), "A", "C");
    expect(path?.map(({ from, relation, to }) => [from.objectId, relation, to.name])).toEqual([
      ["A", "MemberOf", "B-NAME"],
      ["B", "AdminTo", "C-NAME"],
    ]);
  });

  it("says null for what the service leaves out, and whether an object is Tier Zero", () => {
    const nodes = new Map([
      ["1", { objectId: "A" }],
      ["2", { objectId: "B", isTierZero: true }],
    ]);
    const graph: PathGraph = { nodes, edges: [{ source: "1", target: "2", kind: "Owns" }] };
    expect(orderedPath(graph, "A", "B")).toEqual([
      {
        from: { objectId: "A", name: null, kind: null, tierZero: null },
        relation: "Owns",
        to: { objectId: "B", name: null, kind: null, tierZero: true },
      },
    ]);
  });

  it("is null when the graph does not lead from one to the other, and has no hops when both are one", () => {
    expect(orderedPath(graphOf("A>B"), "B", "A")).toBeNull();
    expect(orderedPath(graphOf("A>B"), "A", "A")).toEqual([]);
  });
});
