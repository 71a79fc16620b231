import { BadRequestError, endsTheRun, NotFoundError, ServiceError } from "../errors/errors.ts";
import type { ListAnswer } from "./paging.ts";

/** The beginning of a list, and how to find out whether it goes on. */
interface ListBeginning<T> {
  readonly answer: ListAnswer<T>;
  /** Most records that the request asked for. */
  readonly limit: number;
  /** Asks for one record at this position. */
  readonly ask: (skip: number) => Promise<ListAnswer<T>>;
  readonly identity: (record: T) => string;
}

/** What the counts of a tenant's answers have shown. */
type Shown =
  | "nothing"
  /** An answer counted more records than it held. */
  | "counts_the_list"
  /** A list went on behind its count. */
  | "counts_the_page"
  /** An answer behind the end of a list had no count. */
  | "says_no_more";

/**
 * Whether a count that is as large as its page is that of the list. The service document says so. A service that counts
 * the page instead would have the rest of each list passed over, and only a question can tell the two apart. One answer
 * settles it for all lists, except for one that fills its page: a service may count up to that many.
 */
export class CountCheck {
  #shown: Shown = "nothing";
  /** The first question, which other lists wait for. */
  #question: Promise<unknown> | null = null;

  /** The answer, without its count if that is not the length of the list. */
  async checked<T>(list: ListBeginning<T>): Promise<ListAnswer<T>> {
    const { answer, limit } = list;
    const { length } = answer.records;
    this.#take(answer);
    if (answer.total !== length || length === 0) return answer;
    if (this.#shown === "nothing") await this.#question;
    if (this.#shown === "counts_the_list" && length < limit) return answer;
    const isWhole = this.#shown !== "counts_the_page" && (await this.#isWhole(list));
    return isWhole ? answer : { ...answer, total: null };
  }

  async #isWhole<T>({ answer: { records, total }, ask, identity }: ListBeginning<T>): Promise<boolean> {
    const question = ask(records.length);
    this.#question ??= question.catch(() => undefined);
    try {
      const behind = await question;
      const isEmpty = behind.records.length === 0;
      // A service that ignores the position lists the beginning again.
      const known = new Set(isEmpty ? [] : records.map(identity));
      const isWhole = behind.records.every((record) => known.has(identity(record)));
      if (!isWhole) this.#shown = "counts_the_page";
      else if (this.#shown === "nothing")
        this.#shown = isEmpty && behind.total === total ? "counts_the_list" : "says_no_more";
      return isWhole;
    } catch (error) {
      if (!(error instanceof ServiceError) || endsTheRun(error)) throw error;
      // It refuses a position behind the end.
      return error instanceof BadRequestError || error instanceof NotFoundError;
    }
  }

  #take<T>({ records, total }: ListAnswer<T>): void {
    if (this.#shown === "nothing" && total !== null && total > records.length) this.#shown = "counts_the_list";
  }
}
