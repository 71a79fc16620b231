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

/** Rotates the list so that it starts at the first entry for which `isFirst` is true. */
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
