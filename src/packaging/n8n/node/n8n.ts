import type { Readable } from "node:stream";
import type { Json, JsonObject } from "../../../runtime/protocol.ts";

/*
 * The part of n8n's interfaces that the nodes use. n8n-workflow itself has types for all of it, under a licence that does not allow us to
 * pass it on. Nothing of it is needed to build or to test.
 */

/** One item that goes from node to node. */
export interface Item {
  json: JsonObject;
  /** The input item that it was made from. */
  pairedItem?: { item: number };
}

/** A node of a workflow, as errors name it. */
export interface WorkflowNode {
  readonly id: string;
  readonly name: string;
}

/** Options of the request helper that every node has. */
export interface HttpRequestOptions {
  method?: string;
  url: string;
  headers?: Record<string, string>;
  encoding?: "stream";
  json?: boolean;
  returnFullResponse?: boolean;
  ignoreHttpStatusErrors?: boolean;
  disableFollowRedirect?: boolean;
  abortSignal?: AbortSignal;
}

/** Options of the older request helper, the only one that the test of a credential has. */
export interface LegacyRequestOptions {
  method?: string;
  uri: string;
  headers?: Record<string, string>;
  encoding?: null;
  useStream?: boolean;
  gzip?: boolean;
  json?: boolean;
  resolveWithFullResponse?: boolean;
  simple?: boolean;
  followRedirect?: boolean;
}

/** What both helpers resolve with when they are asked for the whole response as a stream. */
export interface StreamedResponse {
  statusCode: number;
  headers: Record<string, unknown>;
  body: Readable;
}

/** A request that a credential authenticates: that of the older helper has `uri`, that of the newer one has `url`. */
export interface AuthenticatedRequest {
  method?: string;
  url?: string;
  uri?: string;
  baseURL?: string;
  qs?: Record<string, unknown>;
  body?: unknown;
  headers?: Record<string, unknown>;
  json?: boolean;
  [option: string]: unknown;
}

/** Decrypted fields of a credential, by the name of the property. */
export type CredentialData = Readonly<Record<string, unknown>>;

interface Logger {
  warn(message: string, fields?: object): void;
  error(message: string, fields?: object): void;
}

/** What n8n gives the functions of every node. */
export interface NodeFunctions {
  getNode(): WorkflowNode;
  getExecutionId?(): string | undefined;
  getCredentials(name: string): Promise<CredentialData>;
  readonly logger: Logger;
  readonly helpers: { httpRequest(options: HttpRequestOptions): Promise<unknown> };
}

/** What n8n gives `execute`. */
export interface ExecuteFunctions extends NodeFunctions {
  getInputData(): readonly Item[];
  getNodeParameter(name: string, itemIndex: number, fallback?: unknown): unknown;
  continueOnFail(): boolean;
  /** Aborts when the execution is cancelled, or exceeds the timeout of its workflow. */
  getExecutionCancelSignal?(): AbortSignal | undefined;
}

/** What n8n gives `poll`. */
export interface PollFunctions extends NodeFunctions {
  getNodeParameter(name: string, fallback?: unknown): unknown;
  /** `manual` while somebody tries the trigger in the editor. */
  getMode(): string;
  getWorkflow(): { readonly id: string; readonly name?: string | undefined };
  /** Milliseconds after which n8n drops what the poll returns; absent in older versions. */
  getPollBudgetMs?(): number;
  /** What n8n keeps for the node until the next poll. */
  getWorkflowStaticData(type: "node"): Record<string, Json>;
}

/** What n8n gives the test of a credential. */
export interface CredentialTestFunctions {
  readonly helpers: { request(options: LegacyRequestOptions): Promise<unknown> };
}

/** Shown under a failed node: the message as the title, and the description below it. */
interface ErrorOptions {
  message?: string;
  description?: string;
  httpCode?: string;
  itemIndex?: number;
}

/** The errors of n8n that its screens know how to show. */
export interface NodeErrors {
  /** The service, or the way to it, failed. */
  readonly NodeApiError: new (node: WorkflowNode, response: JsonObject, options: ErrorOptions) => Error;
  /** The settings of the node or its input cannot be used. */
  readonly NodeOperationError: new (node: WorkflowNode, message: string, options: ErrorOptions) => Error;
}

/** A field on the screen of a node or of a credential. */
export interface Property {
  displayName: string;
  name: string;
  type: "string" | "number" | "boolean" | "options" | "collection" | "json";
  default: string | number | boolean | object;
  description?: string;
  required?: boolean;
  noDataExpression?: boolean;
  placeholder?: string;
  typeOptions?: Record<string, unknown>;
  options?: readonly object[];
  displayOptions?: { show: Record<string, readonly string[]> };
}

/** The node as n8n lists and shows it. */
export interface NodeDescription {
  displayName: string;
  name: string;
  icon: string;
  group: readonly string[];
  version: number;
  description: string;
  defaults: { name: string };
  inputs: readonly string[];
  outputs: readonly string[] | string;
  outputNames?: readonly string[];
  credentials: readonly object[];
  properties: readonly Property[];
  subtitle?: string;
  polling?: boolean;
  usableAsTool?: boolean;
}
