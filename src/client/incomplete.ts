import { endsTheRun, ServiceError } from "../service/errors/errors.ts";
import { listed } from "../text.ts";

/** A list that is missing from what was read, or the end of it. */
export interface MissingList {
  /** Null for the list of environments. */
  readonly environmentId: string | null;
  /** Null for the list of environments, and for the finding types of an environment. */
  readonly findingType: string | null;
  readonly error: ServiceError;
}

/** Some of the lists of a tenant are missing, or the end of them. Everything else was returned. */
export class IncompleteError extends ServiceError {
  readonly code = "incomplete";
  readonly missing: readonly MissingList[];

  constructor(missing: readonly MissingList[]) {
    const names = missing.map(({ environmentId, findingType }) =>
      [environmentId ?? "environments", ...(findingType === null ? [] : [findingType])].join(" / "),
    );
    const first = missing[0]?.error;
    super(`Incomplete: ${listed(names)}. The other findings were returned. ${first?.message ?? ""}`.trimEnd(), {
      whoActs: first?.whoActs ?? "service",
    });
    this.missing = missing;
  }
}

/** Lists that are read one after the other. One that fails does not affect the others. */
export class Lists {
  readonly #missing: MissingList[] = [];

  /**
   * Reads a list, and remembers an error for the end.
   *
   * @throws ServiceError at once when it would meet the other lists, too
   */
  async *read<T>(name: Omit<MissingList, "error">, list: AsyncIterable<T>): AsyncGenerator<T, void, undefined> {
    try {
      yield* list;
    } catch (error) {
      if (!(error instanceof ServiceError) || endsTheRun(error)) throw error;
      this.#missing.push({ ...name, error });
    }
  }

  /** @throws IncompleteError when a list is missing */
  end(): void {
    if (this.#missing.length > 0) throw new IncompleteError(this.#missing);
  }
}
