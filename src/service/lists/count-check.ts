import { type Clock, raceTimeout } from "../../clock.ts";
import { BadRequestError, refusesPosition, ServiceError } from "../errors/errors.ts";
import type { ListAnswer } from "./paging.ts";

/** An answer of a list, and how to find out what comes after it. */
interface ListPart<T> {
  /** Tells its list from the others. */
  readonly list: string;
  /** Position of its first record. */
  readonly skip: number;
  /** Whether an earlier run began the list. */
  readonly isResumed: boolean;
  /** Most records that the request asked for. */
  readonly limit: number;
  /** Asks for so many records at this position; where that fails, the next page shows the same. */
  readonly ask: (skip: number, limit: number) => Promise<ListAnswer<T>>;
  readonly identity: (record: T) => string;
}

/** How long a list waits for the answer about another one, which may spare it a question of its own. */
const PATIENCE_MS = 1_000;

/** So many lists may have just as many records as a service counts at most, or as its largest page has. */
const MOST_BY_CHANCE = 3;

/** Whether a service may grant pages of this size, or count no further than this, whatever is asked for. */
function isUsualLimit(count: number): boolean {
  const isPowerOfTwo = count >= 16 && Number.isInteger(Math.log2(count));
  return isPowerOfTwo || count % 50 === 0 || [10, 20, 25].includes(count);
}

/** Whether a limit may have cut a list where it ends. */
function mayBeCut(count: number, { skip, limit }: Pick<ListPart<unknown>, "skip" | "limit">): boolean {
  return isUsualLimit(count) || (skip === 0 && count >= limit);
}

/**
 * Checks whether `count` is the length of the whole list. The service document says it is. But a service that counts only the
 * records of a page, or stops counting at a number, would have the rest of each list passed over. One request past the count
 * settles it for all lists that are shorter. Those that a usual limit may have cut are asked about for themselves: parts of a
 * tenant may count differently.
 */
export class CountCheck {
  readonly #clock: Clock;
  /** A list had nothing past this count. */
  #checked = 0;
  /** The lists that had nothing past their count, by this count. */
  readonly #whole = new Map<number, Set<string>>();
  /** A list had records past its count, and the count did not grow. */
  #isWrong = false;
  /** A count grew with what was shown, as it does where a service counts no further. */
  #mayCountToHere = false;
  /** A count went beyond what was shown. */
  #countsAhead = false;
  /** The first question. */
  #question: Promise<unknown> | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The answer, without its count if that is not the length of the list. */
  async checked<T>(answer: ListAnswer<T>, part: ListPart<T>): Promise<ListAnswer<T>> {
    const { records, total } = answer;
    if (total === null) return answer;
    this.#countsAhead ||= total > part.skip + records.length;
    const isEnd = total > 0 && part.skip + records.length === total;
    if (isEnd && this.#question !== null) await raceTimeout(this.#question, PATIENCE_MS, this.#clock);
    const isRight =
      !this.#isWrong && (!isEnd || this.#isKnown(total, part) || (await this.#isWhole(answer, total, part)));
    return isRight ? answer : { ...answer, total: null };
  }

  /** More than a few lists that end just where a service counts no further, or where its page ends, are hardly chance. */
  #isKnown(count: number, part: Pick<ListPart<unknown>, "skip" | "limit">): boolean {
    if (count > this.#checked || (this.#mayCountToHere && !this.#countsAhead)) return false;
    // A first page of the same unusual length is no sign of that: lists of the same length are common.
    const mayBeMost = part.skip > 0 && count === this.#checked;
    return !(mayBeMost || mayBeCut(count, part)) || (this.#whole.get(count)?.size ?? 0) >= MOST_BY_CHANCE;
  }

  /**
   * An answer that counts less than the one before settles nothing: such a service may count anything in other lists. Nor does one whose
   * count may end with what was shown: at the end of a list, that looks right, and a run may begin there with a list that an earlier one began.
   */
  #settle({ list, isResumed }: Pick<ListPart<unknown>, "list" | "isResumed">, count: number, isCounted: boolean): void {
    const isTrusted = this.#countsAhead || (!this.#mayCountToHere && !isResumed);
    if (!isCounted || !isTrusted) return;
    this.#whole.set(count, (this.#whole.get(count) ?? new Set()).add(list));
    this.#checked = Math.max(this.#checked, count);
  }

  async #isWhole<T>(answer: ListAnswer<T>, count: number, part: ListPart<T>): Promise<boolean> {
    const again = overlapOf(answer);
    try {
      const question = askPast(count, again, part);
      this.#question ??= question.catch(() => undefined);
      const { isCounted, isMore, isMoved, hasGrown, countsToHere, first } = compare(
        answer,
        await question,
        count,
        part,
      );
      const ignoresPosition = async (): Promise<boolean> =>
        first !== null && (await isFirstAt(count + 1 - again, first, part));
      const isWhole = !isMore && (!isMoved || hasGrown || (await ignoresPosition()));
      if (isWhole) this.#settle(part, count, isCounted);
      else if (isMore && !hasGrown) this.#isWrong = true;
      // Otherwise the list has grown in the meantime.
      else if (isMore && countsToHere) this.#mayCountToHere = true;
      return isWhole;
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      // The last record has a position. A service that refuses it takes no positions, and does not tell what comes after it.
      return refusesPosition(error, again === 0) && (again === 0 || !mayBeCut(count, part));
    }
  }
}

