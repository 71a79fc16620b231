import type { Alert } from "../runtime/protocol.ts";
import type { AttackPathService } from "../service/attack-path-service.ts";
import type { Environment } from "../service/resources/environments.records.ts";
import { isEmpty } from "../service/resources/findings.ts";
import type { Finding } from "../service/resources/findings.records.ts";
import type { Clock } from "../clock.ts";
import { type DescriptionFailure, Descriptions } from "./descriptions.ts";
import { alertOf, type AlertLabels } from "./mapping/alert.ts";
import { newFinding } from "./new-finding.ts";
import { OptionalRoutes } from "./optional-routes.ts";
import type { Scope, Stream } from "./scope.ts";
import type { Selection } from "./selection.ts";
import { timeOf } from "./time.ts";

export interface SampleOptions {
  readonly service: AttackPathService;
  readonly clock: Clock;
  readonly maxAlerts: number;
  readonly selection: Selection;
  readonly labels: Omit<AlertLabels, "origin">;
  deliver(alert: Alert): Promise<void>;
}

export interface Sample {
  readonly scope: Scope;
  /** How many of the selected environments were read: no more once the host accepts no more alerts. */
  readonly read: number;
  readonly alerts: number;
  /** Selected Finding Types that no environment offers; empty when not all environments were read. */
  readonly unofferedTypes: readonly string[];
  /** Whether these are all that are selected, while others are offered. */
  readonly selectsNothing: boolean;
  readonly descriptions: readonly DescriptionFailure[];
}

const PATIENCE_MS = 10_000;

/**
 * A test run: one finding of each selected environment, as an alert. Nothing is remembered.
 *
 * @throws ServiceError as soon as anything but a description cannot be read: a test run is there to find that out
 */
export async function deliverSample(options: SampleOptions): Promise<Sample> {
  const { service, clock, maxAlerts, labels, selection } = options;
  const routes = new OptionalRoutes({}, { clock, patienceMs: PATIENCE_MS });
  const descriptions = new Descriptions(service.documents, {}, { clock, routes });
  const { environments, unreadable, incomplete } = await service.environments.list();
  if (incomplete !== undefined) throw incomplete;
  const scope = selection.scope(environments, unreadable);
  const offered: string[] = [];
  let read = 0;
  let alerts = 0;
  for (const environment of scope.selected) {
    if (alerts >= maxAlerts) break;
    const { types, incomplete: missing } = await service.findings.types(environment.id);
    if (missing !== undefined) throw missing;
    for (const type of types) offered.push(type);
    const found = await findOne(options, environment, selection.types(types));
    read += 1;
    if (found === null) continue;
    const { stream, finding } = found;
    const batch = { stream, findings: [newFinding(finding)] };
    const description = await descriptions.of(stream.findingType);
    await options.deliver(alertOf(batch, description, { ...labels, origin: service.origin }, clock.now()));
    alerts += 1;
  }
  const unofferedTypes = read < scope.selected.length ? [] : selection.unoffered(offered);
  return {
    scope,
    read,
    alerts,
    unofferedTypes,
    selectsNothing: offered.length > 0 && unofferedTypes.length > 0 && selection.types(offered).length === 0,
    descriptions: [...descriptions.failures.values()],
  };
}

async function findOne(
  { service, selection, clock }: SampleOptions,
  environment: Environment,
  findingTypes: readonly string[],
): Promise<{ stream: Stream; finding: Finding } | null> {
  const isSelected = (finding: Finding): boolean =>
    selection.criterionLeavingOut(finding, { createdAt: timeOf(finding.created_at), firstRun: clock.now() }) === null;
  for (const findingType of findingTypes) {
    for await (const { findings } of service.findings.pages({ environmentId: environment.id, findingType })) {
      const finding = findings.find((each) => each.deleted_at == null && !isEmpty(each) && isSelected(each));
      if (finding !== undefined) return { stream: { environment, findingType }, finding };
    }
  }
  return null;
}
