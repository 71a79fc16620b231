import type { AttackPathService } from "../../service/attack-path-service.ts";
import { ConfigurationError, ServiceError } from "../../service/errors/errors.ts";
import { isForNextRun } from "./each.ts";
import type { PacedService } from "./action-rate.ts";

/** The part of the service that a limited question may use. */
export type LimitedService = PacedService & Pick<AttackPathService, "environments" | "objects" | "origin" | "paths">;

/** The question has used up its requests, so this one was not sent. */
export class RequestLimitError extends ConfigurationError {
  /** @param kept - how many of them are for others */
  constructor(most: number, kept: number) {
    const share = kept === 0 ? "" : `, and ${most - kept} of them to look up its objects`;
    super(
      `Not asked: one question sends at most ${most} requests${share}. Ask about fewer objects at once, or enter object ids in place of names.`,
    );
  }
}

/** Counts the requests of one question, and refuses those beyond the limit. */
export class RequestLimit {
  readonly most: number;
  readonly #service: AttackPathService;
  readonly #spentBefore: number;
  readonly #sentBefore: number;
  /** In this run, without repetitions. */
  #asked = 0;

  /** @param spentBefore - requests of earlier runs of the same question */
  constructor(service: AttackPathService, most: number, spentBefore = 0) {
    this.#service = service;
    this.most = most;
    this.#spentBefore = spentBefore;
    this.#sentBefore = service.requestsSent;
  }

  /** Requests of all runs so far, including repeated ones and those that are about to be sent. */
  get spent(): number {
    return this.#spentBefore + Math.max(this.#asked, this.#service.requestsSent - this.#sentBefore);
  }

  get left(): number {
    return Math.max(0, this.most - this.spent);
  }

  /**
   * The service; its methods reject with a `RequestLimitError` once the limit is reached.
   *
   * @param kept - so many requests are left for others
   */
  service(kept = 0): LimitedService {
    const service = this.#service;
    const { origin, environments, objects, paths } = service;
    return {
      origin,
      get requestsPerSecond() {
        return service.requestsPerSecond;
      },
      set requestsPerSecond(most) {
        service.requestsPerSecond = most;
      },
      get requestsServed() {
        return service.requestsServed;
      },
      environments: { list: (options) => this.#count(() => environments.list(options), kept) },
      objects: { search: (query) => this.#count(() => objects.search(query), kept) },
      paths: { shortest: (...query) => this.#count(() => paths.shortest(...query), kept) },
    };
  }

  async #count<T>(send: () => Promise<T>, kept: number): Promise<T> {
    if (this.left <= kept) throw new RequestLimitError(this.most, kept);
    this.#asked += 1;
    try {
      return await send();
    } catch (error) {
      // The next run asks again. If it was sent all the same, the service counts it.
      if (error instanceof ServiceError && isForNextRun(error)) this.#asked -= 1;
      throw error;
    }
  }
}
