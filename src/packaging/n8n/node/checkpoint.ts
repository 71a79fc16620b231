import { parseJson } from "../../../json.ts";
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

/** @throws FailedRun when it is no checkpoint */
export function stateIn(given: unknown): Json {
  if (typeof given !== "string") return (given ?? null) as Json;
  if (given.trim() === "") return null;
  const state = parseJson(given);
  if (state !== undefined) return state as Json;
  throw new FailedRun(
    `Parameter "Checkpoint" is not JSON (${counted(given.length, "character")}). Nothing was read. Pass the field checkpoint as the last run returned it, or leave it empty to start from the beginning.`,
  );
}
