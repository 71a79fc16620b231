import { describe, expect, it } from "@jest/globals";
import { limitSentences } from "../../../src/investigation/cuts/cut-sentences.ts";
import { findCuts } from "../../../src/investigation/cuts/find-cuts.ts";
import type { OpenFinding } from "../../../src/investigation/cuts/open-findings.ts";
import { silent } from "../../../src/logger.ts";
import { RateLimitedError } from "../../../src/service/errors/errors.ts";
import type { AttackPathService } from "../../../src/service/attack-path-service.ts";
import type { PathGraph } from "../../../src/service/resources/paths.records.ts";
import { directory, fakeService, graphOf } from "../../support/fake-service.ts";

/** A service that answers each pair with the same graph. */
function serviceOf(graph: PathGraph) {
  return fakeService({ objects: directory([]), paths: { shortest: () => Promise.resolve(graph) } });
}

function finding(findingType: string, source = "A", target = "B"): OpenFinding {
  return { findingType, source, target, severity: "high" };
}

describe("the relationship of a finding among several between the same objects", () => {
  it.each([
    ["T0ADCSESC13", "ADCSESC13", "ADCSESC1"],
    ["T0ADCSESC1", "ADCSESC1", "ADCSESC13"],
    ["T0WriteOwnerLimitedRights", "WriteOwnerLimitedRights", "WriteOwner"],
    ["T0OwnsLimitedRights", "OwnsLimitedRights", "Owns"],
    ["AzureT0AddSecret", "AZAddSecret", "AZOwns"],
    ["AzureT0MGAddOwner", "AZMGAddOwner", "AZAddOwner"],
    ["T0Admins", "AdminTo", "CanRDP"],
    ["LargeDefaultGroupsGenericAll", "GenericAll", "WriteDacl"],
  ])("of the type %s is %s, and not %s", async (type, own, other) => {
    const { edges } = await findCuts(serviceOf(graphOf(`A>B:${own}`, `A>B:${other}`)), [finding(type)], silent);
    expect(edges.map(({ edge, closes }) => [edge.relation, closes])).toEqual([[own, 1]]);
  });

  it("can be each of them when the type names none", async () => {
    const service = serviceOf(graphOf("A>B:GenericAll", "A>B:WriteDacl"));
    const { edges } = await findCuts(service, [finding("Custom")], silent);
    expect(edges).toHaveLength(2);
  });
});

describe("a finding about a relationship that gives no control", () => {
  it("closes with its relationship, which is no detour for other findings", async () => {
    const paths: Record<string, PathGraph> = { "X>T": graphOf("X>M", "M>T"), "Y>T": graphOf("Y>T") };
    const shortest: AttackPathService["paths"]["shortest"] = (start, end, query) => {
      const isOwn = start === "X" && end === "Y" && query?.onlyTraversable !== true;
      return Promise.resolve(isOwn ? graphOf("X>Y:GetChanges") : (paths[`${start}>${end}`] ?? null));
    };
    const service = fakeService({ objects: directory([]), paths: { shortest } });
    const findings = [finding("T0GetChanges", "X", "Y"), finding("Custom", "X", "T"), finding("Custom", "Y", "T")];
    const { edges } = await findCuts(service, findings, silent);
    expect(edges.map(({ edge, closes }) => [edge.from.objectId, edge.to.objectId, closes])).toEqual([
      ["M", "T", 1],
      ["X", "Y", 1],
      ["X", "M", 1],
      ["Y", "T", 1],
    ]);
  });
});

