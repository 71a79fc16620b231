import type { Logger } from "../logger.ts";

/** An API token, whose key signs each request, or a JWT bearer token. */
export type ClientCredentials =
  | { readonly tokenId: string; readonly tokenKey: string }
  | { readonly bearerToken: string };

export interface ClientOptions {
  /** Address of the tenant, such as `https://tenant.example.com`. */
  readonly server: string;
  readonly credentials: ClientCredentials;
  /** Ends every call. */
  readonly signal?: AbortSignal;
  /** How long the service may work on one request: the header `Prefer: wait`. Default 30; Infinity for no limit. */
  readonly requestTimeoutSeconds?: number;
  /** Default 53. The service allows 55 for each client address. */
  readonly requestsPerSecond?: number;
  /** Requests at a time; default 8. */
  readonly concurrentRequests?: number;
  /** Gets a message for each request and for values that were ignored; default: none. */
  readonly logger?: Logger;
}

/** What every method takes last. */
export interface CallOptions {
  /** Ends the call, which then rejects with an AbortedError; its `cause` is the reason of the signal. */
  readonly signal?: AbortSignal;
}

export interface FindingsRequest {
  readonly environmentId: string;
  readonly findingType: string;
  /** RFC 3339 instant in UTC (`Z`), inclusive. */
  readonly createdFrom?: string;
}

export interface AllFindingsRequest {
  /** RFC 3339 instant in UTC (`Z`), inclusive. */
  readonly createdFrom?: string;
}

export interface TrendRequest {
  readonly environmentId: string;
  readonly findingType: string;
  /** RFC 3339 instant in UTC (`Z`); default: 30 days ago. */
  readonly from?: string;
  /** RFC 3339 instant in UTC (`Z`); default: now. */
  readonly to?: string;
}
