import type { Json } from "../src/runtime/protocol.ts";
import type { Cost } from "./figures.ts";
import type { Workbench } from "./measure.ts";
import { openAlerts } from "./alerts.ts";
import { actionRequest, followUpRequest, pollRequest } from "./requests.ts";
import type { RowId } from "./targets.ts";
import type { TenantAddress, TenantSettings } from "./tenant-messages.ts";

/** One row of the bench: a tenant, what happens before anything is measured, and what is measured. */
export interface Workload {
  row: RowId;
  tenant: Omit<TenantSettings, "rateLimit">;
  /** Whether a round is a quiet poll, which begins with the state that polls before it have left. */
  quiet: boolean;
  /** Rounds for each round that is asked for: more of them where a difference of few milliseconds counts. */
  repeat: number;
  round: (bench: Workbench, state: Json) => Promise<Cost>;
}

type Dataset = Readonly<Record<"environments" | "findingTypes" | "findingsPerPair", number>>;

export const LATENCY_MS = 20;

const SMALL: Dataset = { environments: 3, findingTypes: 20, findingsPerPair: 50 };
const LARGE: Dataset = { environments: 5, findingTypes: 30, findingsPerPair: 1_000 };
const ALERTED: Dataset = { environments: 5, findingTypes: 40, findingsPerPair: 750 };
const STREAMS: Dataset = { environments: 50, findingTypes: 20, findingsPerPair: 10 };
const ENVIRONMENTS: Dataset = { environments: 1_000, findingTypes: 2, findingsPerPair: 10 };
const ONE_STREAM: Dataset = { environments: 1, findingTypes: 1, findingsPerPair: 100_000 };

/** What a tenant tells besides its findings. */
const EVIDENCE = {
  analysis: { analysisStatus: true },
  sparkline: { analysisStatus: false },
  neither: { analysisStatus: false, sparkline: false },
} as const;

/** All data sets are of the same age, so that packages that are compared read the same findings. */
const analysedAt = new Date(Date.now() - 3_600_000).toISOString();

export const workloads: readonly Workload[] = [
  polling("first-3x20x50", SMALL),
  polling("first-5x30x1000", LARGE),
  polling("first-text-ids", ONE_STREAM, { textIds: true }),
  quiet("quiet-3x20-analysis", SMALL, "analysis"),
  quiet("quiet-3x20-sparkline", SMALL, "sparkline"),
  quiet("quiet-3x20-neither", SMALL, "neither"),
  quiet("quiet-5x30-analysis", LARGE, "analysis"),
  quiet("quiet-5x30-sparkline", LARGE, "sparkline"),
  quiet("quiet-5x30-neither", LARGE, "neither"),
  quiet("quiet-50x20-analysis", STREAMS, "analysis"),
  quiet("quiet-1000x2-analysis", ENVIRONMENTS, "analysis"),
  following("follow-up-5x40x750", { runsBefore: 0 }),
  following("follow-up-unchanged", { runsBefore: 1 }),
  { ...acting("ping", "Ping", () => ({})), repeat: 4 },
  acting("get-object-id", "Get Object Id", ({ users }) => ({ "Object Names": list(users.map(({ name }) => name)) })),
  acting("does-path-exist", "Does Path Exist", ({ users, group }) => ({
    "Start Node": users[0]?.name,
    "End Node": group.name,
  })),
  acting("fetch-assets", "Fetch Assets", ({ users }) => ({
    "Object IDs": list(users.map(({ objectId }) => objectId)),
  })),
];

/** As many polls in a row as `count` says, the first one without a state. */
export async function polls(bench: Workbench, count: number): Promise<{ costs: Cost[]; state: Json }> {
  const costs: Cost[] = [];
  let state: Json = null;
  while (costs.length < count) {
    const run = await bench.run(pollRequest(bench.tenant, state));
    costs.push(run.cost);
    state = run.state;
  }
  return { costs, state };
}

function polling(row: RowId, dataset: Dataset, settings: Workload["tenant"] = EVIDENCE.analysis): Workload {
  return {
    row,
    tenant: { dataset: { kind: "uniform", ...dataset, analysedAt }, latencyMs: LATENCY_MS, ...settings },
    quiet: false,
    repeat: 1,
    round: async (bench, state) => (await bench.run(pollRequest(bench.tenant, state))).cost,
  };
}

/** All findings are in open alerts. */
function following(row: RowId, { runsBefore }: { runsBefore: number }): Workload {
  return {
    ...polling(row, ALERTED, { ...EVIDENCE.analysis, ownPrincipals: true }),
    round: async (bench) => {
      const alerts = await openAlerts(bench.tenant);
      await bench.forget();
      let run = await bench.run(followUpRequest(bench.tenant, alerts, null));
      for (let runs = 0; runs < runsBefore; runs++) {
        run = await bench.run(followUpRequest(bench.tenant, alerts, run.state));
      }
      return run.cost;
    },
  };
}

function quiet(row: RowId, dataset: Dataset, evidence: keyof typeof EVIDENCE): Workload {
  return { ...polling(row, dataset, EVIDENCE[evidence]), quiet: true };
}

function acting(row: RowId, name: string, parameters: (tenant: TenantAddress) => Record<string, unknown>): Workload {
  return {
    ...polling(row, SMALL),
    round: async (bench) => (await bench.run(actionRequest(bench.tenant, name, parameters(bench.tenant)))).cost,
  };
}

function list(texts: readonly string[]): string {
  return JSON.stringify(texts);
}