interface Comparison {
  /** The answer counts more than it holds, and no less than the list did. */
  readonly isCounted: boolean;
  /** It has a record that the list did not have. */
  readonly isMore: boolean;
  /** Another record has the place of the last one, or one that stood before it now comes after it. */
  readonly isMoved: boolean;
  readonly hasGrown: boolean;
  /** The count ends with the last record that was shown, so it may be no more than that. */
  readonly countsToHere: boolean;
  /** The first record of the list, where the answer begins with it, as that of a service that ignores positions does; else null. */
  readonly first: string | null;
}

/** Where a page has room for it, the last record is asked for once more: if another one has its place, records have moved. */
function overlapOf({ records }: ListAnswer<unknown>): number {
  return records.length > 1 ? 1 : 0;
}

/** Asks for what comes after a count, and for the last record before it where that is wanted `again`. */
async function askPast<T>(count: number, again: number, part: ListPart<T>): Promise<ListAnswer<T>> {
  const ask: ListPart<T>["ask"] = (skip, limit) => askFew(skip, limit, part);
  const past = await ask(count - again, again + 1);
  const isShown = past.records.length > again || (past.total ?? 0) >= count;
  if (again === 0 || isShown) return past;
  // The service may have granted no more than one record.
  const records = await recordsPast(count, ask);
  return { ...past, records: [...past.records, ...records] };
}

/** A service that takes no small limit takes the one that the list is read with. */
export async function askFew<T>(
  skip: number,
  few: number,
  { ask, limit }: Pick<ListPart<T>, "ask" | "limit">,
): Promise<ListAnswer<T>> {
  try {
    return await ask(skip, few);
  } catch (error) {
    if (!(error instanceof BadRequestError) || !Number.isFinite(limit) || limit <= few) throw error;
    return ask(skip, limit);
  }
}

async function recordsPast<T>(count: number, ask: ListPart<T>["ask"]): Promise<readonly T[]> {
  try {
    return (await ask(count, 1)).records;
  } catch (error) {
    if (refusesPosition(error, true)) return [];
    throw error;
  }
}

/** What the answer to a request past a count says about the count. */
function compare<T>(answer: ListAnswer<T>, past: ListAnswer<T>, count: number, part: ListPart<T>): Comparison {
  const { identity } = part;
  const counted = past.total ?? 0;
  const again = overlapOf(answer);
  const ids = answer.records.map(identity);
  const pastIds = past.records.map(identity);
  // A service that ignores positions does not tell what comes after a page that its limit may have cut.
  const isTold = !mayBeCut(count, part);
  return {
    isCounted: counted > Math.max(past.records.length, count - 1),
    isMore: pastIds.slice(again).some((id) => !ids.includes(id)),
    isMoved: pastIds[0] !== (again > 0 ? ids.at(-1) : undefined),
    hasGrown: counted > count,
    countsToHere: counted === count - again + past.records.length,
    first: isTold && pastIds[0] === ids[0] ? (ids[0] ?? null) : null,
  };
}

/** Whether a service lists the beginning wherever it is asked, because it ignores positions. A list that has grown at its beginning does not. */
async function isFirstAt<T>(position: number, first: string, part: ListPart<T>): Promise<boolean> {
  const { identity } = part;
  try {
    const { records } = await askFew(position, 1, part);
    return records.map(identity)[0] === first;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return false;
  }
}
