import { arrowsOf } from "../../../sandbox/console/browser/graph/arrows.ts";
import { busiest, hopsOf, shortestOnly } from "../../../sandbox/console/browser/graph/hops.ts";
import { cardText, clip } from "../../../sandbox/console/browser/graph/label.ts";
import {
  CARD,
  curve,
  fittingLayout,
  type Layout,
  layoutOf,
  layoutsOf,
} from "../../../sandbox/console/browser/graph/layout.ts";
import { legendOf } from "../../../sandbox/console/browser/graph/legend.ts";
import { startOf, walk } from "../../../sandbox/console/browser/graph/walk.ts";
import type { GraphView } from "../../../sandbox/console/contract/index.ts";

/** A path of so many objects, with a second way around each inner object when `isWide`. */
function pathOf(length: number, isWide = false): GraphView {
  const node = (id: string, place: number | null) => ({
    id,
    name: `${id}@CORP.LOCAL`,
    kind: "User",
    tierZero: place === length - 1,
    place,
  });
  const graph: GraphView = { nodes: [], edges: [] };
  for (let place = 0; place < length; place++) {
    graph.nodes.push(node(`N${place}`, place));
    if (place > 0) graph.edges.push({ from: `N${place - 1}`, to: `N${place}`, relation: "GenericAll", main: true });
    if (!isWide || place < 2) continue;
    graph.nodes.push(node(`P${place}`, null));
    graph.edges.push({ from: `N${place - 2}`, to: `P${place}`, relation: "MemberOf", main: false });
    graph.edges.push({ from: `P${place}`, to: `N${place}`, relation: "ForceChangePassword", main: false });
  }
  return graph;
}

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

function boxesOf({ nodes, arrows }: Layout): Box[] {
  return [...nodes.map(({ x, y }) => ({ x, y, ...CARD })), ...arrows.map(({ label }) => label)];
}

function overlaps(a: Box, b: Box): boolean {
  return Math.abs(a.x - b.x) * 2 < a.width + b.width - 1 && Math.abs(a.y - b.y) * 2 < a.height + b.height - 1;
}

describe("The layout of a graph", () => {
  it.each([
    [3, false],
    [21, true],
    [31, true],
  ])("leads %i objects from left to right and covers nothing (with other ways: %s)", (length, isWide) => {
    const layout = layoutOf(pathOf(length, isWide));
    const path = layout.nodes.filter(({ node }) => node.place !== null).map(({ x }) => x);
    expect(path).toEqual([...path].sort((a, b) => a - b));
    const boxes = boxesOf(layout);
    const covered = boxes.flatMap((box, index) => boxes.slice(index + 1).filter((other) => overlaps(box, other)));
    expect(covered).toEqual([]);
    for (const { x, y, width, height } of boxes) {
      expect(x - width / 2).toBeGreaterThanOrEqual(0);
      expect(x + width / 2).toBeLessThanOrEqual(layout.width);
      expect(y - height / 2).toBeGreaterThanOrEqual(0);
      expect(y + height / 2).toBeLessThanOrEqual(layout.height);
    }
  });

  it("has no room for what is wider than the frame in either direction, and turns before it says so", () => {
    const graph = pathOf(4, true);
    expect(fittingLayout(graph, 2000)?.direction).toBe("across");
    expect(fittingLayout(graph, 800)?.direction).toBe("down");
    expect(fittingLayout(graph, 300)).toBeNull();
    expect(fittingLayout(pathOf(60), 2000)).toBeNull();
  });

  it("is not even made for a graph whose objects alone take more than the frame", () => {
    const refuse = (): never => {
      throw new Error("It was laid out.");
    };
    expect(fittingLayout(pathOf(400), 1600, refuse)).toBeNull();
  });

  it("is made once for each direction, however often the width of the frame changes", () => {
    const layouts = layoutsOf(pathOf(4, true));
    expect(fittingLayout(pathOf(4, true), 2000, layouts)).toBe(layouts("across"));
    expect(layouts("down")).toBe(layouts("down"));
  });

  it("leads from top to bottom when asked to, and covers nothing", () => {
    const layout = layoutOf(pathOf(9, true), "down");
    const path = layout.nodes.filter(({ node }) => node.place !== null).map(({ y }) => y);
    expect(path).toEqual([...path].sort((a, b) => a - b));
    const boxes = boxesOf(layout);
    expect(boxes.flatMap((box, index) => boxes.slice(index + 1).filter((other) => overlaps(box, other)))).toEqual([]);
  });

  it("keeps a path on one line", () => {
    expect(new Set(layoutOf(pathOf(9)).nodes.map(({ y }) => Math.round(y))).size).toBe(1);
  });

  it("is the same for the same graph", () => {
    expect(layoutOf(pathOf(20, true))).toEqual(layoutOf(pathOf(20, true)));
  });

  it("draws a cycle, an edge to itself and an edge whose end is missing", () => {
    const graph = pathOf(3);
    graph.edges.push({ from: "N2", to: "N0", relation: "Owns", main: false });
    graph.edges.push({ from: "N1", to: "N1", relation: "MemberOf", main: false });
    graph.edges.push({ from: "N1", to: "gone", relation: "Owns", main: false });
    const { arrows, nodes } = layoutOf(graph);
    expect(arrows.map(({ from, to }) => `${from} ${to}`)).toEqual(["N0 N1", "N1 N2", "N2 N0", "N1 N1"]);
    expect(nodes[0]?.x).toBeLessThan(nodes[2]?.x ?? 0);
  });

  it("draws objects whose ids are keys that objects of JavaScript have themselves", () => {
    const named = JSON.stringify(pathOf(3)).replaceAll('"N0"', '"__proto__"').replaceAll('"N1"', '"constructor"');
    const { nodes, arrows } = layoutOf(JSON.parse(named) as GraphView);
    expect(nodes.map(({ node }) => node.id)).toEqual(["__proto__", "constructor", "N2"]);
    expect([...nodes, ...arrows.flatMap(({ points }) => points)].every(({ x, y }) => x >= 0 && y >= 0)).toBe(true);
  });

  it("draws an object without edges, and nothing at all", () => {
    expect(layoutOf(pathOf(1)).width).toBeGreaterThanOrEqual(CARD.width);
    expect(layoutOf({ nodes: [], edges: [] }).nodes).toEqual([]);
  });

  it("lets an arrow leave and arrive in the direction of the drawing", () => {
    expect(curve([{ x: 0, y: 0 }, { x: 10, y: 20 }])).toBe("M0 0C5 0 5 20 10 20"); // oxfmt-ignore
    expect(curve([{ x: 0, y: 0 }, { x: 10, y: 20 }], "down")).toBe("M0 0C0 10 10 10 10 20"); // oxfmt-ignore
  });
});

