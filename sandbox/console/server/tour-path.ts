import { farthestInto } from "../../tenant/index.ts";
import type { TourPath } from "../contract/index.ts";
import type { Parts } from "./parts.ts";

/** A path that is shorter shows little of what a drawing is for. */
const LEAST_HOPS = 4;

/**
 * The path that the tour draws: from a user who is far from Tier Zero to the group that controls the environment of the worst open case.
 * Null without a simulated tenant: no operation of the service finds such a path.
 */
export function tourPath({ host, simulation }: Parts): TourPath | null {
  if (simulation === null) return null;
  for (const { id, sourceGroupingIdentifier } of host.cases.list({ status: "open" }).rows) {
    const path = farthestInto(simulation.tenant.data.graph, sourceGroupingIdentifier, LEAST_HOPS);
    if (path !== null) return { caseId: id, ...path };
  }
  return null;
}
