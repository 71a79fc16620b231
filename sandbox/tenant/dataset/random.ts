/** A seeded source of numbers: the same seed gives the same data set on every machine. */
export interface Random {
  /** A number from 0 up to, and without, 1. */
  next(): number;
  /** A whole number from 0 up to, and without, the bound. */
  below(bound: number): number;
  pick<T>(items: readonly T[]): T;
  /** Distinct items, at most as many as there are. */
  sample<T>(items: readonly T[], count: number): T[];
}

/** Mulberry32: 32 bits of state are plenty for names and edges. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (bound: number): number => Math.floor(next() * bound);
  return {
    next,
    below,
    pick: (items) => {
      const item = items[below(items.length)];
      if (item === undefined) throw new RangeError("Nothing to pick from.");
      return item;
    },
    sample: (items, count) => {
      const pool = [...items];
      for (let index = pool.length - 1; index > 0; index -= 1) {
        const other = below(index + 1);
        [pool[index], pool[other]] = [pool[other], pool[index]] as [(typeof pool)[0], (typeof pool)[0]];
      }
      return pool.slice(0, count);
    },
  };
}

/** A UUID (version 4 in form) from a seeded source. */
export function seededUuid(random: Random): string {
  const hex = Array.from({ length: 32 }, () => random.below(16).toString(16));
  hex[12] = "4";
  hex[16] = (8 + random.below(4)).toString(16);
  const text = hex.join("");
  return [text.slice(0, 8), text.slice(8, 12), text.slice(12, 16), text.slice(16, 20), text.slice(20)].join("-");
}

/** Taken from its object once: each use of a global costs much in tests, which have globals of their own. */
const { imul } = Math;

/** A stable 53-bit hash of a text (cyrb53), for orders and numbers that must not depend on call order. */
export function stableHash(text: string): number {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    high = imul(high ^ code, 2654435761);
    low = imul(low ^ code, 1597334677);
  }
  high = imul(high ^ (high >>> 16), 2246822507) ^ imul(low ^ (low >>> 13), 3266489909);
  low = imul(low ^ (low >>> 16), 2246822507) ^ imul(high ^ (high >>> 13), 3266489909);
  return 4294967296 * (2097151 & low) + (high >>> 0);
}
