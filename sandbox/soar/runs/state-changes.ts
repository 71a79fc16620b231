import type { StateChange } from "../../console/contract/index.ts";
import type { Json } from "../../../src/runtime/protocol.ts";
import { brotliDecompressSync } from "node:zlib";
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
    yield { path, before: shown(path, before), after: shown(path, after) };
  }
}

/** `constructor` may be a name in a state. */
function own(object: { [name: string]: Json }, name: string): Json | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** Most characters of a packed text once it is unpacked. */
const MOST_UNPACKED = 2 ** 20;

/**
 * A value of the state as a person reads it. Sources: src/ingestion/descriptions.ts (packed texts), selection.ts (a fingerprint) and
 * state/id-text.ts (ids of findings with their checks).
 */
function shown(path: readonly string[], value: Json | undefined): Json | undefined {
  if (typeof value !== "string") return cut(value);
  if (path[0] === "descriptions" && path.at(-1) === "packed") return cut(unpacked(value));
  if (path[0] === "selection")
    return `fingerprint of the selected environments and finding types: ${value.slice(0, 4)}`;
  return cut(path.at(-2) === "ids" ? idsText(value) : value);
}

/** `17+49:abc` is `17 to 66`: the checks behind the colon tell a person nothing. */
function idsText(text: string): string {
  const [tokens = ""] = text.split(":");
  const spans = tokens.split(",").map((token) => {
    const [, first, count, step = "1"] = /^(\d+)\+(\d+)(?:\*(\d+))?$/.exec(token) ?? [];
    if (first !== undefined) {
      const every = step === "1" ? "" : `, every ${step}`;
      return `${first} to ${Number(first) + Number(count) * Number(step)}${every}`;
    }
    return token.startsWith("~") ? "one without a number" : token;
  });
  return `findings ${spans.join("; ")}`;
}

function unpacked(packed: string): string {
  try {
    const raw = brotliDecompressSync(Buffer.from(packed, "base64"), { maxOutputLength: MOST_UNPACKED }).toString(
      "utf8",
    );
    const texts = Object.values(JSON.parse(raw) as object).filter((text) => typeof text === "string");
    return texts.join(" ").replace(/\s+/g, " ");
  } catch {
    return "a text that cannot be unpacked";
  }
}

function cut(value: Json | undefined): Json | undefined {
  if (typeof value !== "string" || value.length <= LONGEST_TEXT) return value;
  return `${shortened(value, LONGEST_TEXT)} (${value.length.toLocaleString("en-US")} characters)`;
}
