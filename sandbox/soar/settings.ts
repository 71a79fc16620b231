import type { Parameter } from "../../src/manifest/manifest.ts";
import { readParameters } from "../../src/runtime/parameters.ts";
import type { JsonObject } from "../../src/runtime/protocol.ts";

/** What was given, with the declared default where nothing was; what a person typed stays as typed. */
export function withDefaults(declared: readonly Parameter[], given: JsonObject, place: string): JsonObject {
  const unknown = Object.keys(given).filter((name) => !declared.some((parameter) => parameter.name === name));
  if (unknown.length > 0) throw new Error(`There is no ${unknown.join(", ")} ${place}.`);
  readParameters(
    declared.map((parameter) => ({ ...parameter, readBy: "plugin" })),
    given,
    place,
  );
  return Object.fromEntries(declared.map(({ name, default: preset }) => [name, given[name] ?? preset]));
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
