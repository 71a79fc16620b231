import type { Parameter } from "../../../../../src/manifest/manifest.ts";
import type { EventView, GraphNode, GraphView } from "../../../contract/index.ts";

/** What an action is about: a finding with two ends, or one entity. Needs no browser. */
export interface Subject {
  /** Names of principals, the target first. */
  names: string[];
  /** Object ids, the target first. */
  ids: string[];
  source: string | null;
  target: string | null;
  /** Position of the finding that it is, in its alert; null when it is none. */
  finding: number | null;
}

export function subjectOfEvent({ event, ends, position }: EventView): Subject {
  const names = [event["target_principal_name"], event["source_principal_name"]];
  return {
    names: names.filter((name): name is string => typeof name === "string" && name !== ""),
    ids: [ends.target, ends.source].filter((id) => id !== null),
    source: ends.source,
    target: ends.target,
    finding: position,
  };
}

export function subjectOfEntity(identifier: string): Subject {
  return { names: [identifier], ids: [identifier], source: identifier, target: null, finding: null };
}

/** An object of a graph: with a path, the way from it to the path's end; at the end, the whole way there. */
export function subjectOfNode({ id, name }: GraphNode, { nodes }: GraphView): Subject {
  const path = nodes.filter(({ place }) => place !== null).sort((a, b) => (a.place ?? 0) - (b.place ?? 0));
  const [first, last] = [path[0]?.id ?? null, path.at(-1)?.id ?? null];
  const ends = id === last ? { source: first, target: id } : { source: id, target: last };
  return {
    names: path.length === 0 ? [name] : path.map((node) => node.name),
    ids: path.length === 0 ? [id] : path.map((node) => node.id),
    ...ends,
    finding: null,
  };
}

/** Values for the parameters of an action, by what their labels ask for. Without a value, a parameter stays out. */
export function filledIn(parameters: readonly Parameter[], subject: Subject): Record<string, string[]> {
  const filled = parameters.map(({ name }): [string, string[]] => [name, valuesFor(name, subject)]);
  return Object.fromEntries(filled.filter(([, values]) => values.length > 0));
}

function valuesFor(label: string, { names, ids, source, target }: Subject): string[] {
  if (/\bnames?\b/i.test(label)) return names;
  if (/\bids?\b/i.test(label)) return ids;
  if (/\b(start|source|from)\b/i.test(label)) return source === null ? [] : [source];
  if (/\b(end|target|to)\b/i.test(label)) return target === null ? [] : [target];
  return [];
}
