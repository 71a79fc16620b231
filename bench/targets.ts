import { type ComparedFigure, type Cost, costFigures } from "./figures.ts";

/** Most that a row may cost. */
export type Limits = Partial<Record<keyof ReturnType<typeof costFigures>, number>>;

/**
 * What the plugin that users of the service would pick otherwise costs for the same work. Measured once, elsewhere, on
 * comparable hardware at the same latency, as whole processes.
 */
export interface Reference {
  wallMs: number;
  /** Most wall time, as a share of the reference's. */
  share: number;
  requests?: number;
  connections?: number;
  peakBytes?: number;
  receivedBytes?: number;
  writtenBytes?: number;
}

export interface Target {
  id: string;
  work: string;
  /** Null where nobody has measured the same work. */
  reference: Reference | null;
  limits: Limits;
  /** Most that a row may cost as a share of the baseline, for each figure. */
  ratios: Partial<Record<ComparedFigure, number>>;
}

type Row = Pick<Target, "work"> & Partial<Target>;

const KB = 1_000;
const MB = 1_000_000;
const SMALL_QUIET = { wallMs: 5_100, requests: 205, connections: 205 };
const LARGE_QUIET = { wallMs: 12_600, receivedBytes: 279 * MB };
const FIRST_LIMITS = { connections: 8, bytesPerEvent: 1_600, patchesOfState: 3 };
const QUIET_LIMITS = { receivedBytes: 0.5 * MB };

const targets = {
  "first-3x20x50": {
    work: "first run, 3 x 20 x 50",
    reference: { wallMs: 5_300, share: 0.45, requests: 205, connections: 205 },
    limits: { ...FIRST_LIMITS, requests: 152 },
  },
  "first-5x30x1000": {
    work: "first run, 5 x 30 x 1000",
    reference: { wallMs: 33_000, share: 0.2, requests: 427, peakBytes: 3_900 * MB, writtenBytes: 818 * MB },
    limits: { ...FIRST_LIMITS, peakBytes: 150 * MB },
  },
  "first-text-ids": {
    work: "first run, 100,000 text ids",
    limits: { patchesOfState: 3, stateCharacters: 1_500 * KB },
  },
  "quiet-3x20-analysis": {
    work: "quiet, 3 x 20, analysis",
    reference: { ...SMALL_QUIET, share: 0.05 },
    limits: { ...QUIET_LIMITS, requests: 2 },
  },
  "quiet-3x20-sparkline": {
    work: "quiet, 3 x 20, sparkline",
    reference: { ...SMALL_QUIET, share: 0.05 },
    limits: { ...QUIET_LIMITS, requests: 4 },
  },
  "quiet-3x20-neither": {
    work: "quiet, 3 x 20, neither",
    reference: { ...SMALL_QUIET, share: 0.25 },
    limits: { ...QUIET_LIMITS, requests: 64 },
  },
  "quiet-5x30-analysis": {
    work: "quiet, 5 x 30, analysis",
    reference: { ...LARGE_QUIET, share: 0.03 },
    limits: { ...QUIET_LIMITS, requests: 2 },
  },
  "quiet-5x30-sparkline": {
    work: "quiet, 5 x 30, sparkline",
    reference: { ...LARGE_QUIET, share: 0.03 },
    limits: { ...QUIET_LIMITS, requests: 6 },
  },
  "quiet-5x30-neither": {
    work: "quiet, 5 x 30, neither",
    reference: { ...LARGE_QUIET, share: 0.25 },
    limits: { ...QUIET_LIMITS, requests: 156 },
  },
  "quiet-50x20-analysis": {
    work: "quiet, 50 x 20, analysis",
    limits: { ...QUIET_LIMITS, requests: 2, stateCharacters: 64 * KB },
  },
  "quiet-1000x2-analysis": {
    work: "quiet, 1,000 x 2, analysis",
    limits: { ...QUIET_LIMITS, requests: 2 },
  },
  "follow-up-5x40x750": {
    work: "Follow Up Findings, 5,000 alerts of 150,000 findings",
    limits: { peakBytes: 160 * MB, requests: 210 },
  },
  "follow-up-unchanged": {
    work: "Follow Up Findings, the same after the same analysis",
    limits: { peakBytes: 160 * MB, requests: 2 },
  },
  ping: { work: "Ping", reference: { wallMs: 610, share: 0.35 }, limits: { startMs: 90 }, ratios: { startMs: 1.1 } },
  "get-object-id": { work: "Get Object Id, ten names", reference: { wallMs: 820, share: 0.35 } },
  "does-path-exist": { work: "Does Path Exist, by names", reference: { wallMs: 650, share: 0.4 } },
  "fetch-assets": {
    work: "Fetch Assets, ten ids",
    reference: { wallMs: 6_300, share: 0.25 },
    limits: { requests: 40 },
  },
} as const satisfies Record<string, Row>;

export type RowId = keyof typeof targets;

export const rowIds = Object.keys(targets) as RowId[];

/** A target with its wall time limit worked out. No row may be refused by a service that enforces its limit. */
export function targetOf(id: RowId): Target {
  const { work, reference = null, limits = {}, ratios = {} }: Row = targets[id];
  const wallLimit = reference === null ? {} : { wallMs: reference.share * reference.wallMs };
  return { id, work, reference, limits: { refused: 0, ...limits, ...wallLimit }, ratios };
}

/** The limits that a row goes over, by name. What could not be measured counts as a miss. */
export function missedLimits({ limits }: Target, cost: Cost): string[] {
  return over(limits, { ...costFigures(cost) });
}

/** The shares of the baseline that a row goes over, by name; without a baseline there is nothing to miss. */
export function missedRatios({ ratios }: Target, measured: Partial<Record<ComparedFigure, number>> | null): string[] {
  return measured === null ? [] : over(ratios, measured).map((name) => `${name}, compared with the earlier commit`);
}

function over(most: Readonly<Record<string, number>>, measured: Readonly<Record<string, number>>): string[] {
  return Object.entries(most)
    .filter(([name, value]) => !((measured[name] ?? Infinity) <= value))
    .map(([name]) => name);
}
