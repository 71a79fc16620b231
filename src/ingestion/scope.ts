import type { Environment } from "../service/resources/environments.records.ts";

/** One finding type of one environment, the unit of polling. */
export interface Stream {
  readonly environment: Environment;
  readonly findingType: string;
}

/** How messages name an environment. */
export function environmentName({ name, id }: Environment): string {
  return name ?? id;
}

/** How messages name a stream. */
export function streamName({ environment, findingType }: Stream): string {
  return `${environmentName(environment)} / ${findingType}`;
}

/** The environments that a poll reads. */
export interface Scope {
  readonly selected: readonly Environment[];
  /** Names and ids of Selected Environments that no visible environment has. */
  readonly unknown: readonly string[];
  /** Selected environments without data yet: they are not read. */
  readonly uncollected: readonly Environment[];
  /** All environments that the token can see. */
  readonly visible: readonly Environment[];
  /** Listed entries without a usable id. */
  readonly unreadable: number;
}

/**
 * Narrows the visible environments to the selected ones, by name or id, without letter case. `All` anywhere in the
 * selection, or an empty one, selects every environment. Environments that share a name are all meant by it.
 */
export function scopeOf(listed: readonly Environment[], selection: readonly string[], unreadable: number): Scope {
  // Should one be listed twice, the entry that has data counts.
  const collectedLast = [...listed].sort((a, b) => Number(a.collected !== false) - Number(b.collected !== false));
  const byId = new Map(collectedLast.map((environment) => [environment.id, environment]));
  const visible = [...new Set(listed.map(({ id }) => id))].flatMap((id) => byId.get(id) ?? []);
  const wanted = new Set(selection.map(fold));
  const all = isAll(selection);
  const namesOf = ({ id, name }: Environment): string[] => [fold(id), fold(name ?? "")];
  const meant = visible.filter((environment) => all || namesOf(environment).some((name) => wanted.has(name)));
  const existing = new Set(visible.flatMap(namesOf));
  return {
    selected: meant.filter(({ collected }) => collected !== false),
    unknown: all ? [] : selection.filter((name) => !existing.has(fold(name))),
    uncollected: meant.filter(({ collected }) => collected === false),
    visible,
    unreadable,
  };
}

/** Narrows the finding types of an environment to the selected ones, exactly as written, in a fixed order. */
export function selectTypes(available: readonly string[], selection: readonly string[]): string[] {
  const distinct = [...new Set(available)].sort();
  return isAll(selection) ? distinct : distinct.filter((type) => selection.includes(type));
}

/** Selected finding types that no environment offers; they may be offered later. */
export function unofferedTypes(available: Iterable<string>, selection: readonly string[]): string[] {
  const offered = new Set(available);
  return isAll(selection) ? [] : selection.filter((type) => !offered.has(type));
}

/** Puts the entry named `first` first and keeps the order otherwise, as in a ring. */
export function startingAt<T>(entries: readonly T[], isFirst: (entry: T) => boolean): T[] {
  const start = Math.max(0, entries.findIndex(isFirst));
  return [...entries.slice(start), ...entries.slice(0, start)];
}

/** Names in a fixed order, in which the first one follows on the last. */
export class Ring {
  readonly #names: string[] = [];
  readonly #places = new Map<string, number>();

  constructor(names: readonly string[]) {
    for (const name of names) this.add(name);
  }

  add(name: string): void {
    this.#places.set(name, this.#names.push(name) - 1);
  }

  /** What follows on a name; on one that is not among them, the first. Itself when there is none. */
  behind(name: string): string {
    const place = this.#places.get(name) ?? -1;
    return this.#names[(place + 1) % this.#names.length] ?? name;
  }
}

function isAll(selection: readonly string[]): boolean {
  return selection.length === 0 || selection.some((name) => fold(name) === "all");
}

function fold(text: string): string {
  return text.toWellFormed().trim().toLowerCase();
}
