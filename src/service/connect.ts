import type { Clock } from "../clock.ts";
import { Deadline } from "../deadline.ts";
import type { Logger } from "../logger.ts";
import type { AttackPathService } from "./attack-path-service.ts";
import { checkCredentials, type Credentials, secretOf } from "./credentials.ts";
import { AbortedError, ConfigurationError, ServerAddressError } from "./errors/errors.ts";
import { TenantDialect } from "./dialects.ts";
import { MOST_CONNECTIONS } from "./http/connection-pool.ts";
import { httpTransport } from "./http/http-transport.ts";
import { Limiter } from "./http/limiter.ts";
import { Requester } from "./http/requester.ts";
import { retryPolicies, type RetryPolicy } from "./http/retry-policy.ts";
import { parseServerAddress } from "./http/server-address.ts";
import { ServiceClock } from "./http/service-clock.ts";
import type { Transport } from "./transport.ts";
import { analysisOf } from "./resources/analysis.ts";
import { Api } from "./api.ts";
import { CountCheck } from "./lists/count-check.ts";
import { documentsOf } from "./resources/documents.ts";
import { environmentsOf } from "./resources/environments.ts";
import { findingsOf } from "./resources/findings.ts";
import { resourcesOnDemand } from "./resources/on-demand.ts";

export { retryPolicies, type RetryPolicy } from "./http/retry-policy.ts";
export type { Answer, AnswerHead, OutgoingRequest, Transport } from "./transport.ts";
export type {
  AttackPathService,
  EnvironmentList,
  FindingsPage,
  FindingsQuery,
  FindingTypeList,
  InvalidValue,
} from "./attack-path-service.ts";
export { findingIdentity } from "./resources/finding-identity.ts";

export interface ServiceOptions {
  /** The value of the parameter Server. */
  server: string;
  credentials: Credentials;
  clock: Clock;
  /** Uniform in [0, 1), like Math.random; spreads retries. */
  random: () => number;
  log: Logger;
  /** Ends every request; without one they end by their own timeout only. The caller releases it. */
  deadline?: Deadline;
  /**
   * Default 53. The service allows 55 per client address (BloodHound, cmd/api/src/api/middleware/rate_limit.go). The other
   * two are a margin for clocks that run at slightly different speeds.
   */
  requestsPerSecond?: number;
  /** Requests at a time; default 8. Slow ones do not count. */
  concurrentRequests?: number;
  /** When a failed GET is sent again; default `retryPolicies.standard`. */
  retryPolicy?: RetryPolicy;
  /** Sends the requests; default: HTTP over the network. */
  transport?: Transport;
  /**
   * Whether a 429 or rejected credentials end all further requests, as they do in a run (default). Otherwise requests are sent again after
   * the time that the service named.
   */
  lastingRefusals?: boolean;
  /** How long the service may work on one request; default 30 (Attack Path Analysis Service API, section Limits); Infinity for no limit. */
  requestTimeoutSeconds?: number;
}

/** A tenant. All requests to it share one rate limit, one connection pool, and what is known of its dialect. */
export interface Tenant {
  /** The service, whose requests end with the deadline. */
  within(deadline: Deadline): AttackPathService;
  /** Closes the connections. */
  close(): void;
}

/**
 * A client of one tenant. It sends nothing before the first call. An HTTPS_PROXY or NO_PROXY in the environment applies,
 * and NODE_EXTRA_CA_CERTS; certificates are always verified.
 *
 * @throws ServerAddressError when `server` is not the address of a tenant
 * @throws ConfigurationError when the credentials cannot be sent, or a number is too small
 */
export function connect(options: ServiceOptions): AttackPathService {
  return openTenant(options).within(options.deadline ?? new Deadline({ clock: options.clock, at: null }));
}

/** A shorter text may be part of an address by chance, and no service makes keys as short. */
const SHORTEST_SECRET = 8;

const CLOSED = { whoActs: "service" } as const;

/** The same for work that ends at different times. */
export function openTenant(options: Omit<ServiceOptions, "deadline">): Tenant {
  const {
    credentials,
    clock,
    random,
    log,
    requestsPerSecond = 53,
    concurrentRequests = 8,
    requestTimeoutSeconds = 30,
  } = options;
  const address = parseServerAddress(options.server);
  checkCredentials(credentials);
  checkNumbers({ requestsPerSecond, concurrentRequests, requestTimeoutSeconds });
  const secret = secretOf(credentials).reveal();
  if (secret.length >= SHORTEST_SECRET && options.server.includes(secret)) {
    throw new ServerAddressError(
      "Server contains the token key. No request was sent. Enter the tenant's address, and the key as Token Key only.",
    );
  }
  const dialect = new TenantDialect(address.hostname);
  const counts = new CountCheck(clock);
  const transport = options.transport ?? httpTransport(address);
  const serviceClock = new ServiceClock(clock);
  const limiter = new Limiter({
    clock,
    perSecond: requestsPerSecond,
    concurrent: concurrentRequests,
    open: MOST_CONNECTIONS,
    // A wrong guess then costs one request, and not one for each that is on its way.
    oneByOne: () => dialect.known === null && credentials.kind === "token",
  });
  const closed = new AbortController();
  const close = (): void => {
    // Otherwise, requests on their way would be sent again, because their connections have been closed.
    closed.abort();
    limiter.refuse(new AbortedError("The request was not sent, because the client is closed.", CLOSED), Infinity);
    transport.close();
  };
  return {
    within(deadline) {
      const requester = new Requester({
        pathPrefix: address.pathPrefix,
        credentials,
        dialect,
        clock,
        random,
        log,
        limiter,
        transport,
        serviceClock,
        retryPolicy: options.retryPolicy ?? retryPolicies.standard,
        lastingRefusals: options.lastingRefusals ?? true,
        deadline,
        closed: closed.signal,
        timeoutSeconds: requestTimeoutSeconds,
      });
      return serviceOf({
        origin: address.origin,
        requester,
        dialect,
        limiter,
        serviceClock,
        api: new Api(requester, log),
        counts,
        close,
      });
    },
    close,
  };
}

interface ServiceParts {
  origin: string;
  requester: Requester;
  dialect: TenantDialect;
  limiter: Limiter;
  serviceClock: ServiceClock;
  api: Api;
  counts: CountCheck;
  close: () => void;
}

function serviceOf(parts: ServiceParts): AttackPathService {
  const { origin, requester, dialect, limiter, serviceClock, api, counts, close } = parts;
  return {
    origin,
    get responded() {
      return requester.responded;
    },
    get dialect() {
      return dialect.known;
    },
    set dialect(name) {
      dialect.remember(name);
    },
    get requestsPerSecond() {
      return limiter.perSecond;
    },
    set requestsPerSecond(most) {
      limiter.slowTo(most);
    },
    get heldBackMs() {
      return limiter.heldBackMs;
    },

    get requestsSent() {
      return limiter.admitted;
    },
    get requestsServed() {
      return requester.served;
    },
    time: () => serviceClock.time(),
    analysis: analysisOf(api),
    environments: environmentsOf(api),
    findings: findingsOf(api, counts),
    documents: documentsOf(api),
    ...resourcesOnDemand(api),
    close,
  };
}

/** With less than one of these, no request would ever have its turn. @throws ConfigurationError */
function checkNumbers(numbers: Readonly<Record<string, number>>): void {
  for (const [name, value] of Object.entries(numbers)) {
    if (value >= 1) continue;
    throw new ConfigurationError(`The option ${name} is ${value}. No request was sent. Pass a number of at least 1.`);
  }
}
