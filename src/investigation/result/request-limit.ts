import type { AttackPathService } from "../../service/attack-path-service.ts";
import { ConfigurationError } from "../../service/errors/errors.ts";

/** What the use cases that search for objects and ask for paths need of the service. */
export type Asked = Pick<AttackPathService, "environments" | "objects" | "origin" | "paths">;

/** A question took as many requests as it may. This one was not sent. */
export class RequestLimitError extends ConfigurationError {
  constructor(most: number) {
    super(`Not asked: one question sends at most ${most} requests.`);
  }
}

/** Counts the requests of one question, and refuses those beyond the limit. */
export class RequestLimit {
  readonly #service: AttackPathService;
  readonly #most: number;
  readonly #sentBefore: number;
  #spent: number;

  /** @param spent - by earlier runs of the same question */
  constructor(service: AttackPathService, most: number, spent = 0) {
    this.#service = service;
    this.#most = most;
    this.#sentBefore = service.requestsSent;
    this.#spent = spent;
  }

  /** Requests so far, those included that are about to be sent, and repeated ones. */
  get spent(): number {
    return Math.max(this.#spent, this.#service.requestsSent - this.#sentBefore);
  }

  get left(): number {
    return Math.max(0, this.#most - this.spent);
  }

  /** The service as far as it is needed; its methods reject with a `RequestLimitError` once the limit is reached. */
  service(): Asked {
    const { origin, environments, objects, paths } = this.#service;
    return {
      origin,
      environments: { list: (options) => this.#count(() => environments.list(options)) },
      objects: { search: (query) => this.#count(() => objects.search(query)) },
      paths: { shortest: (start, end) => this.#count(() => paths.shortest(start, end)) },
    };
  }

  #count<T>(send: () => Promise<T>): Promise<T> {
    if (this.left === 0) return Promise.reject(new RequestLimitError(this.#most));
    this.#spent += 1;
    return send();
  }
}
