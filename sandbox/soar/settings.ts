import type { Parameter } from "../../src/manifest/manifest.ts";
import { readParameters } from "../../src/runtime/parameters.ts";
import type { Json, JsonObject } from "../../src/runtime/protocol.ts";
import { HostError } from "./host-error.ts";

/** Whether nothing was entered: readers of parameters use the default then. */
export function isBlank(value: Json | undefined): boolean {
  return value === null || value === undefined || (typeof value === "string" && value.trim() === "");
}

/**
 * What was given, with the declared default where nothing was; what a person typed stays as typed.
 * @throws HostError for a name that is not declared; ParameterError for a value that cannot be used.
 */
export function withDefaults(declared: readonly Parameter[], given: JsonObject, place: string): JsonObject {
  const unknown = Object.keys(given).filter((name) => !declared.some((parameter) => parameter.name === name));
  if (unknown.length > 0)
    throw new HostError(400, `There is no ${unknown.join(", ")} ${place}. Reload the page, and try again.`);
  readParameters(
    declared.map((parameter) => ({ ...parameter, readBy: "plugin" })),
    given,
    place,
  );
  const used = declared.map(({ name, default: preset }) => [name, isBlank(given[name]) ? preset : given[name]]);
  return Object.fromEntries(used) as JsonObject;
}

/** What the plugin reads; the rest is for the host. */
export function forPlugin(declared: readonly Parameter[], values: JsonObject): JsonObject {
  const read = declared.filter(({ readBy }) => readBy !== "host");
  return Object.fromEntries(read.map(({ name }) => [name, values[name] ?? null]));
}

/** Values that nothing may show. */
export function secretsOf(declared: readonly Parameter[], values: JsonObject): string[] {
  const secret = declared.filter((parameter) => parameter.secret).map((parameter) => values[parameter.name]);
  return secret.filter((value) => typeof value === "string");
}
