import { validate } from "../../../src/generated/message-validator.js";
import type { Message } from "../../../src/runtime/protocol.ts";

/**
 * One line of a plugin's standard output as a message. Members that this host does not know pass: a newer plugin may send them.
 *
 * @throws Error that says what is wrong with the line; nothing of its content is repeated.
 */
export function parseMessage(line: string): Message {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new Error("it wrote a line that is not JSON to its standard output");
  }
  if (validate(value)) return value;
  const error = validate.errors?.[0];
  const place = error === undefined || error.instancePath === "" ? "the message" : error.instancePath;
  throw new Error(`it wrote a message that breaks the contract: ${place} ${error?.message ?? "is not valid"}`);
}
