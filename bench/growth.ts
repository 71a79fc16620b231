import type { Cost } from "./figures.ts";
import { Workbench } from "./measure.ts";
import { LATENCY_MS, polls } from "./workloads.ts";

export interface GrowthPoint {
  environments: number;
  findingTypes: number;
  findings: number;
  first: Cost;
  /** The second poll, which checks each stream with a small request. */
  checked: Cost;
  /** The third poll, which skips every environment. */
  skipped: Cost;
}

export interface Growth {
  /** More findings in the same 100 streams. */
  byFindings: GrowthPoint[];
  /** More environments with two finding types of ten findings. */
  byEnvironments: GrowthPoint[];
}

/** Requests that the client sends in a second; the first second's worth goes out at once. */
const REQUESTS_PER_SECOND = 53;

/** The least time that so many requests can take, in seconds. */
export function floorSeconds(requests: number): number {
  return Math.max(0, requests - REQUESTS_PER_SECOND) / REQUESTS_PER_SECOND;
}

/**
 * Measures how cost grows, one run for each point.
 *
 * @param largest - whether to go up to a million findings and a thousand environments, which takes minutes
 */
export async function measureGrowth(folder: string, largest: boolean, tell: (text: string) => void): Promise<Growth> {
  const growth: Growth = { byFindings: [], byEnvironments: [] };
  for (const findings of [1e3, 1e4, 1e5, ...(largest ? [1e6] : [])]) {
    tell(`growth: ${findings} findings`);
    growth.byFindings.push(await point(folder, { environments: 5, findingTypes: 20, findings }));
  }
  for (const environments of [1, 10, 100, ...(largest ? [1_000] : [])]) {
    tell(`growth: ${environments} environments`);
    growth.byEnvironments.push(await point(folder, { environments, findingTypes: 2, findings: environments * 20 }));
  }
  return growth;
}

async function point(
  folder: string,
  size: Pick<GrowthPoint, "environments" | "findingTypes" | "findings">,
): Promise<GrowthPoint> {
  const { environments, findingTypes, findings } = size;
  const findingsPerPair = findings / environments / findingTypes;
  const dataset = { kind: "uniform" as const, environments, findingTypes, findingsPerPair };
  const bench = await Workbench.open(folder, { dataset, latencyMs: LATENCY_MS, analysisStatus: true });
  try {
    const [first, checked, skipped] = (await polls(bench, 3)).costs as [Cost, Cost, Cost];
    return { ...size, first, checked, skipped };
  } finally {
    await bench.close();
  }
}
