import { validate as validateLookedUp } from "../../generated/look-up-validator.js";
import { isObject } from "../../json.ts";
import type { Json } from "../../runtime/protocol.ts";
import { inCapitals } from "../../text.ts";
import type { FoundObject } from "../objects/found-object.ts";
import { type Pair, pairKey } from "./path-pairs.ts";

/**
 * What is known of pairs that are not answered yet. An answer takes several requests, so a run that has time for only some of
 * them passes on what they returned.
 */
export interface PathNotes {
  /** What was found by a name or an object id, by the text in capitals. */
  readonly found: Map<string, FoundObject>;
  /** Keys of pairs of object ids for which the service knew no path, or not the object. Their ends have to be looked up. */
  readonly asked: Set<string>;
}

export function noNotes(): PathNotes {
  return { found: new Map(), asked: new Set() };
}

/** How many notes there are. */
export function sizeOf({ found, asked }: PathNotes): number {
  return found.size + asked.size;
}

/** The notes about these pairs, as a state holds them. */
export function notesOf({ found, asked }: PathNotes, pairs: readonly Pair[]): Json {
  const texts = new Set(pairs.flatMap(({ start, end }) => [inCapitals(start), inCapitals(end)]));
  const keys = new Set(pairs.map(pairKey));
  return {
    found: [...found].filter(([text]) => texts.has(text)),
    asked: [...asked].filter((key) => keys.has(key)),
  } as unknown as Json;
}

/** The notes in the state of an earlier run. They only save requests, so one of an unexpected form is left out. */
export function readNotes(state: Json): PathNotes {
  const notes = noNotes();
  const saved: unknown = isObject(state) ? state["notes"] : undefined;
  const { found, asked } = isObject(saved) ? saved : {};
  for (const entry of Array.isArray(found) ? found : []) {
    const [text, object] = (Array.isArray(entry) ? entry : []) as unknown[];
    if (typeof text === "string" && validateLookedUp(object) && object.status !== "failed")
      notes.found.set(text, object);
  }
  for (const key of Array.isArray(asked) ? asked : []) if (typeof key === "string") notes.asked.add(key);
  return notes;
}
