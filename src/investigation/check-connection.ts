import type { ActionResult } from "../manifest/types.ts";
import type { AttackPathService } from "../service/attack-path-service.ts";
import { ForbiddenError, ServiceError, type ServiceErrorCode } from "../service/errors/errors.ts";

export type ConnectionReport = Omit<ActionResult<"Ping">, "node" | "version">;

/** Errors that only a response of the service itself causes. They do not say whether the credentials are valid. */
const ANSWERS: ReadonlySet<ServiceErrorCode> = new Set([
  "bad_request",
  "clock_skew",
  "forbidden",
  "rate_limited",
  "server",
  "unauthenticated",
]);

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
    const collected = environments.filter((environment) => environment.collected !== false).length;
    const isWhole = incomplete === undefined && unreadable === 0;
    return {
      report: {
        server: service.origin,
        reached: true,
        authenticated: true,
        error: null,
        environments: isWhole ? environments.length : null,
        collected: isWhole ? collected : null,
      },
      unreadable,
      incomplete: incomplete ?? null,
      error: null,
    };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const reached = ANSWERS.has(error.code) || error.wrapped;
    // The service checks permissions only after it has accepted the credentials.
    const authenticated = error instanceof ForbiddenError && error.authenticated;
    return {
      report: {
        server: service.origin,
        reached,
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
