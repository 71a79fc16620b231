import { afterEach, describe, expect, it } from "@jest/globals";
import { cutsOfCase } from "../../../sandbox/console/server/cuts.ts";
import { metaTreeOf } from "../../../sandbox/console/server/questions.ts";
import { askService } from "../../../sandbox/console/server/service.ts";
import type { CaseFindings } from "../../../sandbox/soar/index.ts";
import { systemClock } from "../../../src/clock.ts";
import { silent } from "../../../src/logger.ts";
import type { AttackPathService } from "../../../src/service/connect.ts";
import { startTenant } from "../../support/tenant.ts";

const tenant = await startTenant();
const { id: environmentId } = tenant.data.environments[0]!;
afterEach(() => {
  tenant.control.clearFaults();
});

function ask<T>(question: (service: AttackPathService) => Promise<T>): Promise<T> {
  const parameters = { Server: tenant.url, "Token ID": tenant.tokenId, "Token Key": tenant.tokenKey };
  const { signal } = new AbortController();
  return askService({ parameters, dialect: null }, { clock: systemClock, log: silent, signal }, question);
}

describe("the ways into Tier Zero", () => {
  const tree = () => ask((service) => metaTreeOf(service, environmentId));

  it("are not known without a tree", async () => {
    tenant.control.fault({ path: "meta-trees", effect: { kind: "null-data" } });
    expect(await tree()).toEqual({ nodes: [], edges: [], left: 0 });
  });

  it("say how many relationships have an object that the service has not described", async () => {
    const whole = await tree();
    const { from } = whole.edges[0]!;
    const own = whole.edges.filter((edge) => edge.from === from).length;
    const without = (body: string): string => {
      const { data } = JSON.parse(body) as { data: Record<string, unknown> };
      return JSON.stringify({ data: { ...data, [from]: "damaged" } });
    };
    tenant.control.fault({ path: "meta-trees", effect: { kind: "body", transform: without } });
    expect(await tree()).toMatchObject({ nodes: { length: whole.nodes.length - 1 }, left: own });
  });
});

describe("where to cut", () => {
  const cuts = (findings: CaseFindings["findings"]) =>
    ask((service) => cutsOfCase(service, { findings, withoutPath: 0, accepted: 0 }, silent));

  it("is nothing when no finding has a path, and not known when the path of one is not", async () => {
    expect(await cuts([])).toMatchObject({ edges: [], isComplete: true });
    const ends = { source: "S-1-5-21-9-9-9-1", target: "S-1-5-21-9-9-9-2" };
    const unknown = await cuts([{ findingType: "T0GenericAll", ...ends, severity: "high" }]);
    expect(unknown).toMatchObject({ edges: [], isComplete: false });
    expect(unknown.notes).toContain("Not counted: 1 finding, of which the path is not known.");
  });
});
