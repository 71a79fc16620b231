import type { Validator } from "../generated/validators.js";
import { type Envelope, listIn, objectIn, readEnvelope } from "./envelope.ts";
import type { Exchange } from "./errors.ts";
import type { Operation, Requester, ServiceLog } from "./requester.ts";
import { salvage, salvageList, type ValueMisfit } from "./salvage.ts";
import type { QueryPair } from "./target.ts";

const MOST_NAMED = 5;

/** A successful answer and the request it belongs to. */
export interface Reply {
  readonly envelope: Envelope;
  readonly exchange: Exchange;
}

/** What the resources are made of: operations whose answers are read, checked and salvaged. */
export class Api {
  readonly #requester: Requester;
  readonly log: ServiceLog;

  constructor(requester: Requester, log: ServiceLog) {
    this.#requester = requester;
    this.log = log;
  }

  get(path: string, query: readonly QueryPair[] = []): Promise<Reply> {
    return this.send({ method: "GET", path, query });
  }

  async send(operation: Operation): Promise<Reply> {
    const { method, path } = operation;
    const exchange = { method, path };
    const answer = await this.#requester.send(operation);
    // A deletion may have nothing to say.
    const silent = method === "DELETE" && answer.body.length === 0;
    return { envelope: silent ? { data: null, count: null } : readEnvelope(answer, exchange), exchange };
  }

  /** The answer as it came, for bodies that are no envelope. */
  raw(operation: Operation): ReturnType<Requester["send"]> {
    return this.#requester.send(operation);
  }

  /** The records of a list; what does not fit is left out and logged. */
  list<T>(validate: Validator<T>, { envelope, exchange }: Reply): T[] {
    const { records, misfits } = salvageList(validate, listIn(envelope, exchange));
    this.report(misfits, exchange);
    return records;
  }

  /** One record; what does not fit is left out and logged. */
  record<T>(validate: Validator<T>, { envelope, exchange }: Reply): T {
    const record = objectIn(envelope, exchange);
    this.report(salvage(validate, record), exchange);
    return record as T;
  }

  report(misfits: readonly ValueMisfit[], { path }: Exchange): void {
    if (misfits.length === 0) return;
    const named = misfits.slice(0, MOST_NAMED).map((misfit) => `${misfit.path || "/"} ${misfit.problem}`);
    this.log.warn("Values of an unexpected type in the service's answer were left out", {
      path,
      count: misfits.length,
      misfits: named,
    });
  }
}
