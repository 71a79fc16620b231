import { IdSet } from "./id-set.ts";

export const HOUR_MS = 3_600_000;

/** Whole hours since the epoch; null for a finding whose time is missing or cannot be trusted. */
export type Hour = number | null;

/**
 * The identities of delivered findings of one pair, by the hour of their `created_at`. Hours rather than instants keep
 * the text short; the overlap window therefore begins at a full hour.
 *
 * Text form: groups joined by `;`, each `<hours before the base>:<identities>` (the prefix is left out for the base
 * hour itself), or `x:<identities>` for findings without a time.
 */
export class Seen {
  readonly #byHour = new Map<Hour, IdSet>();

  has(hour: Hour, identity: string): boolean {
    return this.#byHour.get(hour)?.has(identity) ?? false;
  }

  add(hour: Hour, identity: string): void {
    const ids = this.#byHour.get(hour) ?? new IdSet();
    this.#byHour.set(hour, ids);
    ids.add(identity);
  }

  /** Forgets what is older than this hour; findings without a time stay. */
  prune(floor: number): void {
    for (const hour of this.#byHour.keys()) {
      if (hour !== null && hour < floor) this.#byHour.delete(hour);
    }
  }

  /**
   * Findings with an id from this hour on. Those without a time count too, and those without an id do not, so that a
   * window which holds any is never taken for a known one.
   */
  count(floor: number): number {
    let count = 0;
    for (const [hour, ids] of this.#byHour) if (hour === null || hour >= floor) count += ids.numbers;
    return count;
  }

  /** Whether any of the identities is no whole number. */
  get hasOthers(): boolean {
    return [...this.#byHour.values()].some((ids) => ids.numbers < ids.size);
  }

  /** The greatest whole number among the identities from this hour on; null when there is none. */
  greatest(floor: number): number | null {
    const hours = [...this.#byHour].filter(([hour]) => hour !== null && hour >= floor);
    const numbers = hours.flatMap(([, ids]) => ids.greatest ?? []);
    return numbers.length === 0 ? null : Math.max(...numbers);
  }

  toText(base: number): string {
    const group = ([hour, ids]: [Hour, IdSet]): string => {
      if (hour === base) return ids.toText();
      return `${hour === null ? "x" : base - hour}:${ids.toText()}`;
    };
    return [...this.#byHour].map(group).join(";");
  }

  /** Null when the text is not of the form above. */
  static fromText(text: string, base: number): Seen | null {
    const seen = new Seen();
    for (const group of text === "" ? [] : text.split(";")) {
      const match = /^(?:(x|-?\d{1,9}):)?(.*)$/.exec(group);
      const ids = IdSet.fromText(match?.[2] ?? "");
      if (ids === null) return null;
      seen.#byHour.set(match?.[1] === "x" ? null : base - Number(match?.[1] ?? 0), ids);
    }
    return seen;
  }
}
