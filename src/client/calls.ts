import { type Clock, systemClock } from "../clock.ts";
import { Deadline } from "../deadline.ts";
import { silent } from "../logger.ts";
import type { AttackPathService } from "../service/attack-path-service.ts";
import { openTenant, type ServiceOptions, type Tenant } from "../service/connect.ts";
import { Secret } from "../service/credentials.ts";
import { AbortedError, ConfigurationError } from "../service/errors/errors.ts";
import type { CallOptions, ClientCredentials, ClientOptions } from "./options.ts";

/** Lends the service to calls that each end on their own. */
export class Calls {
  readonly #closed = new AbortController();
  readonly #stops: readonly AbortSignal[];
  readonly #clock: Clock;
  readonly #tenant: Tenant;

  constructor({ server, credentials, signal, logger = silent, ...rest }: ClientOptions, clock = systemClock) {
    this.#clock = clock;
    this.#stops = signal === undefined ? [this.#closed.signal] : [this.#closed.signal, signal];
    this.#tenant = openTenant({
      ...rest,
      server,
      credentials: credentialsOf(credentials),
      clock,
      random: Math.random,
      log: logger,
      // A later call may succeed, because the limit or the rights of the token may have changed.
      lastingRefusals: false,
    });
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
    const stops = call?.signal === undefined ? this.#stops : [...this.#stops, call.signal];
    const deadline = new Deadline({ clock: this.#clock, at: null, stops });
    try {
      for await (const item of read(this.#tenant.within(deadline))) {
        // The rest of a page may be there already, but nobody wants it any more.
        if (deadline.reached) throw cancelled(deadline.signal);
        yield item;
      }
    } catch (error) {
      if (error instanceof AbortedError) throw cancelled(deadline.signal);
      throw error;
    } finally {
      deadline.release();
    }
  }

  close(): void {
    this.#closed.abort();
    this.#tenant.close();
  }
}

function cancelled({ reason }: AbortSignal): AbortedError {
  const message = "The call was cancelled: its signal aborted, or the client was closed.";
  return Object.assign(new AbortedError(message, { whoActs: "analyst" }), { cause: reason as unknown });
}

/** @throws ConfigurationError when there are none: a program in JavaScript may leave them out */
function credentialsOf(given: ClientCredentials | null | undefined): ServiceOptions["credentials"] {
  if (given === undefined || given === null) {
    throw new ConfigurationError(
      "The option credentials is missing. No request was sent. Pass tokenId and tokenKey, or bearerToken.",
    );
  }
  return "bearerToken" in given
    ? { kind: "jwt", token: new Secret(given.bearerToken) }
    : { kind: "token", id: given.tokenId, key: new Secret(given.tokenKey) };
}
