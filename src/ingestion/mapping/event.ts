import type { Severity } from "../../runtime/protocol.ts";
import type { Finding } from "../../service/resources/findings.records.ts";
import type { NewFinding } from "../new-finding.ts";
import { timeOf } from "../time.ts";
import { pathUrl } from "./links.ts";
import { foreignDomain, type Principal, sourceOf, targetOf } from "../../findings/principal.ts";
import { severityOf } from "../../findings/severity.ts";

/** One finding as an event of an alert, before it is made flat. */
export interface FindingEvent {
  readonly id: string;
  /** See `NewFinding`. */
  readonly occurrence: string;
  readonly severity: Severity;
  /** Percent, 0 to 100. */
  readonly impact: number | undefined;
  /** Percent, 0 to 100. */
  readonly exposure: number | undefined;
  readonly source: Principal;
  readonly target: Principal;
  /** Domain of the target where it is not the environment's. */
  readonly targetDomain: string | undefined;
  /** The service's own text, where it is a usable time. */
  readonly createdAt: string | undefined;
  readonly updatedAt: string | undefined;
  /** Epoch milliseconds; never after `end`. */
  readonly start: number;
  /** Epoch milliseconds. */
  readonly end: number;
  /** The risk was accepted: the finding does not raise the severity of its alert. */
  readonly accepted: boolean;
  readonly acceptedUntil: string | undefined;
  readonly url: string | undefined;
  /** The record itself, for the fields that keep the service's names. */
  readonly finding: Finding;
}

/**
 * Maps one finding.
 *
 * @param environmentName - of the environment that the finding was made in
 * @param origin - of the tenant, for links
 * @param now - epoch milliseconds, the time of an event whose finding has none
 */
export function eventOf(
  { finding, id, occurrence, createdAt }: NewFinding,
  { environmentName, origin, now }: { environmentName: string | undefined; origin: string; now: number },
): FindingEvent {
  const updated = finding.updated_at === finding.created_at ? createdAt : timeOf(finding.updated_at);
  const start = createdAt ?? updated ?? now;
  const { ExposurePercentage: exposure, ImpactPercentage: impact } = finding;
  return {
    id,
    occurrence,
    severity: severityOf(finding.Severity, exposure, impact),
    impact: percent(impact),
    exposure: percent(exposure),
    source: sourceOf(finding),
    target: targetOf(finding),
    targetDomain: foreignDomain(finding, environmentName),
    createdAt: createdAt === null ? undefined : finding.created_at,
    updatedAt: updated === null ? undefined : finding.updated_at,
    start,
    end: Math.max(start, updated ?? start),
    accepted: finding.Accepted === true,
    acceptedUntil: timeOf(finding.AcceptedUntil) === null ? undefined : finding.AcceptedUntil,
    url: pathUrl(origin, finding),
    finding,
  };
}

/** The service gives fractions of 1 (BloodHound API, attack path details). */
function percent(fraction: number | undefined): number | undefined {
  return fraction === undefined ? undefined : Math.round(fraction * 1e6) / 1e4;
}
