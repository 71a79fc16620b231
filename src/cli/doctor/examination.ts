import type { Clock } from "../../clock.ts";
import type { Deadline } from "../../deadline.ts";
import { manifest } from "../../generated/manifest.ts";
import { Selection } from "../../ingestion/selection.ts";
import type { Logger } from "../../logger.ts";
import type { AttackPathService, FindingTypeList } from "../../service/attack-path-service.ts";
import { connect } from "../../service/connect.ts";
import type { Credentials } from "../../service/credentials.ts";
import { ServiceError } from "../../service/errors/errors.ts";
import { rateLimitWait } from "../../service/errors/rate-limit-headers.ts";
import { httpTransport } from "../../service/http/http-transport.ts";
import { proxyFor } from "../../service/http/proxy-setting.ts";
import { parseServerAddress, type ServerAddress } from "../../service/http/server-address.ts";
import type { Environment } from "../../service/resources/environments.records.ts";
import { isEmpty } from "../../service/resources/findings.ts";
import { LARGEST_PAGE } from "../../service/lists/page-size.ts";
import { openTunnel, type Patience, peerOf, type Peer } from "./network.ts";
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
  /** Listed entries without a usable id. */
  readonly unreadable: number;
  /** Whether the service listed as many as it counts. */
  readonly isWhole: boolean;
}

/** A stream of findings to try things on. */
export interface SampleStream {
  readonly environmentId: string;
  readonly findingType: string;
}

/** What the connector's first request for the findings of a stream brings. */
export interface FirstPage {
  readonly granted: number;
  /** Those of them that are not findings of the stream. */
  readonly unreadable: number;
  /** Null when the service does not say. */
  readonly total: number | null;
}

/** A service that hangs makes a check wait for each smaller page, too. */
const FEW = 10;
/** Requests a second once the service has refused one, and once it has refused one of those. */
const SLOWER = [5, 1] as const;

/** Finds out, at most once each, what several checks look at. */
export class Examination {
  readonly options: ExaminationOptions;
  readonly exchanges: RecordedRequest[] = [];
  #refusals = 0;
  #service: AttackPathService | null = null;
  #first: Promise<FirstRequest> | null = null;
  readonly #types = new Map<string, Promise<FindingTypeList>>();
  readonly #pages = new Map<string, Promise<FirstPage>>();

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
  get server(): Peer {
    return peerOf(new URL(this.address.origin));
  }

  /**
   * The proxy that applies, the one that requests go through; null for none.
   *
   * @throws ProxySettingError when the environment names a proxy that cannot be used
   */
  get proxy(): URL | null {
    const { protocol, origin } = this.address;
    const proxy = protocol === "https:" ? proxyFor(origin) : null;
    return proxy === null ? null : new URL(proxy);
  }

  /** Where connections go first. */
  get firstPeer(): Peer {
    return this.proxy === null ? this.server : peerOf(this.proxy);
  }

  get patience(): Patience {
    return { clock: this.clock, stop: this.options.deadline.signal };
  }

  /** A tunnel through the proxy; null without a proxy. The caller closes the socket. */
  tunnel(): ReturnType<typeof openTunnel> | Promise<null> {
    return this.proxy === null ? Promise.resolve(null) : openTunnel(this.proxy, this.server, this.patience);
  }

  get service(): AttackPathService {
    return (this.#service ??= this.#connect());
  }

  /** The smallest request that shows whether the service answers and accepts the credentials. */
  first(): Promise<FirstRequest> {
    return (this.#first ??= this.#ask());
  }

  /** Environments that the connector would poll. */
  async collected(): Promise<readonly Environment[]> {
    const { environments, unreadable } = await this.first();
    return new Selection({}).scope(environments, unreadable).selected;
  }

  /** @throws ServiceError */
  types(environmentId: string): Promise<FindingTypeList> {
    return remembered(this.#types, environmentId, () => this.service.findings.types(environmentId));
  }

  /** The first stream of an environment; null when it has none, or when they cannot be listed. */
  async streamOf(environmentId: string): Promise<SampleStream | null> {
    const [findingType] = (await unlessFailed(this.types(environmentId)))?.types ?? [];
    return findingType === undefined ? null : { environmentId, findingType };
  }

  /**
   * The id of the first environment that the connector would poll; null without any.
   *
   * @param wanted - its type, such as azure, or null for any; one that the service does not say counts as a directory
   */
  async environmentOf(wanted: string | null): Promise<string | null> {
    const environments = await this.collected();
    return environments.find(({ type = "active-directory" }) => wanted === null || type === wanted)?.id ?? null;
  }

  /** The first stream there is; null without any. */
  async sample(): Promise<SampleStream | null> {
    for (const { id } of await this.collected()) {
      const stream = await this.streamOf(id);
      if (stream !== null) return stream;
    }
    return null;
  }

  /**
   * Asks for a few findings as the connector does.
   *
   * @throws ServiceError
   */
  fewFindings(stream: SampleStream): Promise<FirstPage> {
    return remembered(this.#pages, stream.environmentId, () => this.firstPage(stream, FEW));
  }

  /**
   * Asks for findings as the connector does.
   *
   * @param size - a page that is too much for the service is requested again in a smaller size
   * @throws ServiceError
   */
  async firstPage(stream: SampleStream, size: number = LARGEST_PAGE): Promise<FirstPage> {
    this.service.findings.pageSize = size;
    for await (const { findings, total } of this.service.findings.pages(stream)) {
      return { granted: findings.length, unreadable: findings.filter(isEmpty).length, total };
    }
    return { granted: 0, unreadable: 0, total: 0 };
  }

  /**
   * How long the service wants to be left alone, in milliseconds, when it has refused a request with a 429 since `seen`
   * exchanges; 0 when it does not say, null when it has refused none.
   */
  refusedSince(seen: number): number | null {
    const refused = this.exchanges.slice(seen).findLast(({ status }) => status === 429);
    return refused === undefined ? null : (rateLimitWait(refused.headers, this.clock.now()) ?? 0);
  }

  /** Asks everything again, and more slowly, because a client sends nothing any more after a 429. */
  startOver(): void {
    this.close();
    this.#refusals += 1;
    this.#service = null;
    this.#first = null;
    this.#types.clear();
    this.#pages.clear();
  }

  close(): void {
    this.#service?.close();
  }

  async #ask(): Promise<FirstRequest> {
    try {
      const { environments, unreadable, incomplete } = await this.service.environments.list();
      return { error: null, environments, unreadable, isWhole: incomplete === undefined };
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      return { error, environments: [], unreadable: 0, isWhole: false };
    }
  }

  #connect(): AttackPathService {
    const { requestsPerSecond, concurrentRequests } = manifest.service;
    const slower = this.#refusals === 0 ? undefined : (SLOWER[this.#refusals - 1] ?? SLOWER[1]);
    return connect({
      ...this.options,
      requestsPerSecond: slower ?? requestsPerSecond,
      concurrentRequests: slower === undefined ? concurrentRequests : 1,
      transport: recording(httpTransport(this.address), this.clock, this.exchanges),
    });
  }
}

/** Null when the service answers with an error. */
export async function unlessFailed<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return null;
  }
}

function remembered<T>(known: Map<string, Promise<T>>, key: string, ask: () => Promise<T>): Promise<T> {
  const answer = known.get(key) ?? ask();
  known.set(key, answer);
  return answer;
}
