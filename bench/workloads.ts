import type { Json } from "../src/runtime/protocol.ts";
import { type Cost, Workbench } from "./measure.ts";
import { actionRequest, pollRequest } from "./requests.ts";
import type { RowId } from "./targets.ts";
import type { TenantAddress } from "./tenant-messages.ts";

interface Dataset {
  environments: number;
  findingTypes: number;
  findingsPerPair: number;
}

/** Runs that share a tenant; one round of them gives one figure for each row. */
interface Workload {
  rows: readonly RowId[];
  dataset: Dataset;
  round: (bench: Workbench) => Promise<Partial<Record<RowId, Cost>>>;
}

export const LATENCY_MS = 20;
const SMALL: Dataset = { environments: 3, findingTypes: 20, findingsPerPair: 50 };
const LARGE: Dataset = { environments: 5, findingTypes: 30, findingsPerPair: 1_000 };

export const workloads: readonly Workload[] = [
  {
    rows: ["first-3x20x50", "quiet-3x20", "gated-3x20"],
    dataset: SMALL,
    async round(bench) {
      const [first, quiet, gated] = await polls(bench);
      return { "first-3x20x50": first, "quiet-3x20": quiet, "gated-3x20": gated };
    },
  },
  {
    rows: ["first-5x30x1000", "quiet-5x30", "gated-5x30"],
    dataset: LARGE,
    async round(bench) {
      const [first, quiet, gated] = await polls(bench);
      return { "first-5x30x1000": first, "quiet-5x30": quiet, "gated-5x30": gated };
    },
  },
  ...actionWorkloads(),
];

/** One round of a workload for each of `rounds`, all against one tenant. */
export async function runWorkload(
  { dataset, round }: Workload,
  folder: string,
  rounds: number,
): Promise<Partial<Record<RowId, Cost>>[]> {
  const bench = await Workbench.open(folder, { dataset: { kind: "uniform", ...dataset }, latencyMs: LATENCY_MS });
  try {
    const costs: Partial<Record<RowId, Cost>>[] = [];
    for (let done = 0; done < rounds; done += 1) costs.push(await round(bench));
    return costs;
  } finally {
    await bench.close();
  }
}

/**
 * A first poll, the quiet one after it, and the first one that the analysis gate keeps from reading: it lets two quiet
 * polls pass after each change.
 */
export async function polls(bench: Workbench): Promise<[first: Cost, quiet: Cost, gated: Cost]> {
  let state: Json = null;
  const poll = async (): Promise<Cost> => {
    const run = await bench.run(pollRequest(bench.tenant, state));
    state = run.state;
    return run.cost;
  };
  const [first, quiet] = [await poll(), await poll()];
  await poll();
  return [first, quiet, await poll()];
}

function actionWorkloads(): Workload[] {
  const list = (texts: readonly string[]): string => JSON.stringify(texts);
  const parameters: [RowId, string, (tenant: TenantAddress) => Record<string, unknown>][] = [
    ["ping", "Ping", () => ({})],
    ["get-object-id", "Get Object Id", ({ users }) => ({ "Object Names": list(users.map(({ name }) => name)) })],
    [
      "does-path-exist",
      "Does Path Exist",
      ({ users, group }) => ({ "Start Node": users[0]?.name, "End Node": group.name }),
    ],
    ["fetch-assets", "Fetch Assets", ({ users }) => ({ "Object IDs": list(users.map(({ objectId }) => objectId)) })],
  ];
  return parameters.map(([row, name, read]) => ({
    rows: [row],
    dataset: SMALL,
    async round(bench) {
      const { cost } = await bench.run(actionRequest(bench.tenant, name, read(bench.tenant)));
      return { [row]: cost };
    },
  }));
}
