import type { ActionResult } from "../manifest/types.ts";
import type { AttackPathService } from "../service/attack-path-service.ts";
import { ForbiddenError, RateLimitedError, ServiceError } from "../service/errors/errors.ts";
import type { Environment } from "../service/resources/environments.records.ts";

export type ConnectionReport = Omit<ActionResult<"Ping">, "node" | "version">;

/** The service's only error without its wrapper, a 429 (BloodHound, cmd/api/src/api/middleware/rate_limit.go). */
const LIMIT_EXCEEDED = "Limit exceeded";

export interface ConnectionCheck {
  report: ConnectionReport;
  /** Environments that the service listed without a usable id. */
  unreadable: number;
  /** Why the list of environments is not complete; null when it is. */
  incomplete: ServiceError | null;
  error: ServiceError | null;
}

/** Asks the service for the environments that the credentials can see: the smallest request that proves both. */
export async function checkConnection(service: AttackPathService): Promise<ConnectionCheck> {
  try {
    const { environments: listed, unreadable, incomplete } = await service.environments.list();
    const environments = [...new Map(listed.map((environment) => [environment.id, environment])).values()];
    const isWhole = incomplete === undefined && unreadable === 0;
    return {
      report: {
        server: service.origin,
        reached: true,
        authenticated: true,
        error: null,
        environments: isWhole ? environments.length : null,
        collected: isWhole ? collectedIn(environments) : null,
      },
      unreadable,
      incomplete: incomplete ?? null,
      error: null,
    };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    // The service checks permissions only after it has accepted the credentials.
    const authenticated = error instanceof ForbiddenError && error.authenticated;
    return {
      report: {
        server: service.origin,
        reached: isOwnResponse(error),
        authenticated,
        error: error.code,
        environments: null,
        collected: null,
      },
      unreadable: 0,
      incomplete: null,
      error,
    };
  }
}

/** Whether the service itself responded. A proxy, a sign-in page or a web server may respond in its place, with any status. */
function isOwnResponse(error: ServiceError): boolean {
  return error.wrapped || (error instanceof RateLimitedError && error.messages.includes(LIMIT_EXCEEDED));
}

/** How many hold collected data; null when the service does not say it of each. */
function collectedIn(environments: readonly Environment[]): number | null {
  if (environments.some(({ collected }) => collected === undefined)) return null;
  return environments.filter(({ collected }) => collected === true).length;
}
