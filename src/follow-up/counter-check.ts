import { saysUnknown } from "../investigation/paths/prove-path.ts";
import { shortestWalk } from "../investigation/paths/path-walk.ts";
import type { AttackPathService } from "../service/attack-path-service.ts";
import { endsTheRun, ServiceError } from "../service/errors/errors.ts";
import type { Check } from "./verdict.ts";

/** The objects of a finding. */
export interface Principals {
  readonly source: string | null;
  readonly target: string;
}

/**
 * Asks the graph about a finding that seems to be gone. While one hop still joins its principals, it holds, whatever the list
 * says. An object that the service does not know confirms nothing: its data may have been forgotten.
 *
 * @throws ServiceError only when it ends the run
 */
export async function counterCheck(service: AttackPathService, { source, target }: Principals): Promise<Check> {
  try {
    return source === null ? await isObjectKnown(service, target) : await isOneHop(service, source, target);
  } catch (error) {
    if (!(error instanceof ServiceError) || endsTheRun(error)) throw error;
    return saysUnknown(error) ? "unknown_object" : "failed";
  }
}

async function isOneHop(service: AttackPathService, source: string, target: string): Promise<Check> {
  const graph = await service.paths.shortest(source, target);
  if (graph === null) return "none";
  const walk = shortestWalk(graph, source, target);
  // A graph that does not join what was asked for says nothing.
  if (walk === null) return "failed";
  return walk.steps.length <= 1 ? "holds" : "none";
}

/** A finding that names one object has no path. The object tells whether the service still has its data. */
async function isObjectKnown(service: AttackPathService, objectId: string): Promise<Check> {
  const { records } = await service.objects.search({ text: objectId });
  const isKnown = records.some(({ objectid }) => objectid?.toUpperCase() === objectId.toUpperCase());
  return isKnown ? "none" : "unknown_object";
}
