import type { DatasetOptions } from "./dataset/uniform.ts";
import type { DocumentKind } from "./dataset/catalogue.ts";
import type { Dataset } from "./dataset/dataset.ts";
import type { Fault } from "./faults.ts";
import type { RequestRecord } from "./records.ts";
import type { WireFinding } from "./wire.ts";

export type SpokenDialect = "standard" | "bloodhound-enterprise";

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
  /** Requests per client address in a window of one second, as the service counts. */
  perSecond: number;
  /** Milliseconds of another window, for a test that must not depend on how fast the machine is. */
  windowMs?: number;
  /** "text": body `Limit exceeded` and X-RateLimit-* headers. "json": the error wrapper and X-Rate-Limit-* headers. */
  style?: "text" | "json";
  /** Adds Retry-After, as a gateway in front may do. */
  retryAfter?: boolean;
}

export interface TenantClock {
  now(): number;
  /** How long slow answers take; without it they take the time of this machine. */
  sleep?(ms: number): Promise<void>;
}

export interface TenantOptions {
  /** 0, the default, takes any free port of the loopback address. */
  port?: number;
  dialect?: SpokenDialect;
  dataset?: DatasetOptions | Dataset;
  /** Offers `datapipe/status`; default: only in the dialect bloodhound-enterprise. */
  analysisStatus?: boolean;
  /** Added to every answer. */
  latencyMs?: number;
  rateLimit?: RateLimitOptions | null;
  /** Default: the clock of this machine. */
  clock?: TenantClock;
  /** How far the tenant's clock is ahead of `clock`. */
  clockSkewMs?: number;
  /** false: answers have no Date header, which otherwise gives the tenant's time; default true. */
  dateHeader?: boolean;
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
  /** Refuses a larger `limit` (400) instead of granting less; default false. */
  rejectLargeLimits?: boolean;
  /** Columns that `details` sorts by; another one is a 400. Default: those of the API document. */
  sortableColumns?: readonly string[];
  /** false: `details` takes `sort_by` and keeps its own order; default true. */
  honourSorting?: boolean;
  /** Order of `details` where `sort_by` does not say another; default "id". */
  unsortedOrder?: "id" | "scattered";
  /** false: `details` passes over created_at, updated_at and id filters; default true. */
  honourFilters?: boolean;
  /** Finding documents as text/markdown or as `{"data": "…"}`; default "markdown". */
  documentFormat?: "markdown" | "json";
}

/** Overrides of a generated finding; a field set to undefined is left out of the record, any other value stands as given. */
export type FindingOverrides = Record<string, unknown>;

export interface AnalysisOptions {
  /** New findings (their number, or overrides) per finding type, or for each type; default 1 each for three of the types. */
  findings?: number | Record<string, FindingOverrides[] | number>;
  /** RFC 3339 instant that the new findings share; default: the tenant's time. */
  createdAt?: string;
  /** false: adds the findings without a sparkline point, so that only `datapipe/status` shows the analysis; default true. */
  sparkline?: boolean;
  /** Sets `updated_at` of the findings that were there before; default false. */
  touch?: boolean;
  /** Gives every finding of the environment a new id, as a service that rebuilds its table would; default false. */
  renumber?: boolean;
}

/** Changes the tenant while it runs: its data, its clock, its tokens, its behaviour. */
export interface TenantControl {
  /**
   * Adds findings to a pair (made when missing) and returns them as they will be served. They are visible at once; an
   * override of `created_at` dates them back, ahead, or leaves them without a time.
   */
  addFindings(environmentId: string, findingType: string, records: FindingOverrides[] | number): WireFinding[];
  /** Accepts the risk of a finding; says whether there was such a finding. */
  acceptFinding(environmentId: string, findingType: string, id: number, until?: string): boolean;
  /** Marks a finding as deleted; it is still served. */
  deleteFinding(environmentId: string, findingType: string, id: number): boolean;
  /** Takes a finding away, as if it had never been. */
  removeFinding(environmentId: string, findingType: string, id: number): boolean;
  /** The same, and what joined the principals of the finding in the graph is gone, too. */
  remediateFinding(environmentId: string, findingType: string, id: number): boolean;
  /** The finding that was remediated under this id is there again, with a new id and date. */
  bringFindingBack(environmentId: string, findingType: string, id: number): boolean;
  /** Findings that were remediated and not brought back. */
  remediated(): { environmentId: string; findingType: string; finding: WireFinding }[];
  /** So many days pass without a collection: the service forgets what rests on sessions after 3, everything after 7. */
  stopCollector(environmentId: string, days: number): void;
  addFindingType(environmentId: string, findingType: string): void;
  removeFindingType(environmentId: string, findingType: string): void;
  /** A whole analysis of an environment, or the end of the one that is running; returns the added findings. */
  analyse(environmentId: string, options?: AnalysisOptions): WireFinding[];
  /** An analysis starts: `datapipe/status` says analyzing until `endAnalysis` or `analyse`. */
  beginAnalysis(): void;
  /** The analysis is complete; findings that it found are added with `addFindings` before. */
  endAnalysis(): void;
  /** Whether the tenant offers `datapipe/status`; otherwise it is a 404. */
  setAnalysisStatus(offered: boolean): void;
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
  /** Lets time pass for the service and its data. Clients need not have seen it pass: their signatures are good. */
  passTime(milliseconds: number): void;
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
