import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Ajv } from "ajv";
import standaloneCode from "ajv/dist/standalone/index.js";
import { createGenerator, type Schema } from "ts-json-schema-generator";

/** The records that are checked as they arrive: type name and the file of src/service/records that declares it. */
const roots = {
  WireEnvironment: "environments",
  WireFinding: "findings",
  WireSparklinePoint: "findings",
  WireSearchResult: "search",
  WirePathGraph: "path-graph",
  WireEntity: "entities",
  WireAzureRelated: "azure-entities",
  MetaTreeNode: "meta-tree",
  MetaTreeEdge: "meta-tree",
  WireSamlProvider: "saml",
  WireUser: "users",
  WireClientTask: "client-tasks",
  ErrorWrapper: "error-wrapper",
} as const;

const SCHEMA_ID = "records";
const HEADER = "// Written by src/targets/generate/validators.ts from the interfaces in src/service/records.\n";

/**
 * Compiles a validator per record type of the service from its interface, so that a cold start neither loads nor runs
 * a schema compiler. Writes `validators.js` and `validators.d.ts` into `outDir`; the same input gives the same bytes.
 */
export async function generateValidators(rootDir: string, outDir: string): Promise<void> {
  await Promise.all([
    writeFile(join(outDir, "validators.js"), HEADER + validatorCode(rootDir)),
    writeFile(join(outDir, "validators.d.ts"), HEADER + declarations()),
  ]);
}

function validatorCode(rootDir: string): string {
  const ajv = new Ajv({
    allErrors: true,
    strict: false,
    messages: false,
    code: { source: true, esm: true, optimize: 2 },
  });
  ajv.addSchema({ $id: SCHEMA_ID, definitions: recordSchemas(rootDir) });
  const references = Object.keys(roots).map(
    (type) => [validatorName(type), `${SCHEMA_ID}#/definitions/${type}`] as const,
  );
  // Each call compiles: ajv resolves references only to schemas it was asked for.
  for (const [, reference] of references) ajv.getSchema(reference);
  return standaloneCode.default(ajv, Object.fromEntries(references));
}

/** JSON Schemas of all record types by type name, in the order of their names. */
function recordSchemas(rootDir: string): Record<string, Schema> {
  const generator = createGenerator({
    path: join(rootDir, "src/service/records/*.ts"),
    tsconfig: join(rootDir, "tsconfig.json"),
    skipTypeCheck: true,
    additionalProperties: true,
    topRef: true,
    jsDoc: "none",
    sortProps: true,
  });
  const definitions: Record<string, Schema> = {};
  for (const type of Object.keys(roots)) Object.assign(definitions, generator.createSchema(type).definitions);
  return Object.fromEntries(
    Object.keys(definitions)
      .sort()
      .map((type) => [type, lenient(definitions[type]) as Schema]),
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

function declarations(): string {
  const imports = Object.entries(roots).map(
    ([type, file]) => `import type { ${type} } from "../service/records/${file}.ts";\n`,
  );
  const validators = Object.keys(roots).map(
    (type) => `export declare const ${validatorName(type)}: Validator<${type}>;\n`,
  );
  return `${imports.join("")}
/** One value that does not fit; \`instancePath\` is a JSON pointer. */
export interface ValidationError {
  instancePath: string;
  keyword: string;
  params: { type?: string | string[] };
}

/** Tells whether a value fits; afterwards \`errors\` lists everything that does not. */
export interface Validator<T> {
  (value: unknown): value is T;
  errors?: ValidationError[] | null;
}

${validators.join("")}`;
}

/** WireFinding -> validateFinding */
function validatorName(type: string): string {
  return `validate${type.replace(/^Wire/, "")}`;
}
