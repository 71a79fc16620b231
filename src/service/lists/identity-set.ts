import { isWholeNumber } from "../resources/finding-identity.ts";

/** Ids that one number holds, a bit for each. */
const BLOCK = 32;

/** Identities of records. The ids of a list are mostly numbers close to each other, which take a few bits each. */
export class IdentitySet {
  /** Bits by block of ids. */
  readonly #numbers = new Map<number, number>();
  readonly #texts = new Set<string>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** @returns whether it was not there before */
  add(identity: string): boolean {
    const isNew = isWholeNumber(identity) ? this.#addNumber(Number(identity)) : this.#addText(identity);
    if (isNew) this.#size += 1;
    return isNew;
  }

  #addNumber(id: number): boolean {
    const block = Math.floor(id / BLOCK);
    const bits = this.#numbers.get(block) ?? 0;
    const added = bits | (1 << (id % BLOCK));
    if (added === bits) return false;
    this.#numbers.set(block, added);
    return true;
  }

  #addText(text: string): boolean {
    if (this.#texts.has(text)) return false;
    this.#texts.add(text);
    return true;
  }
}