describe("findings that are not looked at", () => {
  it("are not those of an object and itself: they have no path to cut", async () => {
    const found = await findCuts(serviceOf(graphOf("A>B")), [finding("T0Owns"), finding("T0Owns", "a", "A")], silent);
    expect(found).toMatchObject({ findings: 1, closed: 0, leftOut: 0, ofItself: 1 });
    const other = await findCuts(serviceOf(graphOf("A>B")), [finding("T0Owns", "straße", "strasse")], silent);
    expect(other.ofItself).toBe(0);
    expect(limitSentences(found, { withoutPath: 2, accepted: 0, isCut: false })).toEqual([
      "No path to cut: 3 findings of a single object.",
    ]);
  });

  it("are told apart by the reason: more pairs than asked about, or a service that takes no more requests", async () => {
    const findings = Array.from({ length: 60 }, (_, index) => finding("T0Owns", `A${index}`));
    const all = await findCuts(serviceOf(graphOf("A>B")), findings, silent, { mostPairs: 10 });
    expect(all).toMatchObject({ leftOut: 50, notAsked: 0 });
    let asked = 0;
    const shortest = (source: string) => {
      asked += 1;
      if (asked > 5) return Promise.reject(new RateLimitedError("Rate limit reached.", { whoActs: "service" }));
      return Promise.resolve(graphOf(`${source}>B:Owns`));
    };
    const service = fakeService({ objects: directory([]), paths: { shortest } });
    const cut = await findCuts(service, findings, silent, { mostPairs: 55 });
    expect(cut.leftOut).toBe(5);
    expect(cut.notAsked).toBeGreaterThan(0);
    expect(limitSentences(cut, { withoutPath: 0, accepted: 0, isCut: false })).toEqual([
      expect.stringMatching(/^Not looked at: \d+ findings, because the rate limit was reached or the run ended/),
    ]);
    expect(cut.findings + cut.unknown + cut.leftOut + cut.notAsked).toBe(60);
  });
});

describe("objects that the token may not see", () => {
  /** The service gives all of them one id. Node keys are internal to a response, and tell them apart there. */
  function withHidden(graph: PathGraph): PathGraph {
    const hide = { objectId: "HIDDEN", label: "** Hidden Group Object **", kind: "HIDDEN" };
    const nodes = new Map([...graph.nodes].map(([key, node]) => [key, node.objectId?.startsWith("H") ? hide : node]));
    return { ...graph, nodes };
  }
  function cutsOf(graphs: Record<string, PathGraph>) {
    const shortest = (source: string) => Promise.resolve(withHidden(graphs[source]!));
    const service = fakeService({ objects: directory([]), paths: { shortest } });
    const findings = Object.keys(graphs).map((source) => finding("Custom", source));
    return findCuts(service, findings, silent);
  }

  it("are not taken for one object, and neither they nor their relationships are offered", async () => {
    const { edges, objects, findings } = await cutsOf({
      A: graphOf("A>H1", "H1>X", "X>B:Owns"),
      C: graphOf("C>H2", "H2>B"),
    });
    expect(findings).toBe(2);
    expect(edges.map(({ edge, closes }) => [edge.from.objectId, edge.relation, closes])).toEqual([["X", "Owns", 1]]);
    expect(objects.map(({ object: { objectId }, closes }) => [objectId, closes])).toEqual([
      ["A", 1],
      ["C", 1],
      ["X", 1],
    ]);
  });

  it("make no detour for other paths, because the detour may not exist", async () => {
    const { edges } = await cutsOf({
      A: graphOf("A>H1", "H1>X", "X>B:Owns"),
      C: graphOf("C>X", "X>B:Owns"),
      D: graphOf("D>H2", "H2>Y", "Y>B"),
    });
    expect(edges[0]).toMatchObject({ edge: { relation: "Owns" }, closes: 2 });
  });

  it("are a detour on another shortest path of the same pair", async () => {
    const { edges, objects } = await cutsOf({
      A: graphOf("A>M", "M>X", "X>Y", "Y>B:Owns", "M>H1", "H1>Y"),
      C: graphOf("C>Y", "Y>B:Owns"),
    });
    expect(edges.map(({ edge, closes }) => [edge.from.objectId, edge.to.objectId, closes])).toEqual([
      ["Y", "B", 2],
      ["A", "M", 1],
      ["C", "Y", 1],
    ]);
    expect(objects.map(({ object: { objectId } }) => objectId)).toEqual(["Y", "A", "C", "M"]);
  });
});
