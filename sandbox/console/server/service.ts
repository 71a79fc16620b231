import type { Clock } from "../../../src/clock.ts";
import { Deadline } from "../../../src/deadline.ts";
import type { Logger } from "../../../src/logger.ts";
import type { JsonObject } from "../../../src/runtime/protocol.ts";
import { connect, type AttackPathService } from "../../../src/service/connect.ts";
import { Secret } from "../../../src/service/credentials.ts";

/** A person waits for the answer. */
const PATIENCE_MS = 20_000;
/** The service counts requests per client address: most of its limit is left to the runs. */
const REQUESTS_PER_SECOND = 15;

/** A tenant as an instance or a connector is configured with it. */
export interface ConfiguredTenant {
  /** Parameters by label, secrets in clear. */
  parameters: JsonObject;
  /** The dialect that it is known to speak. */
  dialect: string | null;
}

/** Asks a tenant with its configured credentials, until the signal. @throws ServiceError whose message says what to do. */
export async function askService<T>(
  { parameters, dialect }: ConfiguredTenant,
  { clock, log, signal }: { clock: Clock; log: Logger; signal: AbortSignal },
  ask: (service: AttackPathService) => Promise<T>,
  patienceMs = PATIENCE_MS,
): Promise<T> {
  const deadline = new Deadline({ clock, at: clock.now() + patienceMs, stops: [signal] });
  const text = (label: string) => {
    const value = parameters[label];
    return typeof value === "string" ? value : "";
  };
  const service = connect({
    server: text("Server"),
    credentials: { kind: "token", id: text("Token ID"), key: new Secret(text("Token Key")) },
    requestsPerSecond: REQUESTS_PER_SECOND,
    concurrentRequests: 4,
    random: Math.random,
    clock,
    log,
    deadline,
  });
  service.dialect = dialect;
  try {
    return await ask(service);
  } finally {
    service.close();
    deadline.release();
  }
}
