import type { AlertEvent, Json } from "../../../src/runtime/protocol.ts";

/** What a step left for those behind it. */
export interface StepResult {
  /** What `[Step Name.is_success]` stands for. */
  value: string;
  /** What `[Step Name.JsonResult| "a.b"]` reads from. */
  json: Json;
}

/** What placeholders are filled in from. */
export interface Known {
  events: readonly AlertEvent[];
  /** By the name of the step in lower case. */
  results: ReadonlyMap<string, StepResult>;
}

const PLACEHOLDER = /\[([^[\]]+)\]/g;
const JSON_FIELD = /^(.+)\.JsonResult\|\s*"([^"]+)"$/;

/** A text with its placeholders filled in; what is not known is empty, and several values become a list. */
export function fillIn(text: string, known: Known): string {
  return text.replace(PLACEHOLDER, (_whole, name: string) => [...new Set(valuesOf(name, known))].join(","));
}

/** A placeholder as a person reads it. */
export function placeholderName(placeholder: string): string {
  const name = placeholder.replace(/^\[|\]$/g, "");
  const [, step, path] = JSON_FIELD.exec(name) ?? [];
  return step === undefined || path === undefined ? name : `${path} of ${step}`;
}

function valuesOf(name: string, { events, results }: Known): string[] {
  const resultOf = (step: string): StepResult | undefined => results.get(step.toLowerCase());
  const [, step, path] = JSON_FIELD.exec(name) ?? [];
  if (step !== undefined && path !== undefined)
    return fieldsAt(resultOf(step)?.json ?? null, path.split(".")).map(textOf);
  const dot = name.lastIndexOf(".");
  const [owner, field] = [name.slice(0, Math.max(0, dot)), name.slice(dot + 1)];
  if (owner !== "Event") return field === "is_success" ? [resultOf(owner)?.value ?? ""] : [];
  return events.flatMap((event) => (event[field] === undefined || event[field] === "" ? [] : [String(event[field])]));
}

/** The values at a path, through every entry of the lists on the way. */
function fieldsAt(json: Json, [name, ...rest]: readonly string[]): Json[] {
  if (Array.isArray(json)) return json.flatMap((entry) => fieldsAt(entry, name === undefined ? [] : [name, ...rest]));
  if (name === undefined) return json === null ? [] : [json];
  if (typeof json !== "object" || json === null || !Object.hasOwn(json, name)) return [];
  return fieldsAt(json[name] ?? null, rest);
}

function textOf(json: Json): string {
  return typeof json === "string" ? json : JSON.stringify(json);
}