describe("Arrows", () => {
  it("join the edges between two objects, the one on the shortest path first", () => {
    const graph = pathOf(2);
    const main = graph.edges[0]!;
    graph.edges = [{ ...main, relation: "Owns", main: false }, main, { ...main, relation: "Owns", main: false }];
    expect(arrowsOf(graph)).toEqual([{ from: "N0", to: "N1", relations: ["GenericAll", "Owns"], main: true }]);
  });

  it("name three relations and count the others", () => {
    const graph = pathOf(2);
    const main = graph.edges[0]!;
    graph.edges = ["A", "B", "C", "D", "E"].map((relation) => ({ ...main, relation }));
    expect(layoutOf(graph).arrows[0]?.lines).toEqual(["A", "B", "C", "and 2 more"]);
  });
});

describe("The keyboard on a graph", () => {
  const layout = layoutOf(pathOf(5, true));

  it("starts at the attacker", () => {
    expect(startOf(layout)).toBe("N0");
  });

  it("follows the shortest path to the right and to the left", () => {
    expect(walk(layout, "N1", "ArrowRight")).toBe("N2");
    expect(walk(layout, "N2", "ArrowLeft")).toBe("N1");
    expect(walk(layout, "N0", "ArrowLeft")).toBeNull();
  });

  it("follows it down and up where the drawing leads from top to bottom", () => {
    const down = layoutOf(pathOf(5, true), "down");
    expect(walk(down, "N1", "ArrowDown")).toBe("N2");
    expect(walk(down, "N2", "ArrowUp")).toBe("N1");
    const key = down.nodes.find(({ node }) => node.id === "P2")!.x < down.nodes[0]!.x ? "ArrowRight" : "ArrowLeft";
    expect(walk(down, "P2", key)).toBe("N1");
  });

  it("goes to both ends of the path", () => {
    expect(walk(layout, "N2", "End")).toBe("N4");
    expect(walk(layout, "P3", "Home")).toBe("N0");
  });

  it("reaches the other ways up and down, and comes back", () => {
    const beside = layout.nodes.find(({ node }) => node.id === "P2")!;
    const key = beside.y < layout.nodes[0]!.y ? "ArrowDown" : "ArrowUp";
    expect(walk(layout, "P2", key)).toBe("N1");
  });

  it("starts again when the object is not there any more", () => {
    expect(walk(layout, "gone", "ArrowUp")).toBe("N0");
  });
});

describe("The list of a graph", () => {
  it("holds the hops of the shortest path in order, and the others apart", () => {
    const { main, others } = hopsOf(pathOf(4, true));
    expect(main.map(({ from, to }) => `${from.id} ${to.id}`)).toEqual(["N0 N1", "N1 N2", "N2 N3"]);
    expect(others).toHaveLength(4);
  });

  it("leaves out what is beside the shortest path when asked to", () => {
    expect(shortestOnly(pathOf(4, true))).toEqual(pathOf(4));
  });
});

describe("The smaller drawing of a graph without a path", () => {
  it("keeps the objects with the most edges, in their order", () => {
    const graph = pathOf(5);
    expect(busiest(graph, 3).nodes.map(({ id }) => id)).toEqual(["N1", "N2", "N3"]);
    expect(busiest(graph, 3).edges.map(({ from, to }) => `${from} ${to}`)).toEqual(["N1 N2", "N2 N3"]);
  });
});

describe("Texts on a graph", () => {
  const node = { id: "S-1", kind: "User", tierZero: false, place: 0 };

  it("are the principal, its kind and its domain", () => {
    expect(cardText({ ...node, name: "ALICE@CORP.LOCAL" })).toEqual({ first: "ALICE", second: "User · CORP.LOCAL" });
  });

  it("are the host name of a computer, and its domain", () => {
    const name = "SRV05.CORP.LOCAL";
    expect(cardText({ ...node, kind: "Computer", name })).toEqual({ first: "SRV05", second: "Computer · CORP.LOCAL" });
  });

  it("are the id of an object without a name", () => {
    expect(cardText({ ...node, name: "", kind: "" })).toEqual({ first: "S-1", second: "Unknown kind" });
  });

  it("show what cannot be seen, and are cut", () => {
    expect(cardText({ ...node, name: "A\u202eB" }).first).toBe("A‹U+202E›B");
    expect(clip("😀😀😀😀", 3)).toBe("😀…");
  });

  it("explain each shape once", () => {
    const graph = pathOf(3);
    graph.nodes.push({ ...node, id: "G", name: "G", kind: "AZGroup" }, { ...node, id: "H", name: "H", kind: "Group" });
    expect(legendOf(graph)).toEqual([
      { shape: "user", kinds: ["User"] },
      { shape: "group", kinds: ["AZGroup", "Group"] },
    ]);
  });
});
