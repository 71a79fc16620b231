import type { Json } from "./protocol.ts";

/**
 * C0 and C1 controls, line and paragraph separators, bidirectional overrides and isolates, and lone surrogates: what
 * could break a log line in two, drive a terminal, or show text in another order than it has.
 */
const UNPRINTABLE = /[\p{Cc}\u2028\u2029\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069\p{Cs}]/gu;
const SHORT_FORMS: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** The text on one line, with every unprintable character escaped. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, (character) => {
    const code = character.charCodeAt(0).toString(16).padStart(4, "0");
    return SHORT_FORMS[character] ?? `\\u${code}`;
  });
}

/** Deeper than any message. Serialising deeper nesting would overflow the stack. */
const DEEPEST_MESSAGE = 200;

/** The same value with `change` applied to every string and key. Nesting that is too deep to be written is cut off. */
export function mapTexts(value: Json, change: (text: string) => string, depth = 0): Json {
  if (typeof value === "string") return change(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth === DEEPEST_MESSAGE) return "…";
  const inner = (entry: Json): Json => mapTexts(entry, change, depth + 1);
  if (Array.isArray(value)) return value.map(inner);
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [change(key), inner(entry)]));
}

const DEEPEST = 10;

/** What a log field may show of any value: as JSON would have it, with errors by their message; cycles are cut off. */
export function toJson(value: unknown, depth = 0): Json {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object") return typeof value;
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  if (depth === DEEPEST) return "…";
  if ("toJSON" in value && typeof value.toJSON === "function")
    return toJson((value.toJSON as () => unknown)(), depth + 1);
  if (Array.isArray(value)) return Array.from(value, (entry) => toJson(entry, depth + 1));
  const entries = Object.entries(value).filter(([, entry]) => entry !== undefined);
  return Object.fromEntries(entries.map(([key, entry]) => [key, toJson(entry, depth + 1)]));
}
