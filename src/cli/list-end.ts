import { BadRequestError, endsTheRun, ProtocolError, ServiceError } from "../service/errors/errors.ts";
import { listed, oneLine } from "../text.ts";
import { ExitCode } from "./exit-codes.ts";
import type { Output } from "./output/output.ts";

interface ListEnd {
  /** How many entries were written. */
  readonly count: number;
  /** What to say when there are none. */
  readonly empty: string;
}

/** Says so when a list has no entries. */
export function endOfList(output: Output, { count, empty }: ListEnd): ExitCode {
  if (count > 0) return ExitCode.yes;
  output.note(empty);
  return ExitCode.no;
}

/** That nothing is found in such environments is no good news. */
export function uncollectedNote(names: readonly string[]): string {
  return `Findings may be missing: no data is collected for ${listed(names)}.`;
}

/** What `ListOfParts.fail` says of the list of environments. */
export const ENVIRONMENTS = "environments";
/** What `ListOfParts.ignore` says of environments and of finding types. */
export const WITHOUT_ID = "without a usable id";
export const WITHOUT_NAME = "that are not names";

/** The parts are what the service has listed itself. If it rejects the request for one, nobody has entered anything wrong. */
function ofService(failure: ServiceError): ServiceError {
  return failure instanceof BadRequestError && failure.whoActs === "analyst"
    ? new ProtocolError(failure.message, { whoActs: "service" })
    : failure;
}

/** A list whose parts are read one after the other. One that fails does not affect the others. */
export class ListOfParts {
  readonly #failures: { readonly name: string; readonly error: ServiceError }[] = [];
  readonly #ignored = new Map<string, number>();
  #uncollected: readonly string[] = [];
  /** Parts that were left out after a failure that would meet them, too. */
  readonly #skipped: string[] = [];

  /** Counts entries that cannot be used, such as those "without a usable id". */
  ignore(count: number, what: string): void {
    if (count > 0) this.#ignored.set(what, (this.#ignored.get(what) ?? 0) + count);
  }

  /** Notes environments without collected data, by name. */
  lack(uncollected: readonly string[]): void {
    this.#uncollected = uncollected;
  }

  /** Notes why a part is missing, or some of it. */
  fail(name: string, error: ServiceError | undefined): void {
    if (error !== undefined) this.#failures.push({ name, error });
  }

  /** Reads a part; after an error that would meet the other parts, too, they are left out. */
  async *read<T>(name: string, part: AsyncIterable<T>): AsyncGenerator<T> {
    if (endsTheRun(this.#failures.at(-1)?.error)) {
      this.#skipped.push(name);
      return;
    }
    try {
      yield* part;
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code === "aborted") throw error;
      this.fail(name, error);
    }
  }

  /** Why the first part is missing that is. */
  get failure(): ServiceError | undefined {
    return this.#failures[0]?.error;
  }

  /** What is missing, in sentences. */
  gaps(): string[] {
    return [
      ...this.#notes(),
      ...this.#failures.map(({ name, error }) => `${oneLine(name)}: ${error.message}`),
      ...this.#notRead(),
    ];
  }

  #notes(): string[] {
    return [
      ...(this.#uncollected.length > 0 ? [uncollectedNote(this.#uncollected)] : []),
      ...[...this.#ignored].map(([what, count]) => `Ignored ${count === 1 ? "1 entry" : `${count} entries`} ${what}.`),
    ];
  }

  #notRead(): string[] {
    return this.#skipped.length === 0 ? [] : [`Not read after that: ${listed(this.#skipped)}.`];
  }

  /**
   * Says what is missing.
   *
   * @throws ServiceError when nothing could be read
   */
  end(output: Output, list: ListEnd): ExitCode {
    const { failure } = this;
    const notes = this.#notes();
    for (const note of notes) output.note(note);
    if (failure === undefined) return notes.length > 0 ? ExitCode.partial : endOfList(output, list);
    if (list.count === 0) throw ofService(failure);
    for (const { name, error } of this.#failures) output.error(`Incomplete: ${oneLine(name)}. ${error.message}`);
    for (const sentence of this.#notRead()) output.error(sentence);
    return ExitCode.partial;
  }
}
