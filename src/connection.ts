import { manifest } from "./generated/manifest.ts";
import type { InstanceParameters } from "./manifest/types.ts";
import type { RunContext } from "./runtime/modules.ts";
import { connect, type Transport } from "./service/connect.ts";
import type { AttackPathService } from "./service/attack-path-service.ts";
import { Secret } from "./service/credentials.ts";

/**
 * The service that Server, Token ID and Token Key name, bounded by the run: no request outlives its deadline.
 * Call `close()` when done.
 *
 * @param transport - the way to the service; default: that of the run, or else HTTP over the network
 * @throws ServiceError when a parameter cannot be used; no request is sent
 */
export function openService(
  context: RunContext,
  parameters: InstanceParameters,
  transport: Transport | undefined = context.transport,
): AttackPathService {
  const { requestsPerSecond, concurrentRequests } = manifest.service;
  const { clock, random, log, deadline } = context;
  return connect({
    server: parameters.Server,
    credentials: { kind: "token", id: parameters["Token ID"], key: new Secret(parameters["Token Key"]) },
    requestsPerSecond,
    concurrentRequests,
    clock,
    random,
    log,
    deadline,
    ...(transport && { transport }),
  });
}
