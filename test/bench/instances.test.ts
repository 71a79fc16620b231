import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { startTenant, type Tenant } from "../../sandbox/tenant/index.ts";
import { PollingHost } from "../support/polling-host.ts";

const ENVIRONMENTS = 6;
const FINDING_TYPES = 3;
const FINDINGS = 4;

describe("two connector instances with disjoint environments", () => {
  let tenant: Tenant;
  let instances: { host: PollingHost; environments: string[] }[];

  beforeEach(async () => {
    tenant = await startTenant({
      dataset: { environments: ENVIRONMENTS, findingTypes: FINDING_TYPES, findingsPerPair: FINDINGS },
    });
    const ids = tenant.data.environments.map(({ id }) => id);
    instances = [ids.slice(0, 2), ids.slice(2)].map((environments) => ({
      host: new PollingHost(tenant),
      environments,
    }));
  });
  afterEach(() => tenant.close());

  const pollAll = () => Promise.all(instances.map(({ host, environments }) => host.poll({ environments })));
  const delivered = (): string[] => instances.flatMap(({ host }) => [...host.findings.keys()]);
  const existing = (): string[] =>
    tenant.data.environments.flatMap(({ id }) =>
      tenant.data.findingTypes(id).flatMap((type) => {
        const query = { filters: [], sort: [], unsorted: "id" as const, skip: 0, limit: 1_000 };
        const { findings } = tenant.data.findings(id, type)!.query(query);
        return findings.map((finding) => [id, type, finding.id].join(" "));
      }),
    );

  it("deliver every finding once between them, at the same time and over later analyses", async () => {
    await pollAll();
    expect(delivered()).toHaveLength(ENVIRONMENTS * FINDING_TYPES * FINDINGS);
    for (const { id } of tenant.data.environments) tenant.control.analyse(id, { findings: 2 });
    await pollAll();
    await pollAll();
    expect(delivered().sort()).toEqual(existing().sort());
    expect(instances.flatMap(({ host }) => host.repeated)).toEqual([]);
  });

  it("ask for no environment that belongs to the other", async () => {
    for (const { host, environments } of instances) {
      const before = tenant.requests.length;
      await host.poll({ environments });
      const asked = tenant.requests
        .slice(before)
        .flatMap(({ path }) => /^\/api\/v2\/domains\/([^/]+)/.exec(path)?.[1] ?? []);
      expect(new Set(asked)).toEqual(new Set(environments));
    }
  });

  it("make alerts that no host can take for each other's", async () => {
    const polls = await pollAll();
    const ids = polls.flatMap(({ alerts }) => alerts.map(({ id }) => id));
    expect(new Set(ids).size).toBe(ENVIRONMENTS * FINDING_TYPES);
  });
});
