import type { Manifest, ManifestJob, Parameter } from "../../../manifest/manifest.ts";
import { leftOutNote, type Standing, standingAfter } from "../../../runtime/job-alert.ts";
import type { AlertChangeMessage, JobAlert, JsonObject } from "../../../runtime/protocol.ts";
import { systemClock } from "../../../clock.ts";
import { sentences } from "../../../text.ts";
import { checkpointProperty, stateIn } from "./checkpoint.ts";
import { FailedRun } from "./failures.ts";
import { FOLLOWED, followedAlerts } from "./followed-alerts.ts";
import type { Item } from "./n8n.ts";
import type { Operation, OperationRun } from "./operations.ts";
import { camelCase, ownParameters, propertyOf, shownFor, valuesOf } from "./properties.ts";
import { type CoreOutcome, hasOnlyFailed, runCore } from "./run-core.ts";

const CHECKPOINT = checkpointProperty("Empty starts afresh: every wait begins again.");

/**
 * A job as an operation: alerts and state in, changes and checkpoint out. A change holds what is true of its alert once the workflow has made
 * it. The workflow stores that with the alert and passes it in the next run, which is how the job learns what became of its changes.
 */
export function followUpFindings(manifest: Manifest, job: ManifestJob): Operation {
  const value = camelCase(job.name);
  const own = ownParameters(manifest, job.parameters);
  return {
    value,
    name: job.name,
    description: `Returns one item for each change of an alert, and a checkpoint for the next run. ${job.description}`,
    properties: [...FOLLOWED, CHECKPOINT, ...own.map(propertyOf)].map((property) => shownFor(property, value)),
    outputs: ["Changes", "Checkpoint"],
    takesAll: true,
    async run(run: OperationRun) {
      const { host, instance, parameter, item } = run;
      const state = stateIn(parameter("checkpoint"));
      const { alerts, foreign } = followedAlerts(run);
      const outcome = await runCore(host, {
        kind: "job",
        name: job.name,
        parameters: {
          ...instance,
          ...valuesOf(own, (property) => settingOf(run, own, property)),
        },
        alerts: [...alerts.values()].map(({ alert }) => alert),
        state,
      });
      // The checkpoint of a failed run says where the next one goes on.
      if (hasOnlyFailed(outcome)) throw new FailedRun(outcome.result.message, host.transport);
      const changes = outcome.changes.flatMap((change): Item[] => {
        const of = alerts.get(change.alertId);
        return of === undefined ? [] : [{ json: changeJson(change, of.alert), pairedItem: { item: of.item } }];
      });
      return [changes, [{ json: checkpointJson(outcome, foreign), pairedItem: { item } }]];
    },
  };
}

/**
 * A setting of the run, which judges the alerts of all items.
 *
 * @throws FailedRun when an expression gives several values: that of the first item would close the alerts of the others
 */
function settingOf({ parameter, items }: OperationRun, own: readonly Parameter[], property: string): unknown {
  const value = parameter(property);
  for (let item = 1; item < items; item += 1) {
    if (JSON.stringify(parameter(property, item)) === JSON.stringify(value)) continue;
    const label = own.find(({ name }) => camelCase(name) === property)?.name ?? property;
    throw new FailedRun(
      `${label} differs between the input items. No alert was judged. One run judges all of them: enter one value.`,
      undefined,
      item,
    );
  }
  return value;
}

function changeJson({ type, checkpoint, ...change }: AlertChangeMessage, alert: JobAlert): JsonObject {
  return { ...(change as unknown as JsonObject), ...standingJson(standingAfter(change, alert, systemClock.now())) };
}

/** The time as a text, because a column of a table for times takes texts. */
function standingJson({ status, closedBy, closedAt, reopenedBy = null }: Standing): JsonObject {
  return { status, closedBy, closedAt: closedAt === null ? null : new Date(closedAt).toISOString(), reopenedBy };
}

function checkpointJson({ changes, result, state }: CoreOutcome, foreign: number): JsonObject {
  const { status, message, json = {} } = result;
  return {
    checkpoint: JSON.stringify(state),
    status,
    message: sentences([message, leftOutNote(foreign)]),
    changes: changes.length,
    ...json,
  };
}
