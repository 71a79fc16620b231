/** Words that options take, apart from the code that reads them: help must not wait until that is loaded. */

/** What findings can be sorted by. */
export const SORTS = ["severity", "impact", "exposure", "created"] as const;
export type Sort = (typeof SORTS)[number];

/** The severities that can be compared, the worst first. */
export const LEVELS = ["critical", "high", "moderate", "low"] as const;
export type Level = (typeof LEVELS)[number];

/** The forms of a moment that `momentOf` reads, for people. */
export const MOMENTS = "2026-01-31, 2026-01-31T06:00:00Z, or how long ago: 90m, 12h, 7d";
