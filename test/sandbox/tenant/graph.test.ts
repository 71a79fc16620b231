import { beforeAll, describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import type { Tenant } from "../../../sandbox/tenant/index.ts";
import { Graph } from "../../../sandbox/tenant/graph/graph.ts";
import { shortestPaths } from "../../../sandbox/tenant/graph/walk.ts";
import { startTenant } from "../../support/tenant.ts";
import { ask } from "./client.ts";

const SIZE = 7;
const arbitraryEdges = fc.array(
  fc.record({ from: fc.nat(SIZE - 1), to: fc.nat(SIZE - 1), kind: fc.constantFrom("MemberOf", "GenericAll") }),
  { maxLength: 20 },
);

function graphOf(edges: { from: number; to: number; kind: string }[]): Graph {
  const graph = new Graph();
  for (let index = 0; index < SIZE; index += 1) {
    const objectId = String(index);
    graph.add({
      objectId,
      kind: "User",
      kinds: ["Base", "User"],
      name: objectId,
      environmentId: "E",
      tierZero: false,
      props: {},
    });
  }
  for (const edge of edges) graph.connect(String(edge.from), edge.kind, String(edge.to));
  return graph;
}

/** Floyd-Warshall: all distances, by another method than the code under test. */
function allDistances(graph: Graph): number[][] {
  const distance = Array.from({ length: SIZE }, (_, row) =>
    Array.from({ length: SIZE }, (_, column) => (row === column ? 0 : Infinity)),
  );
  for (const edge of graph.edges) distance[Number(edge.from)]![Number(edge.to)] = 1;
  for (let via = 0; via < SIZE; via += 1)
    for (let row = 0; row < SIZE; row += 1)
      for (let column = 0; column < SIZE; column += 1)
        distance[row]![column] = Math.min(distance[row]![column]!, distance[row]![via]! + distance[via]![column]!);
  return distance;
}

describe("shortest paths", () => {
  it("are exactly the edges that lie on some shortest path, and none when there is no path", () => {
    fc.assert(
      fc.property(arbitraryEdges, fc.nat(SIZE - 1), fc.nat(SIZE - 1), (edges, start, end) => {
        const graph = graphOf(edges);
        const distance = allDistances(graph);
        const length = distance[start]![end]!;
        const expected = graph.edges.filter(
          (edge) => distance[start]![Number(edge.from)]! + 1 + distance[Number(edge.to)]![end]! === length,
        );
        const found = shortestPaths(graph, String(start), String(end));
        if (start === end || length === Infinity) expect(found).toBeNull();
        else expect(new Set(found)).toEqual(new Set(expected));
      }),
      { numRuns: 500 },
    );
  });
});

describe("the service's search and path answers", () => {
  let tenant: Tenant;
  let ids: Record<string, string>;
  beforeAll(async () => {
    tenant = await startTenant();
    const named = (name: string): string => [...tenant.data.graph.nodes].find((node) => node.name === name)!.objectId;
    ids = {
      helpDesk: named("HELP DESK@CORP.HALDEN.TEST"),
      external: named("ADMINS, EXTERNAL@CORP.HALDEN.TEST"),
      domain: named("CORP.HALDEN.TEST"),
      krbtgt: named("KRBTGT@CORP.HALDEN.TEST"),
      template: named("HIGH ASSURANCE@CORP.HALDEN.TEST"),
    };
  });

  interface PathGraph {
    nodes: Record<string, { objectId: string }>;
    edges: { source: string; target: string; kind: string }[];
  }
  const path = (query: string) => ask(tenant, `/api/v2/graphs/shortest-path?${query}`);
  const pathGraph = async (query: string) => (await path(query)).json.data as unknown as PathGraph;
  const search = async (query: string) => (await ask(tenant, `/api/v2/search?${query}`)).json;

  it("give a graph whose edges lead from start to end, keyed by numbers and not by object ids", async () => {
    const { nodes, edges } = await pathGraph(`start_node=${ids.external}&end_node=${ids.domain}`);
    const keyOf = (objectId: string) => Object.keys(nodes).find((key) => nodes[key]!.objectId === objectId)!;
    let frontier = new Set([keyOf(ids.external!)]);
    let hops = 0;
    while (!frontier.has(keyOf(ids.domain!)) && frontier.size > 0) {
      frontier = new Set(edges.filter((edge) => frontier.has(edge.source)).map((edge) => edge.target));
      hops += 1;
    }
    expect(frontier.has(keyOf(ids.domain!))).toBe(true);
    expect(hops).toBeGreaterThan(1);
    expect(nodes[keyOf(ids.domain!)]).toMatchObject({
      label: "CORP.HALDEN.TEST",
      kind: "Domain",
      kinds: ["Base", "Domain"],
      isTierZero: true,
    });
    expect(keyOf(ids.domain!)).toMatch(/^\d+$/);
  });

  it("are a 404 without a path, a 500 for an unknown object, a 400 without a parameter", async () => {
    expect((await path(`start_node=${ids.template}&end_node=${ids.domain}`)).json).toMatchObject({
      http_status: 404,
      errors: [{ message: "path not found" }],
    });
    expect((await path(`start_node=S-1-5-21-0&end_node=${ids.domain}`)).json).toMatchObject({
      http_status: 500,
      errors: [{ message: "not found" }],
    });
    expect((await path(`start_node=${ids.domain!.toLowerCase()}&end_node=${ids.helpDesk}`)).status).toBe(500);
    expect((await path(`end_node=${ids.domain}`)).json.errors[0].message).toBe("Missing query parameter: start_node");
  });

  it("follow only the kinds of edges that were asked for", async () => {
    const ends = `start_node=${ids.helpDesk}&end_node=${ids.domain}`;
    const { edges } = await pathGraph(ends);
    const kinds = [...new Set(edges.map((edge) => edge.kind))];
    expect((await pathGraph(`${ends}&relationship_kinds=in:${kinds.join(",")}`)).edges).toHaveLength(edges.length);
    const others = await pathGraph(`${ends}&relationship_kinds=nin:${kinds[0]}`);
    expect(others.edges.length).toBeGreaterThan(0);
    for (const edge of others.edges) expect(edge.kind).not.toBe(kinds[0]);
    expect((await path(`${ends}&relationship_kinds=in:MemberOf`)).status).toBe(404);
    expect((await path(`${ends}&relationship_kinds=MemberOf`)).status).toBe(400);
    expect((await path(`${ends}&relationship_kinds=in:Nonsense`)).status).toBe(400);
    expect((await path(`${ends}&relationship_kinds=in:GetChanges&only_traversable=true`)).status).toBe(400);
  });

  it("put exact matches first, then names that contain the text, without regard to letter case", async () => {
    const { data } = await search("q=corp.halden.test&limit=200");
    expect(data[0]).toMatchObject({ name: "CORP.HALDEN.TEST", type: "Domain", objectid: ids.domain });
    const names = data.slice(1).map((result) => result.name);
    expect(names).toEqual([...names].sort());
    expect(names.length).toBeGreaterThan(100);
    expect((await search(`q=${ids.krbtgt!.toLowerCase()}`)).data).toMatchObject([
      { name: "KRBTGT@CORP.HALDEN.TEST", system_tags: "admin_tier_0" },
    ]);
  });

  it("find names with commas, and several objects of one name", async () => {
    expect((await search(`q=${encodeURIComponent("admins, external@corp.halden.test")}`)).data).toMatchObject([
      { objectid: ids.external },
    ]);
    const types = (await search("q=HR%20PORTAL%40HALDEN.ONMICROSOFT.TEST")).data.map((result) => result.type);
    expect(types.sort()).toEqual(["AZApp", "AZServicePrincipal"]);
  });

  it("are pages of ten, of the types that were asked for, and null without a match", async () => {
    expect((await search("q=HALDEN")).data).toHaveLength(10);
    const second = (await search("q=HALDEN&skip=10&limit=3")).data;
    expect(second).toEqual((await search("q=HALDEN&limit=13")).data.slice(10));
    const groups = (await search("q=HALDEN&type=Group&type=AZGroup&limit=500")).data;
    expect(new Set(groups.map((result) => result.type))).toEqual(new Set(["Group", "AZGroup"]));
    expect(await search("q=NOBODY")).toEqual({ data: null });
    for (const bad of ["", "q=", "q=A&type=Nonsense", "q=A&skip=-1", "q=A&limit=-1"])
      expect(await search(bad)).toMatchObject({ http_status: 400 });
  });
});
