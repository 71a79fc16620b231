import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Ajv, type AnySchemaObject } from "ajv";
import standaloneCode from "ajv/dist/standalone/index.js";
import { createGenerator } from "ts-json-schema-generator";

const SOURCE = "src/ingestion/state/state.ts";
const HEADER = `// Written by src/codegen/state-validator.ts from ${SOURCE}.\n`;

/**
 * Compiles the validator of the connector's state from its interface. Unlike the service's records the state is the
 * plugin's own, so nothing may be missing and nothing may be null. Writes `state-validator.js` and its declarations.
 */
export async function generateStateValidator(rootDir: string, outDir: string): Promise<void> {
  const schema = createGenerator({
    path: join(rootDir, SOURCE),
    tsconfig: join(rootDir, "tsconfig.json"),
    type: "ConnectorState",
    skipTypeCheck: true,
    additionalProperties: true,
    jsDoc: "extended",
    sortProps: true,
  }).createSchema("ConnectorState");
  const ajv = new Ajv({
    strict: false,
    messages: false,

    code: { source: true, esm: true, optimize: 2 },
  });
  const code = standaloneCode.default(ajv, ajv.compile(withoutDescriptions(schema) as AnySchemaObject));
  const declaration = `import type { ConnectorState } from "../ingestion/state/state.ts";
import type { Validator } from "./validators.js";

export declare const validate: Validator<ConnectorState>;
`;
  await Promise.all([
    writeFile(join(outDir, "state-validator.js"), HEADER + code),
    writeFile(join(outDir, "state-validator.d.ts"), HEADER + declaration),
  ]);
}

/** Descriptions are for readers of the interface; in the plugin they would only be loaded. */
function withoutDescriptions(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutDescriptions);
  if (typeof schema !== "object" || schema === null) return schema;
  const kept = Object.entries(schema).filter(([key, value]) => key !== "description" || typeof value !== "string");
  return Object.fromEntries(kept.map(([key, value]) => [key, withoutDescriptions(value)]));
}
