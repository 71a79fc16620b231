import { getProxyForUrl } from "proxy-from-env";
import type { Clock } from "../../clock.ts";
import type { Deadline } from "../../deadline.ts";
import { manifest } from "../../generated/manifest.ts";
import type { Logger } from "../../logger.ts";
import type { AttackPathService } from "../../service/attack-path-service.ts";
import { connect } from "../../service/client.ts";
import type { Credentials } from "../../service/credentials.ts";
import { ServiceError } from "../../service/errors/errors.ts";
import { httpTransport } from "../../service/http/http-transport.ts";
import { parseServerAddress, type ServerAddress } from "../../service/http/server-address.ts";
import type { Environment } from "../../service/resources/environments.records.ts";
import { hopOf, type Hop, openTunnel } from "./network.ts";
import { type RecordedRequest, recording } from "./recorder.ts";

export interface ExaminationOptions {
  readonly server: string;
  readonly credentials: Credentials;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  readonly deadline: Deadline;
  readonly requestTimeoutSeconds: number;
}

/** What the first request to the service brought. */
interface FirstRequest {
  readonly error: ServiceError | null;
  readonly environments: readonly Environment[];
  /** Whether the service listed as many as it counts. */
  readonly isWhole: boolean;
}

/** A stream of findings to try things on. */
export interface SampleStream {
  readonly environmentId: string;
  readonly findingType: string;
}

/** Finds out, at most once each, what several checks look at. */
export class Examination {
  readonly options: ExaminationOptions;
  readonly exchanges: RecordedRequest[] = [];
  #service: AttackPathService | null = null;
  #first: Promise<FirstRequest> | null = null;
  #types = new Map<string, Promise<readonly string[]>>();

  constructor(options: ExaminationOptions) {
    this.options = options;
  }

  get clock(): Clock {
    return this.options.clock;
  }

  /** @throws ServerAddressError */
  get address(): ServerAddress {
    return parseServerAddress(this.options.server);
  }

  /** The service's own machine. */
  get server(): Hop {
    return hopOf(new URL(this.address.origin));
  }

  /** The proxy that applies, as the environment variables say; "" for none. It may be no URL at all. */
  get proxyText(): string {
    const { protocol, origin } = this.address;
    return protocol === "https:" ? getProxyForUrl(origin) : "";
  }

  /** The proxy that applies; null for none. */
  get proxy(): URL | null {
    return this.proxyText === "" ? null : new URL(this.proxyText);
  }

  /** Where connections go first. */
  get firstHop(): Hop {
    return this.proxy === null ? this.server : hopOf(this.proxy);
  }

  /** A tunnel through the proxy; null without a proxy. The caller closes the socket. */
  tunnel(): ReturnType<typeof openTunnel> | Promise<null> {
    return this.proxy === null ? Promise.resolve(null) : openTunnel(this.proxy, this.server, this.clock);
  }

  get service(): AttackPathService {
    return (this.#service ??= this.#connect());
  }

  /** The smallest request that shows whether the service answers and accepts the credentials. */
  first(): Promise<FirstRequest> {
    return (this.#first ??= this.#ask());
  }

  /** Environments that the connector would poll. */
  async collected(): Promise<Environment[]> {
    const { environments } = await this.first();
    return environments.filter(({ collected }) => collected === true);
  }

  /** @throws ServiceError */
  types(environmentId: string): Promise<readonly string[]> {
    const known = this.#types.get(environmentId);
    if (known !== undefined) return known;
    const types = this.service.findings.types(environmentId).then((list) => list.types);
    this.#types.set(environmentId, types);
    return types;
  }

  /** The first stream there is; null without any. */
  async sample(): Promise<SampleStream | null> {
    for (const { id } of await this.collected()) {
      const [findingType] = await this.types(id).catch(() => []);
      if (findingType !== undefined) return { environmentId: id, findingType };
    }
    return null;
  }

  close(): void {
    this.#service?.close();
  }

  async #ask(): Promise<FirstRequest> {
    try {
      const { environments, incomplete } = await this.service.environments.list();
      return { error: null, environments, isWhole: incomplete === undefined };
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      return { error, environments: [], isWhole: false };
    }
  }

  #connect(): AttackPathService {
    const { requestsPerSecond, concurrentRequests } = manifest.service;
    return connect({
      ...this.options,
      requestsPerSecond,
      concurrentRequests,
      transport: recording(httpTransport(this.address), this.clock, this.exchanges),
    });
  }
}
