import type { Validator } from "../generated/validators.js";
import type { Logger } from "../logger.ts";
import type { Endpoint } from "./errors/errors.ts";
import type { OptionalRequest } from "./attack-path-service.ts";
import type { Operation, Requester } from "./http/requester.ts";
import type { Answer } from "./transport.ts";
import type { QueryPair } from "./http/target.ts";
import type { InvalidField, Unwrapped } from "./responses/nullables.ts";
import { checkRecord, checkRecords } from "./responses/invalid-values.ts";
import { cutOffDeepValues } from "./responses/nesting.ts";
import type { PageCost } from "./lists/page-size.ts";
import {
  listIn,
  NO_DATA,
  objectIn,
  readResponseBody,
  refuseErrors,
  type ResponseBody,
} from "./responses/response-body.ts";

const MOST_NAMED = 5;

/** Most bytes of a list that is not paged, far more than a real tenant needs. */
export const LARGEST_LIST_BYTES = 16 * 2 ** 20;

/** The body of a successful response and the request that it belongs to. */
export interface Reply {
  readonly body: ResponseBody;
  readonly endpoint: Endpoint;
}

export interface TimedReply extends Reply {
  readonly cost: PageCost;
}

/** How a request is treated, besides what it asks for. */
export type RequestKind = Pick<Operation, "divisible" | "largestBody" | "onSent" | "optional" | "signal">;

/** A request that only saves work, unless somebody wants the response itself. */
export function savingWork(
  { required = false, signal, onSent }: OptionalRequest = {},
  largestBody: number,
): RequestKind {
  return { optional: !required, signal, onSent, largestBody };
}

/** The most records that a list may have in the response to an operation. */
function limitIn({ query = [] }: Operation): number {
  return Number(query.find(([name]) => name === "limit")?.[1] ?? Infinity);
}

/** Sends the operations of the resources, and turns responses into checked records. */
export class Api {
  readonly #requester: Requester;
  readonly log: Logger;

  constructor(requester: Requester, log: Logger) {
    this.#requester = requester;
    this.log = log;
  }

  get(path: string, query: readonly QueryPair[] = [], kind: RequestKind = {}): Promise<TimedReply> {
    return this.send({ method: "GET", path, query, ...kind });
  }

  /**
   * A list. The service writes `null` for an empty one, but also when it has a problem, so a null without a count is
   * requested once more.
   */
  async getList(path: string, query: readonly QueryPair[] = [], kind: RequestKind = {}): Promise<TimedReply> {
    const reply = await this.get(path, query, kind);
    return reply.body.data === null && !reply.body.count ? this.get(path, query, kind) : reply;
  }

  async send(operation: Operation): Promise<TimedReply> {
    const { method, path } = operation;
    const endpoint = { method, path };
    const answer = await this.#requester.send(operation);
    const context = { endpoint, asked: limitIn(operation), redact: this.#requester.redact };
    // The response to a deletion may be empty.
    const isEmpty = method === "DELETE" && answer.body.length === 0;
    const cost = { characters: answer.body.length, tookMs: answer.tookMs };
    const body = isEmpty ? NO_DATA : readResponseBody(answer, context);
    const count = cutOffDeepValues(body.data);
    if (count > 0)
      this.log.warn("Cut off values that are nested too deep in a response of the service", { path, count });
    return { body, endpoint, cost };
  }

  /** The response as it came, for bodies that need not be JSON with a `data` key. */
  raw(operation: Operation): ReturnType<Requester["send"]> {
    return this.#requester.send(operation);
  }

  /** @throws ProtocolError when such a body reports errors and has no data */
  refuseErrors(json: unknown, answer: Answer, endpoint: Endpoint): void {
    refuseErrors(json, answer, { endpoint, redact: this.#requester.redact });
  }

  /** The records of a list. Invalid values are removed and logged. */
  list<T>(validate: Validator<T>, { body, endpoint }: Reply): Unwrapped<T>[] {
    return this.records(validate, listIn(body, endpoint), endpoint);
  }

  /** The same for its entries. */
  records<T>(validate: Validator<T>, entries: readonly unknown[], endpoint: Endpoint): Unwrapped<T>[] {
    const { records, invalidValues } = checkRecords(validate, entries);
    this.report(invalidValues, endpoint);
    return records;
  }

  /** A single record, see `checkRecord`. Invalid values are removed and logged. */
  record<T>(validate: Validator<T>, { body, endpoint }: Reply, levels?: number): Unwrapped<T> {
    const { record, invalidValues } = checkRecord(validate, objectIn(body, endpoint), levels);
    this.report(invalidValues, endpoint);
    return record;
  }

  /** Logs how many values were removed, and the first few. */
  report(invalidValues: readonly InvalidField[], { path }: Endpoint): void {
    if (invalidValues.length === 0) return;
    const named = invalidValues
      .slice(0, MOST_NAMED)
      .map((invalidValue) => `${invalidValue.path || "/"} ${invalidValue.problem}`);
    this.log.warn("Ignored values of an unexpected type in a response of the service", {
      path,
      count: invalidValues.length,
      invalidValues: named,
    });
  }
}
