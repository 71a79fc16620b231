import { type Clock, systemClock } from "../clock.ts";
import { Deadline } from "../deadline.ts";
import { silent } from "../logger.ts";
import type { AttackPathService } from "../service/attack-path-service.ts";
import { openTenant, type ServiceOptions, type Tenant } from "../service/client.ts";
import { Secret } from "../service/credentials.ts";
import { endsTheRun, RateLimitedError } from "../service/errors/errors.ts";
import type { CallOptions, ClientCredentials, ClientOptions } from "./options.ts";

/** Lends the service to calls that each end on their own. */
export class Calls {
  readonly #options: Omit<ServiceOptions, "deadline">;
  readonly #closed = new AbortController();
  readonly #stops: readonly AbortSignal[];
  readonly #clock: Clock = systemClock;
  #tenant: Tenant;
  /** The 429 that is still in force, and until when in epoch milliseconds. */
  #pause: { readonly error: RateLimitedError; readonly until: number } | null = null;

  constructor({ server, credentials, signal, logger = silent, ...rest }: ClientOptions) {
    this.#options = {
      ...rest,
      server,
      credentials: credentialsOf(credentials),
      clock: this.#clock,
      random: Math.random,
      log: logger,
    };
    this.#stops = signal === undefined ? [this.#closed.signal] : [this.#closed.signal, signal];
    this.#tenant = openTenant(this.#options);
  }

  async ask<T>(call: CallOptions | undefined, use: (service: AttackPathService) => Promise<T>): Promise<T> {
    for await (const result of this.list(call, async function* (service) {
      yield await use(service);
    })) {
      return result;
    }
    throw new Error("A call yields exactly one result");
  }

  async *list<T>(
    call: CallOptions | undefined,
    read: (service: AttackPathService) => AsyncIterable<T>,
  ): AsyncGenerator<T, void, undefined> {
    if (this.#pause !== null && this.#clock.now() < this.#pause.until) throw this.#pause.error;
    const tenant = this.#tenant;
    const stops = call?.signal === undefined ? this.#stops : [...this.#stops, call.signal];
    const deadline = new Deadline({ clock: this.#clock, at: null, stops });
    try {
      yield* read(tenant.within(deadline));
    } catch (error) {
      this.#renewAfter(error, tenant);
      throw error;
    } finally {
      deadline.release();
    }
  }

  close(): void {
    this.#closed.abort();
    this.#tenant.close();
  }

  /** A tenant sends nothing more after such an error. A later call may, because the limit or the token may have changed. */
  #renewAfter(error: unknown, tenant: Tenant): void {
    if (!endsTheRun(error) || tenant !== this.#tenant || this.#closed.signal.aborted) return;
    if (error instanceof RateLimitedError && error.retryAfterMs !== null) {
      this.#pause = { error, until: this.#clock.now() + error.retryAfterMs };
    }
    this.#tenant = openTenant(this.#options);
  }
}

function credentialsOf(given: ClientCredentials): ServiceOptions["credentials"] {
  return "bearerToken" in given
    ? { kind: "jwt", token: new Secret(given.bearerToken) }
    : { kind: "token", id: given.tokenId, key: new Secret(given.tokenKey) };
}
