import { counted, listed } from "../../../../../src/text.ts";
import type { Parameter } from "../../../../../src/manifest/manifest.ts";
import { visible } from "../../../../../widgets/shared/text.ts";
import type { AlertFinding, FindingEnd } from "../../../contract/index.ts";
import type { Subject } from "./subject.ts";

/** What a person has chosen of an alert. Needs no browser. */
export interface Scope {
  /** Position of one finding; null: all findings. */
  finding: number | null;
  /** Object id of an end; null: that of the findings. */
  start: string | null;
  end: string | null;
}

/** What an action will be asked. */
export interface Asked {
  /** Values by label; a parameter that is absent is left empty. */
  parameters: Record<string, string[]>;
  /** Positions of the findings that it is about; null: all of the alert. */
  findings: number[] | null;
  /** In words, for the person who is about to run it. */
  sentence: string;
  /** Whether there is anything to ask. */
  isPossible: boolean;
}

/** The role of a parameter, by its label; null when an alert has nothing for it. */
export function roleOf({ name }: Parameter): "names" | "ids" | "start" | "end" | null {
  if (/\bnames?\b/i.test(name)) return "names";
  if (/\bids?\b/i.test(name)) return "ids";
  if (/\b(start|source|from)\b/i.test(name)) return "start";
  return /\b(end|target|to)\b/i.test(name) ? "end" : null;
}

/** Every object of the findings once, by its name; those that a person came with, too. A name and its object id are one object. */
export function objectsIn(findings: readonly AlertFinding[], subject: Subject | null): FindingEnd[] {
  const ends = findings.flatMap(({ source, target }) => [source, target]).filter((end) => end !== null);
  const names = new Set(ends.map(({ name }) => name.toUpperCase()));
  const given = (subject?.ids ?? [])
    .map((id, index) => ({ id, name: subject?.names[index] ?? id, kind: "" }))
    .filter(({ id }) => !names.has(id.toUpperCase()));
  const objects = new Map([...given, ...ends].map((object) => [object.id, object]));
  return [...objects.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** What is chosen at first for a subject. */
export function scopeOf(subject: Subject | null, objects: readonly FindingEnd[]): Scope {
  if (subject === null) return { finding: null, start: null, end: null };
  if (subject.finding !== null) return { finding: subject.finding, start: null, end: null };
  const idOf = (id: string | null): string | null =>
    objects.find((object) => object.id === id || object.name.toUpperCase() === id?.toUpperCase())?.id ?? null;
  return { finding: null, start: idOf(subject.source), end: idOf(subject.target) };
}

/** What the chosen scope asks of an action. */
export function askedBy(
  parameters: readonly Parameter[],
  scope: Scope,
  { findings, objects }: { findings: readonly AlertFinding[]; objects: readonly FindingEnd[] },
): Asked {
  const chosen = findings.filter(({ position }) => scope.finding === null || position === scope.finding);
  const positions = scope.finding === null ? null : [scope.finding];
  const roles = parameters.map((parameter) => [parameter.name, roleOf(parameter)] as const);
  if (roles.some(([, role]) => role === "start")) return pathsAsked(roles, scope, { chosen, objects, positions });
  const wanted = scope.start === null ? objectsIn(chosen, null) : objects.filter(({ id }) => id === scope.start);
  const values = { names: wanted.map(({ name }) => name), ids: wanted.map(({ id }) => id) };
  const filled = roles.flatMap(([name, role]) => (role === "names" || role === "ids" ? [[name, values[role]]] : []));
  const names = listed(wanted.map(({ name }) => visible(name)));
  if (filled.length === 0) return { parameters: {}, findings: positions, sentence: "", isPossible: true };
  return {
    parameters: Object.fromEntries(filled) as Asked["parameters"],
    findings: positions,
    sentence:
      wanted.length === 0 ? "This alert names no object." : `Asks about ${counted(wanted.length, "object")}: ${names}.`,
    isPossible: wanted.length > 0,
  };
}

/** Pairs that are findings of the alert are asked about as such, so that each keeps its severity. */
function pathsAsked(
  roles: readonly (readonly [string, ReturnType<typeof roleOf>])[],
  { start, end }: Scope,
  of: { chosen: readonly AlertFinding[]; objects: readonly FindingEnd[]; positions: number[] | null },
): Asked {
  const fits = ({ source, target }: AlertFinding): boolean =>
    source !== null &&
    target !== null &&
    source.id !== target.id &&
    (start ?? source.id) === source.id &&
    (end ?? target.id) === target.id;
  const fitting = of.chosen.filter(fits);
  if (fitting.length > 0) {
    const positions = start === null && end === null ? of.positions : fitting.map(({ position }) => position);
    const pairs = new Map(
      fitting.map(({ source, target }) => [`${source?.id} ${target?.id}`, pairText(source, target)]),
    );
    return { parameters: {}, findings: positions, sentence: pairsText([...pairs.values()]), isPossible: true };
  }
  const endsOf = (side: "source" | "target", other: string | null) =>
    objectsIn(
      of.chosen.map((finding) => ({ ...finding, source: null, target: finding[side] })),
      null,
    ).filter(({ id }) => id !== other);
  const named = (id: string) => of.objects.filter((object) => object.id === id);
  const starts = start === null ? endsOf("source", end) : named(start);
  const ends = end === null ? endsOf("target", start) : named(end);
  if (starts.length === 0 || ends.length === 0 || (start === null && end === null))
    return {
      parameters: {},
      findings: of.positions,
      sentence: `${starts.length === 0 ? "The findings have no start" : "The findings have no end"}. Choose ${starts.length === 0 ? "Start" : "End"}.`,
      isPossible: false,
    };
  if (start !== null && start === end)
    return {
      parameters: {},
      findings: of.positions,
      sentence: "Start and End are the same object.",
      isPossible: false,
    };
  const values = { start: starts.map(({ id }) => id), end: ends.map(({ id }) => id) };
  const filled = roles.flatMap(([name, role]) => (role === "start" || role === "end" ? [[name, values[role]]] : []));
  return {
    parameters: Object.fromEntries(filled) as Asked["parameters"],
    findings: of.positions,
    sentence: pairsText(starts.flatMap((from) => ends.map((to) => pairText(from, to)))),
    isPossible: true,
  };
}

function pairText(from: FindingEnd | null, to: FindingEnd | null): string {
  return `${visible(from?.name ?? "")} → ${visible(to?.name ?? "")}`;
}

function pairsText(pairs: readonly string[]): string {
  return `Asks whether ${counted(pairs.length, "path")} ${pairs.length === 1 ? "exists" : "exist"}: ${listed(pairs)}.`;
}

/** The action that fits what was selected: paths for two ends, the object itself for one; null when none fits. */
export function fittingAction(
  actions: readonly { name: string; parameters: readonly Parameter[] }[],
  findings: readonly AlertFinding[],
  subject: Subject | null,
): string | null {
  const hasPair =
    subject === null
      ? findings.some(({ source, target }) => source !== null && target !== null)
      : subject.source !== null && subject.target !== null;
  const having = (role: ReturnType<typeof roleOf>) =>
    actions.find(({ parameters }) => parameters.some((parameter) => roleOf(parameter) === role));
  const fitting = hasPair ? having("start") : (having("ids") ?? having("names"));
  return (fitting ?? actions.find(({ parameters }) => parameters.length > 0))?.name ?? null;
}
