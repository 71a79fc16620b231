import { beforeAll, describe, expect, it } from "@jest/globals";
import type { GraphNode } from "../../sandbox/tenant/graph/graph.ts";
import { isTraversable } from "../../sandbox/tenant/graph/kinds.ts";
import { within } from "../../sandbox/tenant/graph/walk.ts";
import type { Tenant } from "../../sandbox/tenant/index.ts";
import type { ActionResult } from "../../src/manifest/types.ts";
import type { JsonObject } from "../../src/runtime/protocol.ts";
import { MOST_REQUESTS } from "../../src/investigation/tier-zero/nearest-tier-zero.ts";
import { TestHost } from "../support/host.ts";
import { startTenant } from "../support/tenant.ts";

let tenant: Tenant;
let host: TestHost;
let users: GraphNode[];
beforeAll(async () => {
  tenant = await startTenant();
  host = new TestHost(tenant);
  const nodes = [...tenant.data.graph.nodes];
  const isUnique = ({ name }: GraphNode): boolean => nodes.filter((node) => node.name === name).length === 1;
  users = nodes.filter((node) => node.kind === "User" && !node.tierZero && isUnique(node));
});

async function ask(parameters: object, context: JsonObject = {}) {
  const before = tenant.requests.length;
  const { result } = await host.act({ name: "Does Path Exist", parameters, context });
  const json = result.json as ActionResult<"Does Path Exist"> | undefined;
  return { result, json, nearness: json?.nearTierZero, requests: tenant.requests.length - before };
}

const entity = (identifier: string) => ({ identifier, type: "USERUNIQNAME" });

/** Hops from the object to the nearest one of Tier Zero, as the graph has them; null without a path. */
function trueDistance({ objectId }: GraphNode): number | null {
  for (let hops = 1; hops < 12; hops += 1) {
    const near = within(tenant.data.graph, objectId, "outgoing", hops, ({ kind }) => isTraversable(kind));
    if ([...near].some((id) => tenant.data.graph.get(id)?.tierZero)) return hops;
  }
  return null;
}

describe("Does Path Exist with a start and no end", () => {
  it("gives the nearest object of Tier Zero on the shortest paths to the well-known ones", async () => {
    const far = users.find((user) => (trueDistance(user) ?? 0) > 1)!;
    const { result, nearness, requests } = await ask({ "Start Node": far.name });
    expect(result).toMatchObject({ status: "completed", value: true });
    const [start] = nearness!.starts;
    expect(start).toMatchObject({ exists: true, start: { objectId: far.objectId } });
    expect(start!.hops).toBeGreaterThanOrEqual(trueDistance(far)!);
    expect(tenant.data.graph.get(start!.object!.objectId!)?.tierZero).toBe(true);
    expect(nearness!.tried.map(({ objectId }) => objectId)).toContain(`${far.environmentId}-512`);
    expect(result.message).toContain(`${far.name} is ${start!.hops} hops from Tier Zero: `);
    expect(result.message).toContain("An object of Tier Zero that was not tried may be nearer.");
    expect(requests).toBeLessThanOrEqual(MOST_REQUESTS);
  });

  it("never says no path where the graph has one to an end that was tried, nor the other way round", async () => {
    for (const user of users.slice(0, 10)) {
      const { json, nearness } = await ask({ "Start Node": user.objectId });
      const all = within(tenant.data.graph, user.objectId, "outgoing", Infinity, ({ kind }) => isTraversable(kind));
      for (const { end, exists } of json!.paths) expect(exists).toBe(all.has(end.objectId!));
      expect(nearness!.starts[0]!.exists).toBe(json!.paths.some(({ exists }) => exists));
    }
  });

  it("takes one selected entity of another product's alert for the start, and enriches it", async () => {
    const user = users.find((each) => (trueDistance(each) ?? 0) > 0)!;
    const { result, nearness } = await ask({}, { entities: [entity(user.name.toLowerCase())] });
    expect(result.message).toContain(`Used the selected entities as Start Node: ${user.name.toLowerCase()}.`);
    const { hops } = nearness!.starts[0]!;
    expect(result.entities).toMatchObject([
      {
        identifier: user.name.toLowerCase(),
        properties: { tierZeroHops: hops, tierZeroDistance: expect.stringMatching(/^\d+ hops? from Tier Zero$/) },
      },
    ]);
  });

  it("takes a selected entity that is the Start Node for the start, too", async () => {
    const { nearness } = await ask({ "Start Node": users[0]!.name }, { entities: [entity(users[0]!.name)] });
    expect(nearness!.starts).toHaveLength(1);
  });

  it("says of a start in Tier Zero that it is in it", async () => {
    const admin = [...tenant.data.graph.nodes].find(({ tierZero, kind }) => tierZero && kind === "Computer")!;
    const { result, nearness } = await ask({ "Start Node": admin.objectId });
    expect(nearness).toMatchObject({ priority: "critical", hops: 0, starts: [{ exists: true, hops: 0 }] });
    expect(result.message).toContain("is in Tier Zero.");
  });

  it("asks about many entities within the limit, and does not know what it did not ask", async () => {
    const names = [...users.slice(0, 13).map(({ name }) => name), "NOBODY@ELSEWHERE.TEST"];
    const { result, nearness, requests } = await ask({}, { entities: names.map(entity) });
    expect(requests).toBeLessThanOrEqual(MOST_REQUESTS);
    expect(result.status).toBe("completed");
    expect(nearness!.starts).toHaveLength(names.length);
    for (const { exists, error } of nearness!.starts.slice(12)) {
      expect(exists).toBeNull();
      expect(error).toContain("one question takes at most 12 starts");
    }
    expect(nearness!.starts.slice(0, 12).every(({ exists }) => exists !== null)).toBe(true);
  });

  it("does not know how near an unknown object is", async () => {
    const { result, nearness } = await ask({ "Start Node": "NOBODY@ELSEWHERE.TEST" });
    expect(result).toMatchObject({ status: "failed", value: null });
    expect(nearness).toMatchObject({ priority: "unknown", hops: null, starts: [{ exists: null, object: null }] });
    expect(result.message).toContain('Start Node "NOBODY@ELSEWHERE.TEST" was not found.');
  });

  it("still checks the findings of an alert that has some", async () => {
    const findings = [{ source: users[0]!.objectId, target: users[1]!.objectId }];
    const { json } = await ask({}, { findings, entities: [entity(users[0]!.name)] });
    expect(json).not.toHaveProperty("nearTierZero");
    expect(json?.paths).toHaveLength(1);
  });
});

