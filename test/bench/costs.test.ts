import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { type Cost, Workbench } from "../../bench/measure.ts";
import { actionRequest } from "../../bench/requests.ts";
import { polls } from "../../bench/workloads.ts";
import { builtPackage } from "../support/built-package.ts";

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

describe.each([
  { environments: 3, findingTypes: 20, findingsPerPair: 50, first: 144, quiet: 64, gated: 7, bytesPerEvent: 1_200 },
  { environments: 5, findingTypes: 30, findingsPerPair: 20, first: 276, quiet: 156, gated: 11, bytesPerEvent: 1_280 },
])("the built package on $environments x $findingTypes x $findingsPerPair findings", (size) => {
  const { environments, findingTypes, findingsPerPair } = size;
  let bench: Workbench;
  let costs: Record<"first" | "quiet" | "gated", Cost>;
  beforeAll(async () => {
    const { folder } = await builtPackage();
    const dataset = { kind: "uniform" as const, environments, findingTypes, findingsPerPair };
    bench = await Workbench.open(folder, { dataset, latencyMs: 20 });
    const [first, quiet, gated] = await polls(bench);
    costs = { first, quiet, gated };
    for (const [name, cost] of Object.entries(costs)) show(`${name} run`, cost);
  });
  afterAll(() => bench.close());

  it("reads everything with no more requests than documents, finding types and pages take", () => {
    expect(costs.first.findings).toBe(environments * findingTypes * findingsPerPair);
    expect(costs.first.requests).toBeLessThanOrEqual(size.first);
  });

  it("asks one request for each pair when nothing is new, and two for each environment once the gate holds", () => {
    expect(costs.quiet.findings + costs.gated.findings).toBe(0);
    expect(costs.quiet.requests).toBeLessThanOrEqual(size.quiet);
    expect(costs.gated.requests).toBeLessThanOrEqual(size.gated);
  });

  it("opens at most eight connections", () => {
    for (const cost of Object.values(costs)) expect(cost.connections).toBeLessThanOrEqual(8);
  });

  it("is never refused by a service that enforces its limit", () => {
    for (const cost of Object.values(costs)) expect(cost.refused).toBe(0);
  });

  it("uses the first second in full", () => {
    expect(costs.first.busiestSecond).toBeGreaterThanOrEqual(45);
  });

  it("writes little more for an event than its fields", () => {
    expect(costs.first.writtenBytes / costs.first.findings).toBeLessThanOrEqual(size.bytesPerEvent);
  });

  it("receives less than half a megabyte when nothing is new", () => {
    for (const cost of [costs.quiet, costs.gated]) expect(cost.receivedBytes).toBeLessThan(500_000);
  });
});

describe("the built package", () => {
  let bench: Workbench;
  beforeAll(async () => {
    const { folder } = await builtPackage();
    const dataset = { kind: "uniform" as const, environments: 1, findingTypes: 1, findingsPerPair: 10_000 };
    bench = await Workbench.open(folder, { dataset });
  });
  afterAll(() => bench.close());

  it("receives as little in a quiet run, however large the last batch was", async () => {
    const [first, quiet] = await polls(bench);
    expect(first.findings).toBe(10_000);
    expect(first.receivedBytes).toBeGreaterThan(5_000_000);
    expect(quiet.receivedBytes).toBeLessThan(10_000);
  });

  it("answers Ping with one request", async () => {
    const { cost } = await bench.run(actionRequest(bench.tenant, "Ping", {}));
    show("Ping", cost);
    expect(cost.requests).toBe(1);
  });

  it("looks ten names up with ten requests", async () => {
    const names = bench.tenant.users.map(({ name }) => name);
    const { cost } = await bench.run(actionRequest(bench.tenant, "Get Object Id", { "Object Names": names }));
    show("Get Object Id", cost);
    expect(names).toHaveLength(10);
    expect(cost.requests).toBeLessThanOrEqual(10);
  });

  it("fetches ten assets with two requests for each", async () => {
    const ids = bench.tenant.users.map(({ objectId }) => objectId);
    const { cost } = await bench.run(actionRequest(bench.tenant, "Fetch Assets", { "Object IDs": ids }));
    show("Fetch Assets", cost);
    expect(cost.requests).toBeLessThanOrEqual(20);
  });
});
