import type { Manifest, ManifestConnector } from "../../../manifest/manifest.ts";
import { counted } from "../../../text.ts";
import type { Alert, Json, JsonObject } from "../../../runtime/protocol.ts";
import { FailedRun } from "./failures.ts";
import type { Property } from "./n8n.ts";
import type { Operation, OperationRun } from "./operations.ts";
import { camelCase, ownFields, propertyOf, shownFor, valuesOf } from "./properties.ts";
import { type CoreOutcome, runCore } from "./run-core.ts";

const NAME = "Get New Findings";
const CHECKPOINT: Property = {
  displayName: "Checkpoint",
  name: "checkpoint",
  type: "string",
  default: "",
  placeholder: "={{ $json.checkpoint }}",
  description:
    "Where the last run stopped: the field checkpoint of its second output, as your workflow has stored it. Empty starts from the beginning.",
};

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
  return ownFields(manifest, connector)
    .filter(({ selects }) => selects)
    .map(propertyOf);
}

/**
 * Runs the connector once. A run that failed after it had delivered alerts counts as one that stopped there.
 *
 * @throws FailedRun when it failed before
 */
export async function runConnector(
  { host, instance, parameter }: Pick<OperationRun, "host" | "instance" | "parameter">,
  manifest: Manifest,
  connector: ManifestConnector,
  { state, test = false }: { state: Json; test?: boolean },
): Promise<CoreOutcome> {
  const fields = ownFields(manifest, connector).filter(({ selects }) => selects);
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
  if (outcome.result.status === "failed" && outcome.alerts.length === 0) {
    throw new FailedRun(outcome.result.message, host.transport);
  }
  return outcome;
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

/** @throws FailedRun when it is no checkpoint */
function stateIn(given: unknown): Json {
  if (typeof given !== "string") return (given ?? null) as Json;
  if (given.trim() === "") return null;
  try {
    return JSON.parse(given) as Json;
  } catch {
    throw new FailedRun(
      `Parameter "Checkpoint" is not JSON (${counted(given.length, "character")}). Nothing was read. Pass the field checkpoint as the last run returned it, or leave it empty to start from the beginning.`,
    );
  }
}

function limit(given: unknown, { default: usual }: Property): number {
  return Number(given ?? usual);
}
