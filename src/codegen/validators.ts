import { join } from "node:path";
import { Ajv } from "ajv";
import standaloneCode from "ajv/dist/standalone/index.js";
import type { Schema } from "ts-json-schema-generator";
import { replaceFile } from "../packaging/files.ts";
import { nullablesIn, WRAPPER } from "./nullables.ts";
import { validatorModules, type RecordTypes } from "./record-types.ts";
import { schemaGenerator } from "./schemas.ts";

const SCHEMA_ID = "records";
const HEADER = "// Written by src/codegen/validators.ts from the records of src/service.\n";

/**
 * Compiles a validator per record type of the service from its interface, so that a cold start neither loads nor runs
 * a schema compiler. Writes the modules of `validatorModules` into `outDir`; the same input gives the same bytes.
 */
export async function generateValidators(rootDir: string, outDir: string): Promise<void> {
  const schemas = recordSchemas(rootDir);
  const files = Object.entries(validatorModules).flatMap(([name, types]) => [
    replaceFile(join(outDir, `${name}.js`), HEADER + validatorCode(schemas, types)),
    replaceFile(join(outDir, `${name}.d.ts`), HEADER + declarations(name, types)),
  ]);
  await Promise.all(files);
}

function validatorCode(schemas: Record<string, Schema>, types: RecordTypes): string {
  const ajv = new Ajv({
    allErrors: true,
    strict: false,
    messages: false,
    code: { source: true, esm: true, optimize: 2 },
  });
  ajv.addSchema({ $id: SCHEMA_ID, definitions: schemas });
  const references = Object.keys(types).map(
    (type) => [validatorName(type), `${SCHEMA_ID}#/definitions/${type}`] as const,
  );
  // Each call compiles: ajv resolves references only to schemas it was asked for.
  for (const [, reference] of references) ajv.getSchema(reference);
  const nullables = Object.keys(types).map(
    (type) => `${validatorName(type)}.nullables = ${JSON.stringify(nullablesIn(schemas, type))};\n`,
  );
  return standaloneCode.default(ajv, Object.fromEntries(references)) + "\n" + nullables.join("");
}

/** JSON Schemas of all record types by type name, in the order of their names. */
function recordSchemas(rootDir: string): Record<string, Schema> {
  const generator = schemaGenerator(rootDir, "src/service/*/*.records.ts", { topRef: true, jsDoc: "none" });
  const definitions: Record<string, Schema> = {};
  for (const type of Object.values(validatorModules).flatMap(Object.keys)) {
    Object.assign(definitions, generator.createSchema(type).definitions);
  }
  return Object.fromEntries(
    Object.keys(definitions)
      .sort()
      // Wrappers are read before a record is validated.
      .map((type) => [type, WRAPPER.test(type) ? {} : (lenient(definitions[type]) as Schema)]),
  );
}

/** The service may leave every field out or send null for it: both mean that there is no value. */
function lenient(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(lenient);
  if (typeof schema !== "object" || schema === null) return schema;
  const kept = Object.entries(schema).filter(([key]) => key !== "required");
  return Object.fromEntries(
    kept.map(([key, value]) => [key, isTypeKeyword(key, value) ? [value, "null"].flat() : lenient(value)]),
  );
}

/** A property may be called `type` too; its value is a schema. */
function isTypeKeyword(key: string, value: unknown): boolean {
  return key === "type" && (typeof value === "string" || Array.isArray(value));
}

function declarations(module: string, types: RecordTypes): string {
  const imports = Object.entries(types).map(([type, file]) => `import type { ${type} } from "../service/${file}";\n`);
  const validators = Object.keys(types).map(
    (type) => `export declare const ${validatorName(type)}: Validator<${type}>;\n`,
  );
  const shared = module === "validators" ? INTERFACES : 'import type { Validator } from "./validators.js";\n\n';
  return imports.join("") + shared + validators.join("");
}

const INTERFACES = `import type { NullableFields } from "../service/responses/nullables.ts";

/** One value that does not fit; \`instancePath\` is a JSON pointer. */
export interface ValidationError {
  instancePath: string;
  keyword: string;
  params: { type?: string | string[] };
  /** For people; absent where nobody reads it. */
  message?: string;
}

/** Whether a value fits; afterwards \`errors\` lists everything that does not. */
export interface Validator<T> {
  (value: unknown): value is T;
  errors?: ValidationError[] | null;
  /** The fields that are declared as nullable wrappers. */
  nullables: NullableFields;
}

`;

/** WireFinding -> validateFinding */
function validatorName(type: string): string {
  return `validate${type.replace(/^Wire/, "")}`;
}
