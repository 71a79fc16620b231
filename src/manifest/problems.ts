import type { ErrorObject } from "ajv";
import { shortened } from "../text.ts";

/** One thing that is wrong in a JSON file. */
export interface Problem {
  /** JSON Pointer (RFC 6901) of the place, such as `/actions/2/parameters/0/type`; empty for the whole file. */
  path: string;
  expected: string;
  found: string;
}

/** A JSON file of the plugin does not fit its schema; the message names every place, what was expected, what was found. */
export class ManifestError extends Error {
  readonly readable = true;
  readonly problems: readonly Problem[];

  constructor(file: string, problems: readonly Problem[]) {
    const lines = problems.map(({ path, expected, found }) => `  ${path || "/"}: expected ${expected}, found ${found}`);
    super([`${file} is not valid:`, ...lines].join("\n"));
    this.name = "ManifestError";
    this.problems = problems;
  }
}

/** Problems from the errors of an ajv validator that was compiled with `verbose` and `allErrors`. */
export function problemsFromAjv(errors: readonly ErrorObject[]): Problem[] {
  const problems = errors
    .filter(({ keyword }) => keyword !== "if")
    .map((error): Problem => ({ path: pathOf(error), expected: expectationOf(error), found: findingOf(error) }));
  const seen = new Set<string>();
  return problems.filter(({ path, expected }) => {
    const key = `${path} ${expected}`;
    return !seen.has(key) && seen.add(key);
  });
}

function pathOf(error: ErrorObject): string {
  const { missingProperty, additionalProperty } = error.params as Partial<Record<string, string>>;
  const name = missingProperty ?? additionalProperty;
  return name === undefined
    ? error.instancePath
    : `${error.instancePath}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

function expectationOf(error: ErrorObject): string {
  return expectations[error.keyword]?.(error) ?? error.message ?? error.keyword;
}

/** What each keyword of JSON Schema asks for, in words. */
const expectations: Readonly<Record<string, (error: ErrorObject) => string>> = {
  required: () => "a value, because it is required",
  additionalProperties: () => "nothing here",
  "false schema": () => "nothing here",
  type: ({ params }) => listing(params["type"], " or "),
  enum: ({ params }) => `one of ${listing(params["allowedValues"], ", ")}`,
  const: ({ params }) => JSON.stringify(params["allowedValue"]),
  pattern: patternText,
  uniqueItems: () => "no value twice",
  minimum: ({ params }) => `at least ${String(params["limit"])}`,
  maximum: ({ params }) => `at most ${String(params["limit"])}`,
  minItems: ({ params }) => `at least ${String(params["limit"])} items`,
  maxItems: ({ params }) => `at most ${String(params["limit"])} items`,
  minLength: ({ params }) => `at least ${String(params["limit"])} characters`,
  maxLength: ({ params }) => `at most ${String(params["limit"])} characters`,
};

function patternText(error: ErrorObject): string {
  const { description } = error.parentSchema as { description?: string };
  return description ?? `a text that matches ${String(error.params["pattern"])}`;
}

function listing(values: unknown, separator: string): string {
  return Array.isArray(values) ? values.join(separator) : String(values);
}

function findingOf({ keyword, data, params, instancePath }: ErrorObject): string {
  if (keyword === "required") return "nothing";
  if (keyword !== "additionalProperties") return describe(data, instancePath);
  const name = String(params["additionalProperty"]);
  return describe((data as Record<string, unknown>)[name], `${instancePath}/${name}`);
}

/** A short, safe picture of a value: defaults are not repeated, since a secret may have been put there by mistake. */
function describe(value: unknown, path: string): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (Array.isArray(value)) return value.length === 1 ? "an array of 1 item" : `an array of ${value.length} items`;
  if (typeof value === "object") return "an object";
  if (path.endsWith("/default")) return typeof value === "string" ? "a text" : `a ${typeof value}`;
  const text = JSON.stringify(value);
  return shortened(text, 80);
}
