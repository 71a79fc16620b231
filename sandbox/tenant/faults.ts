import type { TenantControl } from "./contract.ts";

/** What a fault looks at. `path` is decoded, without the query and without the tenant's path prefix. */
export interface FaultRequest {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: Record<string, string | string[] | undefined>;
}

export type FaultEffect =
  /** An answer with this status. "json" is the error wrapper (`message` stands in it), "html" a gateway's page. */
  | {
      kind: "status";
      status: number;
      body?: "json" | "html" | "text" | "empty";
      message?: string;
      headers?: Record<string, string>;
    }
  /** The connection is destroyed: before anything is sent, or after half of the body. */
  | { kind: "drop"; at?: "before" | "mid-body" }
  /** Nothing more is sent: not even headers, or headers and half of the body. Ends when the client goes. */
  | { kind: "stall"; at?: "before" | "mid-body" }
  /** The true answer, later. Beyond the time of `Prefer: wait`, the service's own timeout (500). */
  | { kind: "slow"; milliseconds: number }
  | { kind: "redirect"; location: string; status?: number }
  /** Half of the true body, with a Content-Length that fits the half. */
  | { kind: "truncate" }
  /** A page of HTML with status 200. */
  | { kind: "html" }
  /** The true answer with `"data": null`. */
  | { kind: "null-data" }
  /** The true answer with an empty `data`, its `count` unchanged. */
  | { kind: "empty-page" }
  /** The true answer with these items at the end of `data`: finding types that are no texts, records that are no objects. */
  | { kind: "more-items"; items: readonly unknown[] }
  /** The true answer with a `count` that is so much larger, or smaller when negative; null leaves `count` out. */
  | { kind: "wrong-count"; by: number | null }
  /** `size` entries of the true list at most, from `skip` on, and its length as `count`: for lists that come in one piece. */
  | { kind: "paged"; size: number }
  /** The first `size` entries of the true list whatever the query says, and its length as `count`. */
  | { kind: "cut-list"; size: number }
  /** The page that begins at `skip`, under the `skip` that was asked for: a page that comes twice, or is left out. */
  | { kind: "wrong-page"; skip: number }
  /** Any change of the true body. */
  | { kind: "body"; transform: (body: string, request: FaultRequest) => string | Buffer; status?: number }
  /** Runs before the true answer is made: a finding removed between two pages, a tenant that goes away. */
  | { kind: "run"; run: (control: TenantControl, request: FaultRequest) => void | Promise<void> };

/** A fault and the requests it is for. Everything that is given must match. */
export interface Fault {
  /** Regular expression on the path; a text is the source of one. */
  path?: RegExp | string;
  method?: string;
  /** Query parameters that must have these values. */
  query?: Record<string, string | RegExp>;
  when?: (request: FaultRequest) => boolean;
  /** First matching request that is hit, counted from 1; default 1. */
  from?: number;
  /** How many matching requests are hit; default: all from there on. */
  times?: number;
  effect: FaultEffect;
}
