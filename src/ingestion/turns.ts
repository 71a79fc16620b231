/** Rotates the list so that it starts at the first entry for which `isFirst` is true. */
export function startingAt<T>(entries: readonly T[], isFirst: (entry: T) => boolean): T[] {
  const start = Math.max(0, entries.findIndex(isFirst));
  return [...entries.slice(start), ...entries.slice(0, start)];
}

/**
 * With whom the next round begins after one that was held up at the last of those that it had begun with; null for the first. Whoever holds
 * up each round must not keep those behind from their turn.
 */
export function heldUpAt(
  turns: readonly (readonly [name: string, ...rest: unknown[]])[],
  begun: number,
): string | null {
  return turns[begun === 1 ? 1 % turns.length : begun - 1]?.[0] ?? null;
}

/** Names in a fixed order, in which the first follows the last. */
export class Ring {
  readonly #names: string[] = [];
  readonly #places = new Map<string, number>();

  constructor(names: readonly string[]) {
    for (const name of names) this.add(name);
  }

  add(name: string): void {
    this.#places.set(name, this.#names.push(name) - 1);
  }

  /** The name that follows, and the first one for an unknown name. The name itself when the ring is empty. */
  next(name: string): string {
    const place = this.#places.get(name) ?? -1;
    return this.#names[(place + 1) % this.#names.length] ?? name;
  }
}
