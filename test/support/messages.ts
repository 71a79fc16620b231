import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type AnySchemaObject, Ajv2020 } from "ajv/dist/2020.js";
import { HOST_CONTRACT_PATH } from "../../src/codegen/record-types.ts";
import type { Message } from "../../src/runtime/protocol.ts";

const rootDir = join(import.meta.dirname, "../..");
const schema = JSON.parse(readFileSync(join(rootDir, HOST_CONTRACT_PATH), "utf8")) as AnySchemaObject & { $id: string };
const ajv = new Ajv2020({ strict: false, validateFormats: false, validateSchema: false });
ajv.addSchema(schema);
const validate = ajv.compile<Message>({ $ref: `${schema.$id}#/$defs/Message` });

/**
 * One line of the plugin's standard output.
 *
 * @throws Error when it does not fit the published schema of the host contract
 */
export function messageIn(line: string): Message {
  const value: unknown = JSON.parse(line);
  if (validate(value)) return value;
  throw new Error(`This message does not fit the host contract (${ajv.errorsText(validate.errors)}): ${line}`);
}
