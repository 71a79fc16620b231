import { Agents } from "./agents.ts";
import { Api } from "./api.ts";
import type { AttackPathService } from "./attack-path-service.ts";
import type { Clock } from "./clock.ts";
import { checkCredentials, type Credentials } from "./credentials.ts";
import { type DialectName, dialects } from "./dialects.ts";
import { Limiter } from "./limiter.ts";
import { Requester, type ServiceLog } from "./requester.ts";
import { clientTasksOf } from "./resources/client-tasks.ts";
import { documentsOf } from "./resources/documents.ts";
import { entitiesOf } from "./resources/entities.ts";
import { environmentsOf } from "./resources/environments.ts";
import { findingsOf } from "./resources/findings.ts";
import { graphOf } from "./resources/graph.ts";
import { objectsOf } from "./resources/objects.ts";
import { pathsOf } from "./resources/paths.ts";
import { ssoOf } from "./resources/sso.ts";
import { RunEnd } from "./run-end.ts";
import { parseServerAddress } from "./server-address.ts";
import { Transport } from "./transport.ts";

export type { AttackPathService, FindingsPage, FindingsQuery, Misfit } from "./attack-path-service.ts";
export { findingIdentity } from "./finding-identity.ts";
export type { ServiceLog } from "./requester.ts";

export interface ServiceOptions {
  /** The value of the parameter Server. */
  server: string;
  credentials: Credentials;
  dialect: DialectName;
  clock: Clock;
  /** 0 to below 1; spreads retries. */
  random: () => number;
  log: ServiceLog;
  /** Ends every request when it aborts. */
  signal?: AbortSignal;
  /** Epoch milliseconds at which every request ends; null for never. */
  deadline?: number | null;
  /** Default 50: the service allows 55 per client address (BloodHound, cmd/api/src/api/middleware/rate_limit.go). */
  requestsPerSecond?: number;
  /** Default 8, connections likewise. */
  concurrentRequests?: number;
  /** How long the service may work on one request; default 30, as in the service's own documentation. */
  requestTimeoutSeconds?: number;
}

/**
 * A client of one tenant. It sends nothing before the first call. An HTTPS_PROXY or NO_PROXY in the environment applies,
 * and NODE_EXTRA_CA_CERTS; certificates are always verified.
 *
 * @throws ServerAddressError when `server` is no address of a tenant
 * @throws ConfigurationError when the credentials cannot be sent
 */
export function connect(options: ServiceOptions): AttackPathService {
  const { credentials, clock, random, log, requestsPerSecond = 50, concurrentRequests = 8 } = options;
  const address = parseServerAddress(options.server);
  checkCredentials(credentials);
  const dialect = dialects[options.dialect];
  const agents = new Agents(address, concurrentRequests);
  const end = new RunEnd(clock, options.signal, options.deadline ?? null);
  const requester = new Requester({
    pathPrefix: address.pathPrefix,
    credentials,
    dialect,
    clock,
    random,
    log,
    limiter: new Limiter({ clock, perSecond: requestsPerSecond, concurrent: concurrentRequests }),
    transport: new Transport(address, agents),
    end,
    timeoutSeconds: options.requestTimeoutSeconds ?? 30,
  });
  const api = new Api(requester, log);
  return {
    origin: address.origin,
    environments: environmentsOf(api),
    findings: findingsOf(api),
    documents: documentsOf(api, dialect),
    objects: objectsOf(api),
    paths: pathsOf(api),
    entities: entitiesOf(api),
    graph: graphOf(api),
    sso: ssoOf(api),
    clientTasks: clientTasksOf(api),
    close() {
      end.release();
      agents.close();
    },
  };
}
