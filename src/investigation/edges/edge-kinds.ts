import { inCapitals, listed, named } from "../../text.ts";
import table from "./edge-kinds.json" with { type: "json" };

/**
 * What a relationship means, by the public page of its kind (SpecterOps/bloodhound-docs, 9f427f7, docs/resources/edges), in the
 * project's own words. How a use is noticed names events of Windows, which need auditing, or logs of the cloud.
 */
export interface EdgeKind {
  /** As the service writes it, such as WriteDacl. */
  kind: string;
  /** What it allows, in one sentence. */
  allows: string;
  /** How it is abused, in general terms. */
  abuse: string;
  /** How its use is noticed. */
  notice: string;
  /** How it is removed safely. */
  removal: string;
  /** The first MITRE ATT&CK technique that the page names, such as T1649; null where it names none. */
  technique: string | null;
  /** Address of the page. */
  source: string;
}

export const edgeKinds: readonly EdgeKind[] = table;

const byName = new Map(edgeKinds.map((edge) => [inCapitals(edge.kind), edge]));

/** Letter case makes no difference. Null for a kind without a public page, such as that of an extension. */
export function explainEdge(kind: string): EdgeKind | null {
  return byName.get(inCapitals(kind.trim())) ?? null;
}

/** The known ones of these kinds, each once, in the given order. */
export function explainEdges(kinds: Iterable<string>): EdgeKind[] {
  return [...new Set([...kinds].flatMap((kind) => explainEdge(kind) ?? []))];
}

const MOST_SIMILAR = 5;
/** Names that are less alike than this are not worth suggesting. */
const LEAST_LIKENESS = 0.3;

/** What to say of a kind that is not in the table. */
export function unknownKind(kind: string): string {
  const similar = similarKinds(kind);
  const hint = similar.length > 0 ? ` Did you mean ${listed(similar)}?` : "";
  return `No kind of relationship is named ${named(kind)}.${hint}`;
}

/** Kinds with similar names, the most similar one first. */
function similarKinds(text: string): string[] {
  const ranked = edgeKinds.map(({ kind }) => ({ kind, likeness: likeness(kind, text) }));
  const similar = ranked.filter((each) => each.likeness >= LEAST_LIKENESS).sort((a, b) => b.likeness - a.likeness);
  return similar.slice(0, MOST_SIMILAR).map(({ kind }) => kind);
}

/** How many pairs of neighbouring letters two names share, from 0 to 1 (Dice's coefficient). */
function likeness(a: string, b: string): number {
  const [first, second] = [pairsOf(a), pairsOf(b)];
  const shared = [...first].filter((pair) => second.has(pair)).length;
  return (2 * shared) / Math.max(1, first.size + second.size);
}

function pairsOf(text: string): Set<string> {
  const letters = inCapitals(text);
  return new Set(Array.from({ length: Math.max(0, letters.length - 1) }, (_, at) => letters.slice(at, at + 2)));
}
