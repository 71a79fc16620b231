import type { Schema } from "ts-json-schema-generator";
import { formatted } from "./formatted.ts";
import { HOST_CONTRACT_PATH, HOST_CONTRACT_SOURCE } from "./record-types.ts";
import { schemaGenerator } from "./schemas.ts";

/** What goes over the two pipes: the request of the host, and a message of the plugin. */
const TYPES = ["Request", "Message"] as const;

/** JSON Schema (draft 2020-12) of the host contract. */
export interface HostContractSchema {
  readonly $schema: string;
  readonly $id: string;
  readonly title: string;
  readonly description: string;
  readonly anyOf: readonly { readonly $ref: string }[];
  /** By the name of the type, with `Request` and `Message` among them. */
  readonly $defs: Readonly<Record<string, Schema>>;
}

/** The host contract as its types declare it. Members that it does not name are allowed: a later version may add some. */
export function hostContractSchema(rootDir: string): HostContractSchema {
  const generator = schemaGenerator(rootDir, HOST_CONTRACT_SOURCE, { jsDoc: "extended", topRef: true });
  const types = Object.assign({}, ...TYPES.map((type) => generator.createSchema(type).definitions)) as Schemas;
  // What is read from JSON is JSON, however deep it is.
  const definitions: Schemas = { ...types, Json: {}, JsonObject: { type: "object" } };
  const names = Object.keys(definitions).sort();
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $id: "urn:attack-path-analysis:host-contract:1",
    title: "Host contract, protocol 1",
    description:
      "A host writes one Request to the standard input of the plugin, and reads Messages from its standard output, one a line.",
    anyOf: TYPES.map((type) => ({ $ref: `#/$defs/${type}` })),
    $defs: Object.fromEntries(names.map((name) => [name, inDefs(definitions[name]) as Schema])),
  };
}

/** The text of the published schema. */
export function hostContractFile(rootDir: string): Promise<string> {
  return formatted(rootDir, HOST_CONTRACT_PATH, JSON.stringify(hostContractSchema(rootDir)));
}

type Schemas = Record<string, Schema>;

/** The generator writes draft 7, which keeps its definitions elsewhere. */
function inDefs(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(inDefs);
  if (typeof schema !== "object" || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [
      key,
      key === "$ref" ? String(value).replace("#/definitions/", "#/$defs/") : inDefs(value),
    ]),
  );
}
