import type { Parameter } from "../manifest/manifest.ts";
import { ParameterError } from "./errors.ts";
import type { Redactor } from "./redaction.ts";
import { isTexts } from "../json.ts";
import { cleanList, ListSyntaxError, parseList } from "./lists.ts";

export type ParameterValue = string | number | boolean | string[] | null;

/**
 * Turns what a request holds into typed values: string (trimmed), list (string[]), integer (number), boolean. What was
 * not given, or only as blanks, gets the declared default. Parameters that only the host reads are left out.
 *
 * @param place where a person enters these parameters, as "in the settings of the instance"
 * @throws ParameterError when a mandatory parameter is missing or a value cannot be used; the message never quotes a value
 */
export function readParameters(
  declared: readonly Parameter[],
  given: Readonly<Record<string, unknown>>,
  place: string,
): Record<string, ParameterValue> {
  const wanted = declared.filter((parameter) => parameter.readBy !== "host");
  return Object.fromEntries(wanted.map((parameter) => [parameter.name, readParameter(parameter, given, place)]));
}

/** Names in the request that the manifest does not declare. */
export function unknownParameters(declared: readonly Parameter[], given: Readonly<Record<string, unknown>>): string[] {
  const known = new Set(declared.map((parameter) => parameter.name));
  return Object.keys(given).filter((name) => !known.has(name));
}

/**
 * Refuses a secret that was entered in the wrong place. The service would get it there, and its logs would keep it.
 *
 * @throws ParameterError when a parameter that is not secret contains one of the run's secrets
 */
export function refuseMisplacedSecrets(
  declared: readonly Parameter[],
  values: Readonly<Record<string, ParameterValue>>,
  redactor: Redactor,
): void {
  const misplaced = declared.find(({ name, secret }) => !secret && redactor.isIn(values[name] ?? null));
  if (misplaced === undefined) return;
  throw new ParameterError(
    misplaced.name,
    "contains the token key or another secret. No request was sent. Remove it here, and enter it only in its own field.",
  );
}

function readParameter(parameter: Parameter, given: Readonly<Record<string, unknown>>, place: string): ParameterValue {
  const raw = Object.hasOwn(given, parameter.name) ? given[parameter.name] : null;
  const value = parse(parameter, raw) ?? parse(parameter, parameter.default);
  if (value === null && parameter.mandatory) {
    throw new ParameterError(parameter.name, `is missing. Enter it ${place}. ${parameter.description}`);
  }
  return value;
}

/** The typed value; null when nothing was given. */
function parse(parameter: Parameter, raw: unknown): ParameterValue {
  if (raw === null || raw === undefined || (typeof raw === "string" && raw.trim() === "")) return null;
  return parsers[parameter.type](parameter, raw);
}

const parsers: Record<Parameter["type"], (parameter: Parameter, raw: unknown) => ParameterValue> = {
  string(parameter, raw) {
    if (typeof raw !== "string") throw new ParameterError(parameter.name, `must be text, not ${kindOf(raw)}.`);
    const text = raw.trim();
    const { name, choices } = parameter;
    if (choices === undefined) return text;
    const chosen = choices.find((choice) => choice.toLowerCase() === text.toLowerCase());
    if (chosen === undefined) throw new ParameterError(name, `must be one of ${choices.join(", ")}, or empty.`);
    return chosen;
  },
  list(parameter, raw) {
    const given = readList(parameter, raw);
    const entries = parameter.paired ? pairedList(parameter, given) : cleanList(given);
    return entries.length === 0 ? null : entries;
  },
  integer(parameter, raw) {
    const value = typeof raw === "string" && /^\s*[+-]?\d+\s*$/.test(raw) ? Number(raw) : raw;
    if (!Number.isSafeInteger(value)) throw new ParameterError(parameter.name, "must be a whole number.");
    const { minimum = -Infinity } = parameter;
    if (Number(value) < minimum) throw new ParameterError(parameter.name, `must be at least ${minimum}.`);
    return Number(value);
  },
  boolean(parameter, raw) {
    const text = typeof raw === "string" ? raw.trim().toLowerCase() : raw;
    if (text === true || text === "true") return true;
    if (text === false || text === "false") return false;
    throw new ParameterError(parameter.name, "must be true or false.");
  },
};

function readList(parameter: Parameter, raw: unknown): string[] {
  if (isTexts(raw)) return raw;
  if (typeof raw !== "string") {
    throw new ParameterError(
      parameter.name,
      `must be comma-separated text or an array of strings, not ${kindOf(raw)}.`,
    );
  }
  try {
    return parseList(raw);
  } catch (error) {
    if (!(error instanceof ListSyntaxError)) throw error;
    throw new ParameterError(
      parameter.name,
      'is in square brackets but is not a JSON array of strings. Write ["A", "B"] with quotation marks, or A, B without brackets.',
    );
  }
}

/** Every entry keeps its place; only behind the last one may something be empty. */
function pairedList({ name }: Parameter, given: readonly string[]): string[] {
  const entries = given.map((entry) => entry.trim());
  const kept = entries.slice(0, entries.findLastIndex((entry) => entry !== "") + 1);
  const gap = kept.indexOf("");
  if (gap === -1) return kept;
  throw new ParameterError(
    name,
    `has an empty entry, number ${gap + 1}. Its entries are paired with those of another list, so fill it or remove it in both.`,
  );
}

function kindOf(raw: unknown): string {
  if (Array.isArray(raw)) return isTexts(raw) ? "an array" : "an array with values that are not strings";
  return typeof raw === "object" ? "an object" : `a ${typeof raw}`;
}
