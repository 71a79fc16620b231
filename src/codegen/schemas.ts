import { join } from "node:path";
import { type Config, createGenerator, type SchemaGenerator } from "ts-json-schema-generator";

/**
 * Makes JSON Schemas of exported types. Members that they do not name are allowed. The types of Node.js and Jest are left out: no interface
 * uses them, and reading them takes most of the time.
 *
 * @param path - the file that declares the types, or a pattern, relative to the project
 */
export function schemaGenerator(rootDir: string, path: string, options: Config): SchemaGenerator {
  return createGenerator({
    path: join(rootDir, path),
    tsconfig: join(rootDir, "src/codegen/schemas.tsconfig.json"),
    skipTypeCheck: true,
    additionalProperties: true,
    sortProps: true,
    ...options,
  });
}
