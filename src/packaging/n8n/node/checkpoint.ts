import { isObject, parseJson } from "../../../json.ts";
import { counted } from "../../../text.ts";
import type { Json } from "../../../runtime/protocol.ts";
import { FailedRun } from "./failures.ts";
import type { Property } from "./n8n.ts";

/**
 * The property that takes the place where the last run stopped.
 *
 * @param empty - what an empty one does, as a sentence
 */
export function checkpointProperty(empty: string): Property {
  return {
    displayName: "Checkpoint",
    name: "checkpoint",
    type: "string",
    default: "",
    placeholder: "={{ $json.checkpoint }}",
    description: `Where the last run stopped: the field checkpoint of its second output, as your workflow has stored it. ${empty}`,
  };
}

/** @throws FailedRun when it is no checkpoint: a run would start from the beginning, and so would each one after it */
export function stateIn(given: unknown): Json {
  const text = typeof given === "string" ? given.trim() : null;
  if (text === "") return null;
  const state = text === null ? (given ?? null) : parseJson(text);
  if (state === undefined) throw refusal(`is not JSON (${counted(String(given).length, "character")})`);
  if (state === null || isCheckpoint(state)) return state as Json;
  throw refusal("is not a checkpoint");
}

/** An empty object is where a table keeps nothing yet. */
function isCheckpoint(state: unknown): boolean {
  return isObject(state) && (Object.hasOwn(state, "version") || Object.keys(state).length === 0);
}

function refusal(problem: string): FailedRun {
  return new FailedRun(
    `Parameter "Checkpoint" ${problem}. Nothing was read. Pass the field checkpoint as the last run returned it, or leave it empty to start from the beginning.`,
  );
}
