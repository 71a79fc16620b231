import type { History, RunRecord } from "../history.ts";
import type { FindingPlan } from "../scenario.ts";
import type { Invariant } from "./invariant.ts";
import { promisedBy } from "./promises.ts";
import { hasNoRoom, idsWereReused, isExcused, mustBeNew } from "./repeats.ts";
import { hasVanished } from "./vanished.ts";
import { describe, said } from "./wording.ts";

/** Every event is about a finding of the tenant, in the environment and of the type that its alert names. */
export const realFindings: Invariant = (world, _history, run) => {
  for (const { alert, keys } of run.alerts) {
    for (const [index, key] of keys.entries()) {
      const finding = key === null ? undefined : world.findings.get(key);
      if (finding === undefined) return `event ${index} of an alert is about no finding`;
      if (finding.environment !== alert.environmentId || finding.type !== alert.findingType) {
        return `${finding.key} was delivered as ${alert.environmentId} / ${alert.findingType}`;
      }
      if (finding.visible > run.end) return `${finding.key} was delivered before it was there`;
    }
  }
  return null;
};

/** A finding that is deleted before a run is not delivered by it. */
export const noDeleted: Invariant = (world, _history, { alerts, start, end }) => {
  const gone = ({ deleted }: FindingPlan): boolean =>
    deleted !== undefined &&
    deleted.at < world.settled(start) - world.lagMs &&
    !((deleted.backAt ?? Infinity) <= world.settled(end));
  const found = alerts
    .flatMap(({ keys }) => keys)
    .find((key) => key !== null && gone(world.findings.get(key) ?? neverThere));
  return found == null ? null : `${found} was deleted before the run`;
};
const neverThere = {} as FindingPlan;

/** A finding reaches the host once; hosts that lose their state or cannot store it at once may see it again. */
export const exactlyOnce: Invariant = (world, history, run) => {
  for (const [place, { keys, alert, isNew }] of run.alerts.entries()) {
    for (const key of keys) {
      if (key === null) continue;
      const deliveries = history.deliveries.get(key) ?? [];
      const twice = deliveries.filter((delivery) => delivery.run === run.index).length > 1;
      const mayRepeat = hasNoRoom(world, run) || idsWereReused({ world, history, key, from: run.index, to: run.index });
      if (twice && !mayRepeat) return `${key} was delivered twice in the run (alert ${place}, ${alert.id})`;
      const before = deliveries.findLast((delivery) => delivery.run < run.index);
      if (before === undefined || isExcused({ world, history, run, key, before, isNew })) continue;
      return `${describe(world, [key])} was delivered in run ${before.run} and again`;
    }
  }
  return null;
};

/** What was gone for a week with its type or its environment comes in an alert that the host does not have. */
export const returnsAreNew: Invariant = (world, history, run) => {
  for (const { keys, isNew } of run.alerts) {
    for (const key of isNew ? [] : keys) {
      const before = history.deliveries.get(key ?? "")?.findLast((delivery) => delivery.run < run.index);
      if (key === null || before === undefined || !mustBeNew({ world, history, run, key, before, isNew })) continue;
      return `${describe(world, [key])} was gone for a week, and came in an alert that the host has`;
    }
  }
  return null;
};

/** The same findings with the same dates give the same alert id, other findings another one. */
export const alertIds: Invariant = (world, history, run) => {
  const contents = new Map<string, string>();
  const ids = new Map<string, string>();
  for (const { alerts, index } of history.runs) {
    for (const { alert, keys } of alerts) {
      const dated = keys.map((key, place) => `${String(key)} ${String(alert.events[place]?.["created_at"])}`);
      const content = [alert.environmentId, alert.findingType, ...dated.sort()].join("\n");
      const sameId = contents.get(alert.id);
      if (sameId !== undefined && sameId !== content) return `two alerts share the id ${alert.id}`;
      const sameContent = ids.get(content);
      if (sameContent !== undefined && sameContent !== alert.id && alerts === run.alerts) {
        // What a full or lost state no longer tells of a stream may be what vanished from it.
        const isForgotten = history.runs
          .slice(0, index + 1)
          .some((each) => hasNoRoom(world, each) || each.plan.memory.kind !== "kept");
        // Two overlapping runs each number the finding types, so what one tells the host may change a stream of the other.
        const isMixed = history.runs.slice(0, index + 1).some(({ overlapped }) => overlapped);
        const { environmentId, findingType } = alert;
        const others = isForgotten ? world.findingsOf(environmentId, findingType).map((other) => other.key) : keys;
        const span = { from: 0, to: index };
        const mayBeNew = others.some(
          (key) =>
            key !== null && (hasVanished(world, history, key, span) || idsWereReused({ world, history, key, ...span })),
        );
        if (!mayBeNew && !isMixed) return `the same findings have the ids ${sameContent} and ${alert.id}`;
      }
      contents.set(alert.id, content);
      ids.set(content, alert.id);
    }
  }
  return null;
};

/** A run that says `completed` leaves nothing behind that it had to find. */
export const completedMeansAll: Invariant = (world, history, run) => {
  if (run.result?.status !== "completed") return null;
  const missing = undelivered(promisedBy(world, history, run), history, run);
  return missing.length === 0 ? null : `missing: ${describe(world, missing)}; it says: ${said(run)}`;
};

/** The host's limits hold: so many alerts in a run, so many events in an alert, and no empty alert. */
export const limits: Invariant = (_world, _history, { plan, alerts }) => {
  if (alerts.length > (plan.maxAlerts ?? Infinity)) return `${alerts.length} alerts`;
  const most = plan.maxEventsPerAlert ?? Infinity;
  const odd = alerts.find(({ keys }) => keys.length > most || keys.length === 0);
  return odd === undefined ? null : `an alert with ${odd.keys.length} events`;
};

/** Findings that neither the host has nor was given by the run. */
export function undelivered(findings: readonly FindingPlan[], { deliveries }: History, { left }: RunRecord): string[] {
  return findings.map(({ key }) => key).filter((key) => !deliveries.has(key) && !left.has(key));
}
