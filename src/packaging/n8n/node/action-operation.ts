import type { ManifestAction } from "../../../manifest/manifest.ts";
import { isObject, parseJson } from "../../../json.ts";
import type { Json, JsonObject, ResultMessage } from "../../../runtime/protocol.ts";
import { FailedRun } from "./failures.ts";
import type { Operation, OperationRun } from "./operations.ts";
import { actionProperties, camelCase, resultList, valuesOf } from "./properties.ts";
import { runCore } from "./run-core.ts";

/** An action of the plugin as an operation of the node. */
export function actionOperation(action: ManifestAction): Operation {
  return {
    value: camelCase(action.name),
    name: action.name,
    description: action.description,
    properties: actionProperties(action),
    async run({ host, instance, parameter, item }: OperationRun) {
      const { result } = await runCore(host, {
        kind: "action",
        name: action.name,
        instance,
        parameters: valuesOf(action.parameters, parameter),
        context: { findings: findingsIn(parameter("alert")) },
        state: null,
      });
      if (result.status === "failed") throw new FailedRun(result.message, host.transport);
      const list = parameter("output") === "result" ? null : resultList(action);
      const said =
        result.status === "in_progress" ? { ...result, message: `${result.message} ${OUT_OF_TIME}` } : result;
      // Only the whole result says that it is not all.
      if (said.status === "in_progress" && list !== null) {
        throw new FailedRun(`${said.message} The whole result has what was found until then.`, host.transport);
      }
      return [itemsOf(said, list).map((json) => ({ json, pairedItem: { item } }))];
    },
  };
}

/** Here, no run follows by itself. */
const OUT_OF_TIME = "There was no time for that: raise Timeout among the options, or ask for less.";

/** The findings of an alert, as the host contract wants them. */
function findingsIn(given: unknown): JsonObject[] {
  const alert = typeof given === "string" ? parsed(given) : (given ?? null);
  if (alert === null) return [];
  const events = isObject(alert) ? alert["events"] : undefined;
  if (!Array.isArray(events)) throw notAnAlert("is not an alert");
  return (events as Json[]).filter(isJsonObject).map((event) => ({
    source: event["source_object_id"] ?? null,
    target: event["target_object_id"] ?? null,
    severity: event["severity"] ?? null,
    accepted: event["accepted"] ?? null,
    acceptedUntil: event["accepted_until"] ?? null,
  }));
}

function parsed(text: string): unknown {
  const value = text.trim() === "" ? null : parseJson(text);
  if (value !== undefined) return value;
  throw notAnAlert("is not JSON");
}

function notAnAlert(problem: string): FailedRun {
  return new FailedRun(`Parameter "Alert" ${problem}. Pass an alert of Get New Findings, for example {{ $json }}.`);
}

function itemsOf({ status, message, value, json = {} }: ResultMessage, list: string | null): JsonObject[] {
  const entries = list === null ? undefined : json[list];
  return Array.isArray(entries) ? entries.filter(isJsonObject) : [{ status, message, value, ...json }];
}

function isJsonObject(value: Json): value is JsonObject {
  return isObject(value);
}
