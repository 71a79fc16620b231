import type { Deadline } from "../../deadline.ts";
import type { Logger } from "../../logger.ts";

/** A JSON Schema of an object. */
export type ObjectSchema = Readonly<{ type: "object"; [keyword: string]: unknown }>;

/** Of an object that says which fields it has. */
export type FieldsSchema = ObjectSchema &
  Readonly<{ properties: Readonly<Record<string, unknown>>; required: readonly string[] }>;

/** What a call of a tool works with. */
export interface ToolCall {
  readonly args: Readonly<Record<string, unknown>>;
  /** Ends when the assistant cancels the call, or when the server stops. */
  readonly deadline: Deadline;
  readonly log: Logger;
  /** Says what is being done; call it as often as you like. */
  readonly progress: (text: string) => void;
}

/** What a tool found out. */
export interface ToolResult {
  /** Whether the question was answered. */
  readonly isError: boolean;
  /** JSON, as the tool's `result` describes it, besides what every answer has. */
  readonly data: Readonly<Record<string, unknown>>;
}

/** A tool of the server. Every tool only reads. */
export interface Tool {
  /** Letters, digits and underscores. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: ObjectSchema;
  /** Describes `ToolResult.data`. */
  readonly output: FieldsSchema;
  /**
   * Rejects with a readable error when the arguments cannot be used or the service could not answer; its message becomes the answer.
   */
  call(call: ToolCall): Promise<ToolResult>;
}
