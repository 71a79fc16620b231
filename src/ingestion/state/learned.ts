import type { NextStart, RefusedRate, RefusedRoute, StoredDescription } from "./state.ts";

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
