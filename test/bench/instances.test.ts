import { beforeEach, describe, expect, it } from "@jest/globals";
import type { Tenant } from "../../sandbox/tenant/index.ts";
import { TestHost } from "../support/host.ts";
import { servedFindings } from "../support/served-findings.ts";
import { startTenant } from "../support/tenant.ts";

const ENVIRONMENTS = 6;
const FINDING_TYPES = 3;
const FINDINGS = 4;

describe("two connector instances with disjoint environments", () => {
  let tenant: Tenant;
  let instances: { host: TestHost; environments: string[] }[];

  beforeEach(async () => {
    tenant = await startTenant({
      dataset: { environments: ENVIRONMENTS, findingTypes: FINDING_TYPES, findingsPerPair: FINDINGS },
    });
    const ids = tenant.data.environments.map(({ id }) => id);
    instances = [ids.slice(0, 2), ids.slice(2)].map((environments) => ({
      host: new TestHost(tenant),
      environments,
    }));
  });

  const poll = ({ host, environments }: (typeof instances)[number]) =>
    host.poll({ fields: { "Selected Environments": environments } });
  const pollAll = () => Promise.all(instances.map(poll));
  const delivered = (): string[] => instances.flatMap(({ host }) => host.stored.keys);
  const existing = (): string[] =>
    tenant.data.environments.flatMap(({ id }) =>
      tenant.data
        .findingTypes(id)
        .flatMap((type) => servedFindings(tenant, id, type).map((finding) => [id, type, finding.id].join(" "))),
    );

  it("deliver every finding once between them, at the same time and over later analyses", async () => {
    await pollAll();
    expect(delivered()).toHaveLength(ENVIRONMENTS * FINDING_TYPES * FINDINGS);
    for (const { id } of tenant.data.environments) tenant.control.analyse(id, { findings: 2 });
    await pollAll();
    await pollAll();
    expect(delivered().sort()).toEqual(existing().sort());
    expect(instances.flatMap(({ host }) => host.stored.repeated)).toEqual([]);
  });

  it("ask for no environment that belongs to the other", async () => {
    for (const instance of instances) {
      const before = tenant.requests.length;
      await poll(instance);
      const asked = tenant.requests
        .slice(before)
        .flatMap(({ path }) => /^\/api\/v2\/domains\/([^/]+)/.exec(path)?.[1] ?? []);
      expect(new Set(asked)).toEqual(new Set(instance.environments));
    }
  });

  it("make alerts that no host can take for each other's", async () => {
    const polls = await pollAll();
    const ids = polls.flatMap(({ alerts }) => alerts.map(({ id }) => id));
    expect(new Set(ids).size).toBe(ENVIRONMENTS * FINDING_TYPES);
  });
});
