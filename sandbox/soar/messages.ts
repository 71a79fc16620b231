import { Ajv2020, type ErrorObject } from "ajv/dist/2020.js";
import type { Message } from "../../src/runtime/protocol.ts";

const text = { type: "string" };
const integer = { type: "integer" };
const object = { type: "object" };

/** The host contract's messages, protocol 1. Members that this host does not know pass: a newer plugin may send them. */
export const messageSchema = {
  type: "object",
  required: ["type"],
  properties: { type: { enum: ["log", "progress", "alert", "result"] } },
  discriminator: { propertyName: "type" },
  oneOf: [
    {
      properties: {
        type: { const: "log" },
        level: { enum: ["debug", "info", "warn", "error"] },
        message: text,
        fields: object,
      },
      required: ["level", "message"],
    },
    {
      properties: { type: { const: "progress" }, done: { type: "number" }, total: { type: "number" }, label: text },
      required: ["done", "total", "label"],
    },
    {
      properties: { type: { const: "alert" }, alert: { $ref: "#/$defs/alert" }, checkpoint: object },
      required: ["alert"],
    },
    {
      properties: {
        type: { const: "result" },
        status: { enum: ["completed", "partial", "in_progress", "failed"] },
        message: text,
        json: object,
        entities: { type: "array", items: { $ref: "#/$defs/entity" } },
        tables: { type: "array", items: { $ref: "#/$defs/table" } },
        insight: {
          type: "object",
          properties: { title: text, text, severity: { enum: ["info", "warning", "critical"] } },
          required: ["title", "text", "severity"],
        },
        checkpoint: object,
      },
      required: ["status", "message", "value"],
    },
  ],
  $defs: {
    entity: {
      type: "object",
      properties: {
        identifier: text,
        properties: { type: "object", additionalProperties: { type: ["string", "number", "boolean"] } },
      },
      required: ["identifier", "properties"],
    },
    table: {
      type: "object",
      properties: {
        title: text,
        columns: { type: "array", items: text },
        rows: { type: "array", items: { type: "array", items: { type: ["string", "number"] } } },
        note: text,
      },
      required: ["title", "columns", "rows"],
    },
    alert: {
      type: "object",
      properties: {
        id: { type: "string", minLength: 1 },
        name: text,
        severity: { enum: ["critical", "high", "moderate", "low", "unknown"] },
        priority: { enum: [100, 80, 60, 40, -1] },
        startTime: integer,
        endTime: integer,
        sourceGroupingIdentifier: text,
        environmentId: text,
        environmentName: text,
        findingType: text,
        title: text,
        description: text,
        product: text,
        vendor: text,
        tags: { type: "array", items: text },
        extensions: { type: "object", additionalProperties: text },
        events: {
          type: "array",
          items: { type: "object", additionalProperties: { type: ["string", "number", "boolean"] } },
        },
      },
      required: [
        "id",
        "name",
        "severity",
        "priority",
        "startTime",
        "endTime",
        "sourceGroupingIdentifier",
        "environmentId",
        "environmentName",
        "findingType",
        "title",
        "description",
        "product",
        "vendor",
        "tags",
        "extensions",
        "events",
      ],
    },
  },
};

/** A test checks the schema against the meta-schema, whose compilation would make each start of the host slower. */
const validate = new Ajv2020({
  discriminator: true,
  strictTypes: false,
  allowUnionTypes: true,
  validateSchema: false,
}).compile<Message>(messageSchema);

/**
 * One line of a plugin's standard output as a message.
 * @throws Error that says what is wrong with the line; nothing of its content is repeated.
 */
export function parseMessage(line: string): Message {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new Error("it wrote a line that is not JSON to its standard output");
  }
  if (!validate(value))
    throw new Error(`it wrote a message that breaks the contract: ${describe(validate.errors?.[0])}`);
  return value;
}

function describe(error: ErrorObject | undefined): string {
  return `${error?.instancePath === "" ? "the message" : (error?.instancePath ?? "")} ${error?.message ?? "is not valid"}`;
}
