import type { Clock } from "../../clock.ts";
import { modules } from "../../generated/modules.ts";
import type { ManifestAction, Parameter } from "../../manifest/manifest.ts";
import type { ActionName, ActionParameters, InstanceParameters } from "../../manifest/types.ts";
import type { ActionOutcome } from "../../runtime/modules.ts";
import { BETWEEN_RUNS_MS, type Json } from "../../runtime/protocol.ts";
import { identifierOf, inputSchema, readArguments } from "./arguments.ts";
import type { FieldsSchema, Tool, ToolCall } from "./tool.ts";

/** What the tools of all actions share. */
export interface ActionTerms {
  readonly instance: InstanceParameters;
  readonly clock: Clock;
  readonly random: () => number;
}

/** The tool of an action that the manifest declares. */
export function actionTool(action: ManifestAction, terms: ActionTerms): Tool {
  const { name, description, reads } = action;
  const noCase =
    reads === undefined ? "" : " There is no case here: nothing is selected that could replace an empty parameter.";
  return {
    name: identifierOf(name),
    title: name,
    description: `${description}${noCase}`,
    input: inputSchema(parametersOf(action)),
    output: outputOf(action),
    async call(call) {
      const { status, message, value, json } = await runToItsEnd(action, terms, call);
      return {
        isError: status === "failed",
        data: {
          status,
          message,
          value: status === "failed" ? (action.result.valueWhenFailed ?? null) : value,
          result: json ?? null,
        },
      };
    },
  };
}

/** Without a case, nothing replaces an empty first parameter, whose description ends with what would. */
function parametersOf({ parameters, reads }: ManifestAction): Parameter[] {
  return parameters.map((parameter, index) =>
    index === 0 && reads !== undefined
      ? { ...parameter, mandatory: true, description: parameter.description.replace(/ Empty: .*$/s, "") }
      : parameter,
  );
}

/** An action that is not done in one run goes on in the next one, as a host would let it. */
async function runToItsEnd(
  action: ManifestAction,
  { instance, clock, random }: ActionTerms,
  { args, deadline, log, progress }: ToolCall,
): Promise<ActionOutcome<ActionName>> {
  const name = action.name as ActionName;
  // The manifest that the types are made of is the one that the values are checked against.
  const parameters = readArguments(
    identifierOf(name),
    parametersOf(action),
    args,
  ) as unknown as ActionParameters<ActionName>;
  const { default: module } = await modules.actions[name]();
  for (let state: Json = null; ;) {
    const outcome: ActionOutcome<ActionName> = await module.run({
      run: { id: "mcp", deadline: null, test: false },
      clock,
      random,
      deadline,
      log,
      progress: (done, total, label) => {
        progress(`${label}: ${done} of ${total}`);
      },
      instance,
      parameters,
      state,
      context: {},
    });
    if (outcome.status !== "in_progress") return outcome;
    progress(outcome.message);
    await clock.sleep(BETWEEN_RUNS_MS, deadline.signal);
    state = outcome.state ?? null;
  }
}

/** The schema of the manifest refers to its definitions from its root, so they move to the root of this one. */
function outputOf({ result }: ManifestAction): FieldsSchema {
  const { $defs, ...schema } = result.schema;
  return {
    type: "object",
    additionalProperties: false,
    required: ["status", "message", "value", "result"],
    properties: {
      status: { enum: ["completed", "failed"] },
      message: { type: "string", description: "The result in sentences for people." },
      value: { description: `The result in one value: ${result.value}` },
      result: { anyOf: [schema, { type: "null" }], description: "The result; null when there is none." },
    },
    ...($defs !== undefined && { $defs }),
  };
}
