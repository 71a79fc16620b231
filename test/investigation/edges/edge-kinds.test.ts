import { describe, expect, it } from "@jest/globals";
import { CATALOGUE } from "../../../sandbox/tenant/dataset/catalogue.ts";
import { buildDataset } from "../../../sandbox/tenant/index.ts";
import { APP_ROLES, CLOUD_CONTROL, CLOUD_EXECUTION, DIRECTORY_CONTROL } from "../../../sandbox/tenant/graph/kinds.ts";
import { edgeTechniques } from "../../../src/ingestion/mapping/edge-techniques.ts";
import { edgeKinds, explainEdge, explainEdges, unknownKind } from "../../../src/investigation/edges/edge-kinds.ts";

const PAGES = "https://bloodhound.specterops.io/resources/edges/";

describe("the table of relationship kinds", () => {
  it("explains every kind that the project knows: those with a technique, and those of the simulated tenant", () => {
    const ofTypes = [...CATALOGUE.values()].flatMap(({ source }) => (source.form === "list" ? [] : [source.edge]));
    const inGraph = buildDataset({ kind: "demo" }).graph.edges.map(({ kind }) => kind);
    const sets = [APP_ROLES, CLOUD_CONTROL, CLOUD_EXECUTION, DIRECTORY_CONTROL];
    // The public documentation has no page about CanBackup.
    const known = new Set([...Object.keys(edgeTechniques), ...ofTypes, ...inGraph, ...sets.flatMap((set) => [...set])]);
    expect([...known].filter((kind) => explainEdge(kind)?.kind !== kind)).toEqual(["CanBackup"]);
  });

  it.each(edgeKinds)("has whole sentences about $kind, and its page", (edge) => {
    expect(Object.keys(edge)).toEqual(["kind", "allows", "abuse", "notice", "removal", "technique", "source"]);
    for (const text of [edge.allows, edge.abuse, edge.notice, edge.removal])
      expect(text).toMatch(/^[A-Z][^\n]{15,330}\.$/);
    expect(edge.allows).not.toMatch(/\. [A-Z]/);
    expect(edge.source.startsWith(PAGES)).toBe(true);
    expect(edge.technique).toEqual(edgeTechniques[edge.kind]?.technique ?? null);
    const page = edgeTechniques[edge.kind]?.page;
    if (page !== undefined) expect(edge.source).toBe(`${PAGES}${page}`);
  });

  it("has each kind once, in alphabetical order", () => {
    const names = edgeKinds.map(({ kind }) => kind.toLowerCase());
    expect(names).toEqual([...new Set(names)].sort());
  });
});

describe("looking up a kind", () => {
  it("ignores letter case, and knows nothing of kinds without a page", () => {
    expect(explainEdge(" writedacl ")?.kind).toBe("WriteDacl");
    expect([explainEdge("__proto__"), explainEdge("")]).toEqual([null, null]);
    expect(explainEdges(["MemberOf", "GH_Owns", "memberof", "AdminTo"]).map(({ kind }) => kind)).toEqual([
      "MemberOf",
      "AdminTo",
    ]);
  });

  it("suggests similar names", () => {
    expect(unknownKind("WriteDcal")).toMatch(/^No kind of relationship is named WriteDcal\. Did you mean WriteDacl, /);
    expect(unknownKind("esc1")).toMatch(/\bADCSESC1\b/);
    expect(unknownKind("xyz")).toBe("No kind of relationship is named xyz.");
  });
});
