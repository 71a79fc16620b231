import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Ajv, type AnySchemaObject } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import standaloneCode from "ajv/dist/standalone/index.js";
import type { Schema } from "ts-json-schema-generator";
import { loadManifest } from "../manifest/load.ts";
import type { Manifest } from "../manifest/manifest.ts";
import { replaceFile } from "../packaging/files.ts";
import { hostContractSchema, type HostContractSchema } from "./host-contract.ts";
import {
  ANSWERS_MODULE,
  answerValidators,
  contractValidators,
  HOST_CONTRACT_SOURCE,
  ownValidators,
  type OwnValidator,
} from "./record-types.ts";
import { schemaGenerator } from "./schemas.ts";

/**
 * Compiles the validators of what the plugin itself writes. Unlike in the service's records, nothing may be missing and nothing
 * may be null unless the interface, or the manifest, says so. Writes a module and its declarations for each.
 */
export async function generateOwnValidators(rootDir: string, outDir: string): Promise<void> {
  const write = async (module: string, source: string, code: string, declarations: string): Promise<void> => {
    const header = `// Written by src/codegen/own-validators.ts from ${source}.\n`;
    await replaceFile(join(outDir, `${module}.js`), header + code);
    await replaceFile(join(outDir, `${module}.d.ts`), header + declarations);
  };
  const manifest = loadManifest(await readFile(join(rootDir, MANIFEST), "utf8"));
  const contract = hostContractSchema(rootDir);
  await Promise.all([
    ...ownValidators.map((own) => write(own.module, own.source, ownCode(rootDir, own), ownDeclaration(own))),
    write(ANSWERS_MODULE, MANIFEST, answersCode(manifest), answersDeclaration()),
    ...Object.entries(contractValidators).map(([module, type]) =>
      write(
        module,
        HOST_CONTRACT_SOURCE,
        contractCode(contract, type),
        ownDeclaration({ type, source: HOST_CONTRACT_SOURCE }),
      ),
    ),
  ]);
}

const MANIFEST = "integration.json";

function answersCode({ actions }: Manifest): string {
  const ajv = new Ajv({ strict: false, messages: false, code: { source: true, esm: true, optimize: 2 } });
  const references = Object.entries(answerValidators).map(([name, { action, list }]) => {
    const schema = actions.find((declared) => declared.name === action)?.result.schema;
    ajv.addSchema(withoutDescriptions(schema) as AnySchemaObject, name);
    const reference = `${name}#/properties/${list}/items`;
    // Each call compiles: ajv resolves references only to schemas it was asked for.
    ajv.getSchema(reference);
    return [name, reference];
  });
  return standaloneCode.default(ajv, Object.fromEntries(references) as Record<string, string>);
}

function answersDeclaration(): string {
  const validators = Object.entries(answerValidators).map(
    ([name, { action, list }]) =>
      `export declare const ${name}: Validator<ActionResult<${JSON.stringify(action)}>[${JSON.stringify(list)}][number]>;\n`,
  );
  return `import type { ActionResult } from "../manifest/types.ts";
import type { Validator } from "./validators.js";

${validators.join("")}`;
}

/** A part of the schema that is published. */
function contractCode(contract: HostContractSchema, type: string): string {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, code: { source: true, esm: true, optimize: 2 } });
  ajv.addSchema(withoutDescriptions(contract) as AnySchemaObject);
  return standaloneCode.default(ajv, ajv.compile({ $ref: `${contract.$id}#/$defs/${type}` }));
}

function ownCode(rootDir: string, { type, source }: OwnValidator): string {
  const schema = schemaGenerator(rootDir, source, { type, jsDoc: "extended" }).createSchema(type);
  const ajv = new Ajv({ strict: false, messages: false, code: { source: true, esm: true, optimize: 2 } });
  return standaloneCode.default(ajv, ajv.compile(withoutDescriptions(withAnyJson(schema)) as AnySchemaObject));
}

function ownDeclaration({ type, source }: Pick<OwnValidator, "type" | "source">): string {
  return `import type { ${type} } from "../${source.slice("src/".length)}";
import type { Validator } from "./validators.js";

export declare const validate: Validator<${type}>;
`;
}

/** What is read from JSON is JSON, however deep it is. */
function withAnyJson(schema: Schema): Schema {
  return { ...schema, definitions: { ...schema.definitions, Json: {}, JsonObject: { type: "object" } } };
}

/** Descriptions are for readers of the interface; in the plugin they would only be loaded. */
function withoutDescriptions(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutDescriptions);
  if (typeof schema !== "object" || schema === null) return schema;
  const kept = Object.entries(schema).filter(([key, value]) => key !== "description" || typeof value !== "string");
  return Object.fromEntries(kept.map(([key, value]) => [key, withoutDescriptions(value)]));
}
