import { LARGEST_PAGE } from "../../service/lists/page-size.ts";
import type { ConnectorState, NextStart, RefusedRate, RefusedRoute, StoredDescription } from "./state.ts";

/** The state without what is known of environments and their streams. */
export type TenantState = Omit<ConnectorState, "environments" | "types">;

/** What a run has learned of the tenant's rate limit. */
export interface LearnedRate {
  /** Requests a second; null for as many as usual. */
  readonly requestsPerSecond: number | null;
  /** Null when nothing was refused lately. */
  readonly refusedRate: RefusedRate | null;
}

/** What a run has learned of the tenant, for the next one. */
export interface Learned {
  /** Null as long as it is not known. */
  readonly dialect: string | null;
  /** Null after a run that read everything. */
  readonly next: NextStart | null;
  /** Findings in a page; null for as many as usual. */
  readonly pageSize: number | null;
  readonly rate: LearnedRate;
  readonly refused: Readonly<Record<string, RefusedRoute>>;
  readonly descriptions: Readonly<Record<string, StoredDescription>>;
}

/** Pure. */
export function learnedFrom(state: TenantState): Learned {
  const { dialect = null, next = null, pageSize = null, refused = {}, descriptions } = state;
  const { requestsPerSecond = null, refusedRate = null } = state;
  return { dialect, next, pageSize, rate: { requestsPerSecond, refusedRate }, refused, descriptions };
}

/** Pure: what is not known any more is left out. A dialect stays known, and descriptions stay as they are. */
export function withLearned(state: TenantState, learned: Learned): TenantState {
  const {
    next: _next,
    pageSize: _pageSize,
    requestsPerSecond: _requestsPerSecond,
    refusedRate: _refusedRate,
    refused: _refused,
    ...rest
  } = state;
  const { dialect, next, pageSize, rate, refused } = learned;
  return {
    ...rest,
    ...(dialect !== null && { dialect }),
    ...(next !== null && { next }),
    ...(pageSize !== null && pageSize < LARGEST_PAGE && { pageSize }),
    ...(rate.requestsPerSecond !== null && { requestsPerSecond: rate.requestsPerSecond }),
    ...(rate.refusedRate !== null && { refusedRate: rate.refusedRate }),
    ...(Object.keys(refused).length > 0 && { refused }),
  };
}
