import type { DatasetOptions } from "./dataset/build.ts";
import type { DocumentKind } from "./dataset/catalogue.ts";
import type { Dataset } from "./dataset/dataset.ts";
import type { Fault } from "./faults.ts";
import type { RequestRecord } from "./records.ts";
import type { WireFinding } from "./wire.ts";

export type TenantDialect = "standard" | "bloodhound-enterprise";

export interface TenantToken {
  /** A UUID. */
  id: string;
  key: string;
  /** Environment ids whose data this token may not read (403); the environments are still listed. */
  forbiddenEnvironments?: string[];
  /** The token belongs to a disabled user (403 on every request). */
  disabled?: boolean;
}

export interface TenantJwt {
  token: string;
  /** Epoch milliseconds; without it the token never expires. */
  expiresAt?: number;
}

export interface RateLimitOptions {
  /** Requests per client address in a window of one second. */
  perSecond: number;
  /** "text": body `Limit exceeded` and X-RateLimit-* headers. "json": the error wrapper and X-Rate-Limit-* headers. */
  style?: "text" | "json";
  /** Adds Retry-After, as a gateway in front may do. */
  retryAfter?: boolean;
}

export interface TenantOptions {
  /** 0, the default, takes any free port of the loopback address. */
  port?: number;
  dialect?: TenantDialect;
  dataset?: DatasetOptions | Dataset;
  /** Added to every answer. */
  latencyMs?: number;
  rateLimit?: RateLimitOptions | null;
  clock?: { now(): number };
  /** How far the tenant's clock is ahead of `clock`. */
  clockSkewMs?: number;
  /** The first one is `tenant.tokenId` and `tenant.tokenKey`; without any, a random one is made. */
  tokens?: TenantToken[];
  jwts?: TenantJwt[];
  /** API keys are disabled on the tenant: every signed request is a 401. */
  apiKeysDisabled?: boolean;
  tls?: { key: string; cert: string };
  /** A path in front of /api/v2, as a reverse proxy may add; signatures cover it. */
  pathPrefix?: string;
  /** Page size of `details` without `limit`; default 10. */
  defaultPageSize?: number;
  /** Largest page that `details` grants, and what `limit=0` means; default 1000. */
  maxPageSize?: number;
  /** Order of `details` without `sort_by`; default "id". */
  unsortedOrder?: "id" | "scattered";
  /** false: `details` passes over created_at, updated_at and id filters; default true. */
  honourFilters?: boolean;
  /** Finding documents as text/markdown or as `{"data": "…"}`; default "markdown". */
  documentFormat?: "markdown" | "json";
}

/** Overrides of a generated finding; a field set to undefined is left out of the record, any other value stands as given. */
export type FindingOverrides = Record<string, unknown>;

export interface AnalysisOptions {
  /** New findings per finding type, or for each type of the environment; default 1 each for three of the types. */
  findings?: number | Record<string, number>;
  /** RFC 3339 instant that the new findings share; default: the tenant's time. */
  createdAt?: string;
  /** false: adds the findings without a sparkline point, so that the analysis cannot be noticed; default true. */
  sparkline?: boolean;
  /** Sets `updated_at` of the findings that were there before; default false. */
  touch?: boolean;
  /** Gives every finding of the environment a new id, as a service that rebuilds its table would; default false. */
  renumber?: boolean;
}

/** Changes the tenant while it runs: its data, its clock, its tokens, its behaviour. */
export interface TenantControl {
  /** Adds findings to a pair (made when missing) and returns them as they will be served. */
  addFindings(environmentId: string, findingType: string, records: FindingOverrides[] | number): WireFinding[];
  /** Says whether there was such a finding. */
  removeFinding(environmentId: string, findingType: string, id: number): boolean;
  addFindingType(environmentId: string, findingType: string): void;
  removeFindingType(environmentId: string, findingType: string): void;
  /** A new analysis of an environment; returns the added findings. */
  analyse(environmentId: string, options?: AnalysisOptions): WireFinding[];
  renameEnvironment(environmentId: string, name: string): void;
  removeEnvironment(environmentId: string): void;
  /** null removes the document, so that it is a 404. */
  setDocument(findingType: string, kind: DocumentKind, text: string | null): void;
  forbid(environmentId: string, tokenId?: string): void;
  allow(environmentId: string, tokenId?: string): void;
  /** A JWT of this tenant, valid until `expiresAt` (epoch milliseconds). */
  issueJwt(expiresAt?: number): string;
  fault(fault: Fault): void;
  clearFaults(): void;
  setLatency(milliseconds: number): void;
  setRateLimit(limit: RateLimitOptions | null): void;
  /** Sets how far the tenant's clock is ahead. */
  skewClock(milliseconds: number): void;
  /** Closes the listener and destroys every connection: the client sees ECONNRESET, then ECONNREFUSED. */
  goAway(): Promise<void>;
  /** Listens on the same port again. */
  comeBack(): Promise<void>;
}

export interface Tenant {
  /** For example http://127.0.0.1:41234, with the path prefix when there is one. */
  readonly url: string;
  readonly port: number;
  readonly tokenId: string;
  readonly tokenKey: string;
  readonly data: Dataset;
  readonly control: TenantControl;
  /** Every request that arrived, in order. */
  readonly requests: readonly RequestRecord[];
  /** Connections accepted since the start. */
  readonly connections: number;
  /** Bytes over all connections, headers included. */
  readonly traffic: { readonly received: number; readonly sent: number };
  close(): Promise<void>;
}
