import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { type Cost, costFigures } from "../../bench/figures.ts";
import { Workbench } from "../../bench/measure.ts";
import { actionRequest } from "../../bench/requests.ts";
import { polls } from "../../bench/workloads.ts";
import { builtPackage } from "../support/package.ts";

/** Times depend on the machine: they are shown and judge nothing. */
function show(work: string, { requests, connections, wallMs, cpuMs, peakBytes }: Cost): void {
  const figures = [
    `${requests} requests`,
    `${connections} connections`,
    `${Math.round(wallMs)} ms`,
    `${Math.round(cpuMs)} ms CPU`,
    `${Math.round(peakBytes / 1e6)} MB`,
  ];
  process.stdout.write(`${work}: ${figures.join(", ")}\n`);
}

const POLLS = ["first", "second", "third"] as const;

async function measurePolls(
  settings: Parameters<typeof Workbench.open>[1],
  count: number = POLLS.length,
): Promise<Cost[]> {
  const { folder } = await builtPackage();
  const bench = await Workbench.open(folder, { latencyMs: 20, ...settings });
  try {
    const { costs } = await polls(bench, count);
    costs.forEach((cost, index) => {
      show(`${POLLS[index]} poll`, cost);
    });
    return costs;
  } finally {
    await bench.close();
  }
}

// Fifty and twenty are usual sizes of a page. Until three lists were whole at that length, each of eight streams asks about its own.
describe.each([
  { environments: 3, findingTypes: 20, findingsPerPair: 50, requests: [152, 65, 2], bytesPerEvent: 1_600 },
  { environments: 5, findingTypes: 8, findingsPerPair: 20, requests: [86, 47, 2], bytesPerEvent: 1_600 },
])("the built package on $environments x $findingTypes x $findingsPerPair findings", (size) => {
  const { environments, findingTypes, findingsPerPair, requests, bytesPerEvent } = size;
  let costs: Cost[];
  beforeAll(async () => {
    const dataset = { kind: "uniform" as const, environments, findingTypes, findingsPerPair };
    costs = await measurePolls({ dataset, analysisStatus: true });
  });

  it("delivers everything in the first poll and nothing in later ones", () => {
    expect(costs.map(({ findings }) => findings)).toEqual([environments * findingTypes * findingsPerPair, 0, 0]);
  });

  it("reads everything, checks each stream once, and then skips with the environments and the analysis time", () => {
    costs.forEach((cost, index) => {
      expect(cost.requests).toBeLessThanOrEqual(requests[index] ?? 0);
    });
  });

  it("opens few connections, also on a busy machine", () => {
    // Eight where responses take less than a second: after that, others need not wait for them.
    for (const { connections } of costs) expect(connections).toBeLessThanOrEqual(16);
  });

  it("is never refused by a service that enforces its limit", () => {
    for (const { refused } of costs) expect(refused).toBe(0);
  });

  it("sends requests side by side", () => {
    expect(costs[0]?.connections).toBeGreaterThan(1);
  });

  it("writes little more for an event than its fields", () => {
    const [first] = costs.map(costFigures);
    expect(first?.bytesPerEvent).toBeLessThanOrEqual(bytesPerEvent);
  });

  it("writes patches that hold little more than the state does", () => {
    const [first] = costs.map(costFigures);
    expect(first?.alerts).toBe(environments * findingTypes);
    expect(first?.patchesOfState).toBeLessThanOrEqual(3);
  });

  it("receives less than half a megabyte when nothing is new", () => {
    for (const { receivedBytes } of costs.slice(1)) expect(receivedBytes).toBeLessThan(500_000);
  });
});

describe.each([
  { offered: "only sparklines", settings: { analysisStatus: false }, requests: 4 },
  // One request for each environment asks for a sparkline that the tenant does not offer.
  { offered: "neither", settings: { analysisStatus: false, sparkline: false }, requests: 31 },
])("the built package on a tenant that offers $offered", ({ settings, requests }) => {
  it("checks that nothing is new with few requests", async () => {
    const dataset = { kind: "uniform" as const, environments: 3, findingTypes: 8, findingsPerPair: 5 };
    const costs = await measurePolls({ dataset, ...settings });
    expect(costs.map(({ findings }) => findings)).toEqual([120, 0, 0]);
    expect(costs[2]?.requests).toBeLessThanOrEqual(requests);
  });
});

describe("the built package with text ids", () => {
  const FINDINGS = 6_000;

  it("keeps a few characters for each id, and its patches grow with them", async () => {
    const dataset = { kind: "uniform" as const, environments: 1, findingTypes: 1, findingsPerPair: FINDINGS };
    const [first, second] = (await measurePolls({ dataset, textIds: true }, 2)).map(costFigures);
    expect([first?.findings, second?.findings]).toEqual([FINDINGS, 0]);
    expect(first?.stateCharacters).toBeLessThan(FINDINGS * 15);
    expect(first?.patchesOfState).toBeLessThanOrEqual(3);
  });
});

describe("the built package", () => {
  let bench: Workbench;
  beforeAll(async () => {
    const { folder } = await builtPackage();
    const dataset = { kind: "uniform" as const, environments: 1, findingTypes: 1, findingsPerPair: 3_000 };
    bench = await Workbench.open(folder, { dataset });
  });
  afterAll(() => bench.close());

  it("receives as little in a quiet poll, however large the last batch was", async () => {
    const [first, second] = (await polls(bench, 2)).costs;
    expect(first?.findings).toBe(3_000);
    expect(first?.receivedBytes).toBeGreaterThan(1_500_000);
    expect(second?.receivedBytes).toBeLessThan(10_000);
  });

  it("answers Ping with one request", async () => {
    const { cost } = await bench.run(actionRequest(bench.tenant, "Ping", {}));
    show("Ping", cost);
    expect(cost.requests).toBe(1);
  });

  it("looks ten names up with two requests for each: another object might have the name", async () => {
    const names = bench.tenant.users.map(({ name }) => name);
    const { cost } = await bench.run(actionRequest(bench.tenant, "Get Object Id", { "Object Names": names }));
    show("Get Object Id", cost);
    expect(names).toHaveLength(10);
    expect(cost.requests).toBeLessThanOrEqual(20);
  });

  it("fetches ten assets with two requests for each, and one for each of its two lists", async () => {
    const ids = bench.tenant.users.map(({ objectId }) => objectId);
    const { cost } = await bench.run(actionRequest(bench.tenant, "Fetch Assets", { "Object IDs": ids }));
    show("Fetch Assets", cost);
    expect(cost.requests).toBeLessThanOrEqual(40);
  });
});
