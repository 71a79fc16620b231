import { isWithoutControl, type PathEntry } from "../paths/path-entry.ts";
import { inCapitals } from "../../text.ts";
import { type CutPlaces, cutPlaces, KnownGraph, type KnownEdge } from "./known-graph.ts";

type Hop = PathEntry["hops"][number];

/** A finding with the answer about its path. */
export interface AnsweredFinding {
  entry: PathEntry;
  /** Its finding type; null when it is not known. */
  findingType: string | null;
}

/** What removing one edge or object does to the findings. */
export interface CutCounts {
  /** Findings that would close at most: no other way to their target is known. */
  closes: number;
  /** Findings that have it on one of their shortest paths. */
  through: number;
}

export interface Cuts {
  /** Findings with an open path that was looked at: what `closes` and `through` count of. */
  findings: number;
  /** Findings that have no path any more, and need no cut. */
  closed: number;
  /** Findings whose path is not known, because it could not be checked or its hops were left out. */
  unknown: number;
  /** Every edge that closes at least one finding, the one that closes the most first. */
  edges: (CutCounts & { edge: Hop })[];
  /** The same for objects: sources, and those between source and target. */
  objects: (CutCounts & { object: Hop["from"] })[];
}

/**
 * Which edges and objects most findings run through, and how many findings would close without them, at most: a finding closes when
 * no way from its source to its target remains. The shortest paths of all findings together are searched for other ways, so a
 * detour that any of them shows is known. Longer detours, which no shortest path shows, are not: the service does not list them.
 * A finding also closes when its own relationship goes, even if its source reaches its target in another way, and when its source goes.
 */
export function rankCuts(answered: readonly AnsweredFinding[]): Cuts {
  const graph = new KnownGraph();
  const open = answered.flatMap((finding) => {
    const { entry } = finding;
    if (entry.exists !== true || entry.hops.length === 0) return [];
    // The finding closes with its own relationship. For other findings, a relationship without control is no detour.
    const areWays = !isWithoutControl(entry);
    const path = graph.addPath(entry.hops, areWays);
    return path.length < entry.hops.length
      ? []
      : [{ ...finding, path, others: graph.add(entry.alternatives, areWays) }];
  });
  const closed = answered.filter(({ entry }) => entry.exists === false || entry.length === 0).length;
  const [edges, objects] = [new Map<string, CutCounts>(), new Map<string, CutCounts>()];
  const placesOf = remembering(graph);
  for (const { entry, path, others, findingType } of open) {
    const through = [...path, ...others];
    // Nobody removes the target: it is what the path must not reach.
    const [source, target] = [path.slice(0, 1).map(({ from }) => from), path.at(-1)?.to];
    const passed = through.flatMap(({ from, to }) => [from, to]).filter((objectId) => objectId !== target);
    const places = withoutAlternatives(placesOf(path), path, entry.alternatives);
    const own = ownRelations(path, others, findingType);
    count(
      edges,
      through.map(({ key }) => key),
      [...places.edges, ...own],
    );
    count(objects, passed, [...source, ...places.objects]);
  }
  return {
    findings: open.length,
    closed,
    unknown: answered.length - open.length - closed,
    edges: ranked(edges).flatMap(({ key, counts }) => {
      const known = graph.edge(key);
      return known === undefined ? [] : [{ edge: known.edge, ...counts }];
    }),
    objects: ranked(objects).flatMap(({ key, counts }) => {
      const object = graph.object(key);
      return object === undefined ? [] : [{ object, ...counts }];
    }),
  };
}

/**
 * Leaves out the places that another shortest path of the same pair avoids: one edge of each path is at each hop. The graph does
 * not show this if that path leads through a hidden object.
 */
function withoutAlternatives(
  { edges, objects }: CutPlaces,
  path: readonly KnownEdge[],
  alternatives: PathEntry["alternatives"],
): CutPlaces {
  const steps = alternatives.map(({ hop, to }) => ({ step: path[hop - 1], objectId: to.objectId }));
  const avoidedEdges = new Set(steps.map(({ step }) => step?.key));
  const avoidedObjects = new Set(steps.flatMap(({ step, objectId }) => (step?.to === objectId ? [] : [step?.to])));
  return {
    edges: edges.filter((key) => !avoidedEdges.has(key)),
    objects: objects.filter((objectId) => !avoidedObjects.has(objectId)),
  };
}

/** A result lists at most this many edges, and this many objects. */
const MOST_LISTED = 25;

/** The cuts that close the most. */
export function bestOf(cuts: Cuts): Cuts {
  return { ...cuts, edges: cuts.edges.slice(0, MOST_LISTED), objects: cuts.objects.slice(0, MOST_LISTED) };
}

/** Computes the places of each path once: findings of the same pair of objects have the same path. */
function remembering(graph: KnownGraph): (path: readonly KnownEdge[]) => CutPlaces {
  const known = new Map<string, CutPlaces>();
  return (path) => {
    const key = path.map((edge) => edge.key).join("\n");
    const places = known.get(key) ?? cutPlaces(graph, path);
    known.set(key, places);
    return places;
  };
}

/** Counts the finding once for each place, however often its paths lead through it. */
function count(all: Map<string, CutCounts>, through: readonly string[], closing: readonly string[]): void {
  const closes = new Set(closing);
  for (const key of new Set(through)) {
    const counts = all.get(key) ?? { closes: 0, through: 0 };
    all.set(key, { closes: counts.closes + (closes.has(key) ? 1 : 0), through: counts.through + 1 });
  }
}

function ranked(all: ReadonlyMap<string, CutCounts>): { key: string; counts: CutCounts }[] {
  const closing = [...all].map(([key, counts]) => ({ key, counts })).filter(({ counts }) => counts.closes > 0);
  return closing.sort(
    (a, b) => b.counts.closes - a.counts.closes || b.counts.through - a.counts.through || (a.key < b.key ? -1 : 1),
  );
}

/** Edges that finding types call by another name, in capitals (finding types of BloodHound Enterprise, as public integrations list them). */
const RENAMED: readonly (readonly [inType: string, edge: string])[] = [
  ["ADMINS", "ADMINTO"],
  ["LOGINS", "HASSESSION"],
  ["RDP", "CANRDP"],
  ["DCOM", "EXECUTEDCOM"],
  ["PSREMOTE", "CANPSREMOTE"],
];

/**
 * The direct edges from source to target that can be the relationship of the finding. The service does not say which one it is. The
 * finding type names it; if no edge fits the name, each of them may be it.
 */
function ownRelations(path: readonly KnownEdge[], others: readonly KnownEdge[], findingType: string | null): string[] {
  if (path.length !== 1 || findingType === null) return [];
  const direct = [...path, ...others].map(({ key, edge }) => ({ key, fit: fitOf(edge.relation, findingType) }));
  // The name of one relation may hold that of another, as ADCSESC13 does.
  const best = Math.max(...direct.map(({ fit }) => fit));
  return direct.filter(({ fit }) => fit === best).map(({ key }) => key);
}

/** How many characters of the finding type are the name of the relation; 0 when it does not contain the name. */
function fitOf(relation: string, findingType: string): number {
  // AzureT0Owns is about AZOwns.
  const type = inCapitals(findingType).replace(/^AZURET0/, "AZ");
  const edge = inCapitals(relation);
  const names = [
    edge,
    ...RENAMED.filter(([name, known]) => known === edge && type.endsWith(name)).map(([name]) => name),
  ];
  return Math.max(...names.map((name) => (type.includes(name) ? name.length : 0)));
}
