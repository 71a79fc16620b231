import type { Cost } from "./measure.ts";

/** Most that a row may cost. */
export type Limits = Partial<Record<keyof Cost | "bytesPerEvent", number>>;

/**
 * What the plugin that users of the service would pick otherwise costs for the same work. Measured once, elsewhere, on
 * comparable hardware at the same latency, as whole processes.
 */
export interface Reference {
  wallMs: number;
  requests?: number;
  connections?: number;
  peakBytes?: number;
  receivedBytes?: number;
  writtenBytes?: number;
}

export interface Target {
  id: string;
  work: string;
  /** Wall time as a share of the reference's. */
  share: number;
  reference: Reference;
  limits: Limits;
}

const MB = 1_000_000;

export const targets = {
  "first-3x20x50": {
    work: "first run, 3 x 20 x 50",
    share: 0.45,
    reference: { wallMs: 5_300, requests: 205, connections: 205 },
    limits: { requests: 145, connections: 8, refused: 0, bytesPerEvent: 1_200 },
  },
  "quiet-3x20": {
    work: "quiet, 3 x 20, no gate",
    share: 0.25,
    reference: { wallMs: 5_100, requests: 205, connections: 205 },
    limits: { requests: 64, refused: 0, receivedBytes: 0.5 * MB },
  },
  "gated-3x20": {
    work: "quiet, 3 x 20, gate",
    share: 0.05,
    reference: { wallMs: 5_100, requests: 205, connections: 205 },
    limits: { requests: 7, refused: 0, receivedBytes: 0.5 * MB },
  },
  "first-5x30x1000": {
    work: "first run, 5 x 30 x 1000",
    share: 0.2,
    reference: { wallMs: 33_000, requests: 427, peakBytes: 3_900 * MB, writtenBytes: 818 * MB },
    limits: { connections: 8, refused: 0, peakBytes: 160 * MB, bytesPerEvent: 1_200 },
  },
  "quiet-5x30": {
    work: "quiet, 5 x 30, no gate",
    share: 0.25,
    reference: { wallMs: 12_600, receivedBytes: 279 * MB },
    limits: { requests: 156, refused: 0, receivedBytes: 0.5 * MB },
  },
  "gated-5x30": {
    work: "quiet, 5 x 30, gate",
    share: 0.03,
    reference: { wallMs: 12_600, receivedBytes: 279 * MB },
    limits: { requests: 11, refused: 0, receivedBytes: 0.5 * MB },
  },
  ping: { work: "Ping", share: 0.35, reference: { wallMs: 610 }, limits: { startMs: 90 } },
  "get-object-id": { work: "Get Object Id, ten names", share: 0.35, reference: { wallMs: 820 }, limits: {} },
  "does-path-exist": { work: "Does Path Exist, by names", share: 0.4, reference: { wallMs: 650 }, limits: {} },
  "fetch-assets": { work: "Fetch Assets, ten ids", share: 0.06, reference: { wallMs: 6_300 }, limits: {} },
} as const satisfies Record<string, Omit<Target, "id">>;

export type RowId = keyof typeof targets;

export const rowIds = Object.keys(targets) as RowId[];

/** A target with its wall time limit worked out. */
export function targetOf(id: RowId): Target {
  const target: Omit<Target, "id"> = targets[id];
  return { id, ...target, limits: { ...target.limits, wallMs: target.share * target.reference.wallMs } };
}

/** The limits that a row goes over, by name. */
export function missed({ limits }: Target, cost: Cost): string[] {
  const measured: Record<string, number> = { ...cost, bytesPerEvent: cost.writtenBytes / cost.findings };
  return Object.entries(limits)
    .filter(([name, most]) => !((measured[name] ?? Infinity) <= most))
    .map(([name]) => name);
}
