import { expect, it } from "@jest/globals";
import { Ajv2020 } from "ajv/dist/2020.js";
import { messageSchema } from "../../../sandbox/soar/messages.ts";

// The host compiles it without the meta-schema.
it("the schema of a message is a valid JSON Schema", () => {
  expect(new Ajv2020().validateSchema(messageSchema)).toBe(true);
});
