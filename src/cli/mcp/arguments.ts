import type { Parameter } from "../../manifest/manifest.ts";
import { InputError } from "../../runtime/errors.ts";
import { type ParameterValue, readParameters, unknownParameters } from "../../runtime/parameters.ts";
import { listed } from "../../text.ts";
import type { ObjectSchema } from "./tool.ts";

const TYPES: Readonly<Record<Parameter["type"], object>> = {
  string: { type: "string" },
  list: { type: "array", items: { type: "string" } },
  integer: { type: "integer" },
  boolean: { type: "boolean" },
};

/** A label as a name that every assistant takes: letters, digits and underscores. */
export function identifierOf(label: string): string {
  return label.toLowerCase().replaceAll(/[^a-z0-9]+/g, "_");
}

/** What a tool with these parameters takes. */
export function inputSchema(parameters: readonly Parameter[]): ObjectSchema {
  const properties = parameters.map(({ name, type, description, minimum, choices, default: given }) => [
    identifierOf(name),
    {
      ...TYPES[type],
      title: name,
      description,
      ...(minimum !== undefined && { minimum }),
      ...(choices !== undefined && { enum: choices }),
      ...(given !== null && type !== "list" && { default: given }),
    },
  ]);
  const required = parameters.filter(({ mandatory }) => mandatory).map(({ name }) => identifierOf(name));
  return {
    type: "object",
    additionalProperties: false,
    ...(required.length > 0 && { required }),
    properties: Object.fromEntries(properties) as Record<string, unknown>,
  };
}

/**
 * The values of the parameters by their labels.
 *
 * @throws InputError or ParameterError, with the names that the assistant knows
 */
export function readArguments(
  tool: string,
  parameters: readonly Parameter[],
  args: Readonly<Record<string, unknown>>,
): Record<string, ParameterValue> {
  const declared = parameters.map((parameter) => ({ ...parameter, name: identifierOf(parameter.name) }));
  const unknown = unknownParameters(declared, args);
  if (unknown.length > 0) {
    const known = declared.length === 0 ? "none" : listed(declared.map(({ name }) => name));
    throw new InputError(`Unknown arguments: ${listed(unknown)}. The tool ${tool} takes: ${known}.`);
  }
  const values = readParameters(declared, args, `in the arguments of ${tool}`);
  return Object.fromEntries(parameters.map(({ name }) => [name, values[identifierOf(name)] ?? null]));
}
