/**
 * A scenario is plain data: a tenant and how it changes, a host, what goes wrong and when, and when the host polls. The same
 * scenario always runs the same way, so it can be stored, made smaller and run again. Moments are milliseconds since the
 * scenario began, unless they say otherwise.
 */
export interface Scenario {
  seed: number;
  tenant: TenantPlan;
  environments: EnvironmentPlan[];
  findings: FindingPlan[];
  /** Each moves the time of the last complete analysis when it is over. */
  analyses: Span[];
  /** Analyses that do not come to their end: that time stays as it is. */
  brokenAnalyses?: Span[];
  /** When the tenant takes data in. */
  ingestions?: Span[];
  faults: Fault[];
  host: HostPlan;
  polls: PollPlan[];
}

/** From a moment, which belongs to it, to another, which does not. */
export type Span = [from: number, until: number];

/** Stands for the end of a span that never ends; JSON knows no infinity. */
export const FOREVER = 1e15;
/** Stands for the beginning of a span that began before the scenario. */
export const BEFORE = -1e15;

export interface TenantPlan {
  scheme: "svcsignature" | "bhesignature";
  /** Addresses of the texts end in `.md`. */
  markdownDocuments: boolean;
  /** Refuses a RequestDate that is more than an hour away from the service's clock. */
  checksRequestDate: boolean;
  /** Whether an id is used once in the tenant or once in each environment and finding type. */
  idsPerStream: boolean;
  /** Records in a page, at most, whatever is asked for. */
  pageCap: number | null;
  pageDefault: number;
  /**
   * What `details` counts: the records of the page, perhaps in these environments only, and which limit it says that it has granted; or
   * at most so many of the list.
   * Absent: all records of the list.
   */
  counts?: { of: "page"; limit: "asked" | "absent"; environments?: readonly string[] } | { of: "list"; most: number };
  /** Status of the endpoint, or 200 when the tenant offers it. */
  datapipe: 200 | 403 | 404;
  sparkline: "honest" | "empty" | 404;
  /** The sparkline shows an analysis so long after its end. */
  sparklineLagMs?: number;
  dateHeader: "exact" | "absent" | "unreadable";
  ignoresFilters: boolean;
  ignoresSorting: boolean;
  /** Columns of sort_by that are answered with 400. */
  refusesSorting: string[];
  /** A greater limit is answered with 400; null for any. */
  largestLimit: number | null;
  /** A smaller limit is answered with 400. */
  smallestLimit?: number;
  /** Status of the answer to a position past the end of a list of findings; an empty page when absent. */
  pastEnd?: 400 | 404;
  /** Answers 500 once a request has taken as long as its header Prefer allows. */
  endsLateRequests?: boolean;
  /** Errors name where they happened; the context is empty otherwise. */
  namesContexts?: boolean;
  /** Requests a second that its own answers announce, whatever it really takes. */
  announcedLimit?: number;
  /** Any filter is answered with 400. */
  refusesFilters: boolean;
  /** What `details` says of finding types that are not listed and of environments without data: "rows" when absent. */
  unlisted?: "rows" | "empty" | 404;
  /** An empty list is null. */
  nullForEmpty: boolean;
  /** Lists of environments and finding types come in pages of at most so many entries, with count, limit and skip. */
  listPages?: number;
  /** Optional routes that never answer well, in the quiet end either. */
  refuses?: RefusalPlan[];
  /** Requests are answered in turns by replicas that are so many milliseconds behind; in the quiet end by none of them. */
  replicas?: number[];
  /** What the line and the work of the service cost. */
  wire?: WirePlan;
  /** Texts of finding types: a plain text, wrapped in `data`, or absent. */
  documents: "text" | "json" | "absent";
  latency: [least: number, most: number];
  /** How far the service's clock is ahead of the true time, while it is wrong. */
  clock: ClockFault[];
}

/** What a plugin requests to save work or to describe a finding type; a probe asks `details` for one record and the count. */
export type OptionalRoute = "datapipe" | "sparkline" | "document" | "probe";

export interface RefusalPlan {
  route: OptionalRoute;
  how: 429 | 500 | 503 | "silence";
}

export interface WirePlan {
  /** Bytes a second that all responses share. */
  bytesPerSecond?: number;
  /** Each byte of a body counts so many times: large records without the time that it takes to parse them. */
  weight?: number;
  /** Milliseconds that the service works for each record of a page, before the head of the response. */
  workPerRecordMs?: number;
  /** What becomes of a page with more records than that. */
  largestPage?: { records: number; how: "request timed out" | "too large" };
}

export interface ClockFault {
  span: Span;
  /** From the beginning of the span on. */
  aheadMs: number;
  /** Parts per million by which the clock runs fast, or slow when negative, while the span lasts. */
  driftPpm?: number;
}

export interface EnvironmentPlan {
  id: string;
  name: string | null;
  kind: string;
  listed: Span[];
  collected: Span[];
  renames: { at: number; name: string }[];
  types: { name: string; listed: Span[] }[];
  /** Values that no environment should have. */
  odd?: EnvironmentOddity;
}

export type EnvironmentOddity =
  | "name is a number"
  | "exposures is a text"
  | "prototype property"
  /** In place of its own name. */
  | "name of a million characters";

