/** What one process of the plugin cost. */
export interface Cost {
  requests: number;
  connections: number;
  /** Requests that were answered 429. */
  refused: number;
  /** From the start of the process to its end. */
  wallMs: number;
  /** User and system time. */
  cpuMs: number;
  peakBytes: number;
  /** From the service, headers included. */
  receivedBytes: number;
  /** To the host. */
  writtenBytes: number;
  /** From the start of the process until its first request had arrived. */
  startMs: number;
  /** Findings that were delivered as events. */
  findings: number;
  alerts: number;
  /** Length of all merge patches that came with alerts. */
  patchCharacters: number;
  /** Length of the final state as JSON. */
  stateCharacters: number;
}

/** Characters of a patch that name its stream and its place; they do not depend on how much the alert holds. */
export const PATCH_FRAME_CHARACTERS = 300;

/** What is measured, and what follows from it. */
export function costFigures(cost: Cost) {
  const { writtenBytes, findings, alerts, patchCharacters, stateCharacters } = cost;
  return {
    ...cost,
    bytesPerEvent: writtenBytes / findings,
    /** All patches of a run without their frames, as a multiple of its final state: above a few, they grow faster than it. */
    patchesOfState: Math.max(0, patchCharacters - PATCH_FRAME_CHARACTERS * alerts) / stateCharacters,
  };
}

/** The median of each figure by itself; of refused requests the most, because not one of them is acceptable. */
export function medianCost(costs: readonly Cost[]): Cost {
  const [first] = costs;
  if (first === undefined) throw new Error("Nothing was measured.");
  const keys = Object.keys(first) as (keyof Cost)[];
  const medians = Object.fromEntries(keys.map((key) => [key, median(costs.map((cost) => cost[key]))]));
  return { ...(medians as unknown as Cost), refused: Math.max(...costs.map(({ refused }) => refused)) };
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const [low = NaN, high = NaN] = [sorted[sorted.length - 1 - middle], sorted[middle]];
  return (low + high) / 2;
}

/** The figures that are compared with those of another commit's package. */
const comparedFigures = ["requests", "wallMs", "cpuMs", "peakBytes", "startMs"] as const;

export type ComparedFigure = (typeof comparedFigures)[number];

export type Ratios = Record<ComparedFigure, number>;

/** Each figure as a share of the baseline's, to two digits: what is shown is what is judged. */
export function ratiosOf(cost: Cost, baseline: Cost): Ratios {
  const ratios = comparedFigures.map((name) => [name, Math.round((cost[name] / baseline[name]) * 100) / 100]);
  return Object.fromEntries(ratios) as Ratios;
}
