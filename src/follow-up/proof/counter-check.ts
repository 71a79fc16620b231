import { saysUnknown } from "../../investigation/paths/prove-path.ts";
import { shortestWalk } from "../../investigation/paths/path-walk.ts";
import type { AttackPathService } from "../../service/attack-path-service.ts";
import { endsTheRun, ServiceError } from "../../service/errors/errors.ts";
import { isSameText } from "../../text.ts";
import type { CounterCheckResult } from "./verdict.ts";

/** The objects of a finding. */
export interface Principals {
  readonly source: string | null;
  readonly target: string;
}

/** Most cautious first. */
const BY_CAUTION: readonly CounterCheckResult[] = ["holds", "failed", "unknown_object", "none"];

/**
 * Asks the graph about findings that seem to be gone, and that differ only in direction. While one hop still joins the
 * principals of one of them, all hold, whatever the list says. An object that the service does not know confirms nothing: its
 * data may have been forgotten. That it does not know one counts only when its search does not find it either, since other
 * problems have the same status.
 *
 * @throws ServiceError only when it ends the run
 */
export async function counterCheck(
  service: AttackPathService,
  directions: readonly Principals[],
): Promise<CounterCheckResult> {
  const checks: CounterCheckResult[] = [];
  for (const direction of directions) {
    checks.push(await checkOne(service, direction));
    if (checks.includes("holds")) break;
  }
  return BY_CAUTION.find((check) => checks.includes(check)) ?? "failed";
}

async function checkOne(service: AttackPathService, { source, target }: Principals): Promise<CounterCheckResult> {
  try {
    return source === null ? await objectCheck(service, target) : await isOneHop(service, source, target);
  } catch (error) {
    if (!(error instanceof ServiceError) || endsTheRun(error)) throw error;
    return "failed";
  }
}

async function isOneHop(service: AttackPathService, source: string, target: string): Promise<CounterCheckResult> {
  const graph = await graphBetween(service, source, target);
  if (graph === "unknown_object") return (await areKnown(service, [source, target])) ? "failed" : graph;
  if (graph === null) return "none";
  const walk = shortestWalk(graph, source, target);
  // A graph that does not join what was asked for says nothing.
  if (walk === null) return "failed";
  return walk.steps.length <= 1 ? "holds" : "none";
}

async function graphBetween(service: AttackPathService, source: string, target: string) {
  try {
    // Any relationship between the two keeps the alert open, even one that gives no control.
    return await service.paths.shortest(source, target);
  } catch (error) {
    if (!saysUnknown(error)) throw error;
    return "unknown_object" as const;
  }
}

/** A finding that names one object has no path. The object tells whether the service still has its data. */
async function objectCheck(service: AttackPathService, objectId: string): Promise<CounterCheckResult> {
  return (await areKnown(service, [objectId])) ? "none" : "unknown_object";
}

async function areKnown(service: AttackPathService, objectIds: readonly string[]): Promise<boolean> {
  for (const objectId of objectIds) {
    const { records } = await service.objects.search({ text: objectId });
    if (!records.some(({ objectid }) => isSameText(objectid ?? "", objectId))) return false;
  }
  return true;
}