export interface FindingPlan {
  /** Names the finding in the scenario; it never stands in an answer as it is. */
  key: string;
  environment: string;
  type: string;
  id: number | string | null;
  /** So many characters stand before the id, which makes it a text. */
  idPadding?: number;
  /** When the service dates it, by its own clock of that moment; or how its date is spoilt. */
  created: number | "zero" | "missing" | "number" | "garbage";
  /** How far beyond the service's clock it is dated. */
  future?: number;
  /** Below the millisecond. */
  nanoseconds?: number;
  /** When it can first be read. */
  visible: number;
  /** When it is gone, and whether its row stays with deleted_at. */
  deleted?: { at: number; rowStays: boolean; backAt?: number };
  accepted: Span[];
  /** What the service says, from a moment on. */
  severities: { at: number; severity: string | number | null }[];
  shape: "relationship" | "list";
  /** Key of a finding that exposes the same object, from another source. */
  target?: string;
  /** Key of an earlier finding with the same principals, which an analysis replaces by this one under another id. */
  sameAs?: string;
  /** An analysis dates it anew, by the service's clock of that moment. */
  redated?: { at: number; created: number }[];
  /** How its deleted_at looks while it is not deleted, or what stands beside it once it is. */
  nullable?: NullableShape;
  odd?: FindingOddity;
}

/** Of a deleted_at that deletes nothing. */
export type NullableShape =
  | "absent"
  | "null"
  | "empty"
  | "capitals"
  | "more fields"
  | "no valid"
  | "valid is a text"
  | "valid is a number"
  | "text"
  | "number"
  | "list"
  | "false";

export type FindingOddity =
  | "lone surrogates"
  | "prototype properties"
  | "constructor properties"
  | "huge name"
  | "names of a million characters"
  | "numbers as text"
  | "wrong types"
  | "deep properties"
  | "control characters";

export type Endpoint = "environments" | "types" | "details" | "sparkline" | "document" | "datapipe";

/** Where a fault strikes; what is left out is no restriction. */
export interface Place {
  endpoint?: Endpoint;
  environment?: string;
  type?: string;
  /** Only requests for one record and the count. */
  probe?: true;
}

export interface Fault {
  span: Span;
  /** Strikes at most so many requests. */
  times?: number;
  place: Place;
  what: Misbehaviour;
}

export type Misbehaviour =
  | { kind: "status"; status: number; body: "json" | "html" | "text" | "empty" }
  | { kind: "rate limit"; body: "json" | "text"; retryAfter: string | null }
  | { kind: "drop"; code: string }
  | { kind: "broken body" }
  | { kind: "hang"; head: boolean }
  | { kind: "slow"; ms: number }
  /** The head comes at once, and the body in so many pieces over this time. */
  | { kind: "slow body"; ms: number; pieces: number }
  | { kind: "truncated" }
  | { kind: "web page" }
  | { kind: "body"; text: string }
  | { kind: "count"; lie: "small" | "big" | "missing" | "null" | "text" | "zero" | "negative" }
  | { kind: "null data" }
  | { kind: "empty page" }
  | { kind: "repeated page" }
  | { kind: "duplicates" }
  | { kind: "unstable order" }
  | { kind: "page cap"; cap: number }
  | { kind: "odd entries" }
  /** The first entries of a list of environments or finding types, whatever skip says, and the count of all. */
  | { kind: "cut list"; size: number }
  /** All but the first entries of a list of finding types are missing, and nothing in the answer says so. */
  | { kind: "short list"; size: number }
  /** A cache that ignores part of the query: rows of another finding type or environment. */
  | { kind: "other question"; of: "type" | "environment" }
  /** Bytes that are no plain UTF-8, as a decoder for UTF-8 leaves them. */
  | { kind: "encoding"; how: "byte order mark" | "utf-16" | "compressed" }
  /** The body drips in at this pace, to its end. */
  | { kind: "trickle"; bytesPerSecond: number }
  | { kind: "wrong date header"; value: string | null };

export interface HostPlan {
  /**
   * atomic: alert and patch in one transaction. late patch: the alert first, its patch before the next message, never when
   * the run is killed in between. late checkpoint: alerts at once, the state only with the result. All keep an alert id once.
   */
  kind: "atomic" | "late patch" | "late checkpoint";
  /** How far its clock is ahead of the true time. */
  aheadMs: number;
  clock: ClockFault[];
  /** Its clock goes wrong during a run, too, and not only between two runs. */
  movesInRuns?: boolean;
  /** Characters that the plugin's state may take; absent for as many as it takes by itself. */
  stateCharacters?: number;
}

export interface PollPlan {
  at: number;
  /** Milliseconds that the run has; the host kills it then. */
  deadlineMs: number | null;
  maxAlerts: number | null;
  maxEventsPerAlert: number | null;
  environments: string[] | null;
  types: string[] | null;
  kill: { afterMessages: number } | { afterMs: number } | null;
  /** The host asks the run to end, as SIGTERM does. */
  stopAfterMs?: number;
  /** What the host hands over as the state. */
  memory: Memory;
  /** Milliseconds that the host takes for each message. */
  hostMs: number;
  /** The host leaves some alerts for the next run; the seed decides which. */
  leaves?: { percent: number; seed: number };
  /** The host starts another run so long after this one, whether it has ended or not; the host contract forbids that. */
  overlapAfterMs?: number;
}

export type Memory =
  | { kind: "kept" }
  | { kind: "lost" }
  /** The state of so many checkpoints ago. */
  | { kind: "stale"; back: number }
  /** Damaged in a way that the seed decides. */
  | { kind: "damaged"; how: "junk" | "truncated" | "field"; seed: number };
