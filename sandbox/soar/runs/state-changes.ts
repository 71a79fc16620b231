import type { StateChange } from "../../console/contract/index.ts";
import type { Json } from "../../../src/runtime/protocol.ts";
import { isObject } from "../../../src/json.ts";
import { shortened } from "../../../src/text.ts";

const MOST_CHANGES = 500;
const LONGEST_TEXT = 200;

/** What differs between two states, text by text and number by number; long texts are cut. */
export function stateChanges(before: Json, after: Json): { changes: StateChange[]; left: number } {
  const all = [...differences(before ?? undefined, after ?? undefined, [])];
  const changes = all.slice(0, MOST_CHANGES);
  return { changes, left: all.length - changes.length };
}

function* differences(before: Json | undefined, after: Json | undefined, path: string[]): Generator<StateChange> {
  if (isObject(before) || isObject(after)) {
    const [old, now] = [isObject(before) ? before : {}, isObject(after) ? after : {}];
    for (const name of new Set([...Object.keys(old), ...Object.keys(now)])) {
      yield* differences(own(old, name), own(now, name), [...path, name]);
    }
  } else if (JSON.stringify(before) !== JSON.stringify(after)) {
    yield { path, before: cut(before), after: cut(after) };
  }
}

/** `constructor` may be a name in a state. */
function own(object: { [name: string]: Json }, name: string): Json | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

function cut(value: Json | undefined): Json | undefined {
  if (typeof value !== "string" || value.length <= LONGEST_TEXT) return value;
  return `${shortened(value, LONGEST_TEXT)} (${value.length.toLocaleString("en-US")} characters)`;
}
