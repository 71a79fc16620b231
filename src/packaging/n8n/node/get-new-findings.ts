import type { Manifest, ManifestConnector, Parameter } from "../../../manifest/manifest.ts";
import type { Alert, Json, JsonObject } from "../../../runtime/protocol.ts";
import { checkpointProperty, stateIn } from "./checkpoint.ts";
import { FailedRun } from "./failures.ts";
import type { Property } from "./n8n.ts";
import type { Operation, OperationRun } from "./operations.ts";
import { camelCase, ownParameters, propertyOf, shownFor, valuesOf } from "./properties.ts";
import { type CoreOutcome, hasOnlyFailed, runCore } from "./run-core.ts";

const NAME = "Get New Findings";
const CHECKPOINT = checkpointProperty("Empty starts from the beginning.");

/** How much one run delivers at most. What is left comes with the next run. */
export const MOST_ALERTS: Property = {
  displayName: "Most Alerts",
  name: "maxAlerts",
  type: "number",
  default: 100,
  typeOptions: { minValue: 1 },
  description: "How many alerts one run returns at most. The next run goes on from there.",
};
export const MOST_FINDINGS: Property = {
  displayName: "Most Findings per Alert",
  name: "maxEventsPerAlert",
  type: "number",
  default: 500,
  typeOptions: { minValue: 1 },
  description: "How many findings one alert holds at most. Further ones come in further alerts.",
};

/**
 * The connector as an operation: state in, checkpoint out. n8n runs everything behind the first output before it runs the second, so
 * the workflow stores the checkpoint when the alerts are dealt with.
 */
export function getNewFindings(manifest: Manifest, connector: ManifestConnector): Operation {
  const value = camelCase(NAME);
  return {
    value,
    name: NAME,
    description: `Returns one item for each alert, and a checkpoint for the next run. ${connector.description}`,
    properties: [CHECKPOINT, ...connectorProperties(manifest, connector)].map((property) => shownFor(property, value)),
    options: [MOST_ALERTS, MOST_FINDINGS],
    outputs: ["Findings", "Checkpoint"],
    async run({ host, instance, parameter, item }: OperationRun) {
      const outcome = await runConnector({ host, instance, parameter }, manifest, connector, {
        state: stateIn(parameter("checkpoint")),
      });
      const pairedItem = { item };
      return [
        outcome.alerts.map((alert) => ({ json: alertJson(alert), pairedItem })),
        [{ json: checkpointJson(outcome), pairedItem }],
      ];
    },
  };
}

/** The fields of the connector as properties. */
export function connectorProperties(manifest: Manifest, connector: ManifestConnector): Property[] {
  return selectingFields(manifest, connector).map(propertyOf);
}

/**
 * Runs the connector once. A run that failed is returned if it has delivered alerts, which count, or has a checkpoint: without that, the
 * next run would fail in the same way, such as by asking as fast as a rate limit has refused.
 *
 * @throws FailedRun when it failed without either
 */
export async function runConnector(
  { host, instance, parameter }: Pick<OperationRun, "host" | "instance" | "parameter">,
  manifest: Manifest,
  connector: ManifestConnector,
  { state, test = false }: { state: Json; test?: boolean },
): Promise<CoreOutcome> {
  const fields = selectingFields(manifest, connector);
  const outcome = await runCore(host, {
    kind: "connector",
    name: connector.name,
    parameters: { ...instance, ...valuesOf(fields, parameter) },
    state,
    run: {
      test,
      maxAlerts: limit(parameter("maxAlerts"), MOST_ALERTS),
      maxEventsPerAlert: limit(parameter("maxEventsPerAlert"), MOST_FINDINGS),
    },
  });
  if (hasOnlyFailed(outcome)) throw new FailedRun(outcome.result.message, host.transport);
  return outcome;
}

function selectingFields(manifest: Manifest, { fields }: ManifestConnector): Parameter[] {
  return ownParameters(manifest, fields).filter(({ selects }) => selects);
}

/** An alert as an item. */
export function alertJson(alert: Alert): JsonObject {
  return alert as unknown as JsonObject;
}

/** As a text, because a column of a table holds texts. */
function checkpointJson({ alerts, result, state }: CoreOutcome): JsonObject {
  const { status, message } = result;
  const findings = alerts.reduce((sum, { events }) => sum + events.length, 0);
  return { checkpoint: JSON.stringify(state), status, message, alerts: alerts.length, findings };
}

/** @throws FailedRun for what is no limit, which would mean none */
function limit(given: unknown, { displayName, default: usual }: Property): number {
  const most = Number(given ?? usual);
  if (Number.isSafeInteger(most) && most > 0) return most;
  throw new FailedRun(`${displayName} is not a whole number of at least 1. Correct it among the options.`);
}