describe("Does Path Exist with a start and no end, when the service fails", () => {
  it("has null for each end that was not answered, and never false", async () => {
    const user = users.find((each) => trueDistance(each) === null) ?? users[0]!;
    tenant.control.fault({ path: "shortest-path$", effect: { kind: "status", status: 500 } });
    const { result, json, nearness } = await ask({ "Start Node": user.objectId });
    tenant.control.clearFaults();
    expect(json!.paths.map(({ exists }) => exists)).toEqual(json!.paths.map(() => null));
    expect(nearness).toMatchObject({ priority: "unknown", starts: [{ exists: null }] });
    expect(result.value).toBeNull();
  });

  /** An object from which nothing can be reached. */
  function harmless(): GraphNode {
    const { graph } = tenant.data;
    const reaches = ({ objectId }: GraphNode): boolean =>
      within(graph, objectId, "outgoing", 1, ({ kind }) => isTraversable(kind)).size > 0;
    return [...graph.nodes].find((node) => node.kind === "Group" && !node.tierZero && !reaches(node))!;
  }

  it("does not say no as long as it has not asked about each end", async () => {
    const start = harmless();
    tenant.control.fault({ path: "shortest-path$", from: 2, effect: { kind: "status", status: 429 } });
    const { result, nearness } = await ask({ "Start Node": start.objectId });
    tenant.control.clearFaults();
    expect(result).toMatchObject({ status: "in_progress", value: null });
    expect(nearness).toMatchObject({ priority: "unknown", starts: [{ exists: null }] });
  });

  it("asks about ends that could not be looked up, since they may exist", async () => {
    const start = harmless();
    const { nearness: usual } = await ask({ "Start Node": start.objectId });
    tenant.control.fault({ path: "search$", from: 3, effect: { kind: "status", status: 500 } });
    const { json, nearness } = await ask({ "Start Node": start.objectId });
    tenant.control.clearFaults();
    expect(json!.paths.length).toBeGreaterThanOrEqual(usual!.tried.length);
    expect([nearness!.starts[0]!.exists, nearness!.tried.length < json!.paths.length]).toEqual([null, true]);
  });
});
