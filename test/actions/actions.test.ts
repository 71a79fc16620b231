import { afterEach, beforeAll, describe, expect, it } from "@jest/globals";
import { isTraversable } from "../../sandbox/tenant/graph/kinds.ts";
import type { Tenant } from "../../sandbox/tenant/index.ts";
import type { ActionResult } from "../../src/manifest/types.ts";
import type { Asset } from "../../src/investigation/assets/read-asset.ts";
import { TestHost } from "../support/host.ts";
import { startTenant } from "../support/tenant.ts";

let tenant: Tenant;
let host: TestHost;
beforeAll(async () => {
  tenant = await startTenant();
  host = new TestHost(tenant);
});
afterEach(() => {
  tenant.control.clearFaults();
});

const nodes = () => [...tenant.data.graph.nodes];
const nodeOfKind = (kind: string) => nodes().find((node) => node.kind === kind && isUnique(node.name))!;
const isUnique = (name: string) => nodes().filter((node) => node.name === name).length === 1;

/** Hops on a shortest path, worked out on the tenant's own graph. */
function distance(from: string, to: string): number | null {
  const distances = new Map([[from, 0]]);
  for (const [id, length] of distances) {
    for (const edge of tenant.data.graph.outgoing(id)) {
      if (isTraversable(edge.kind) && !distances.has(edge.to)) distances.set(edge.to, length + 1);
    }
  }
  return distances.get(to) ?? null;
}

describe("Get Object Id", () => {
  it("gives the object id of each name, in the order of the names", async () => {
    const wanted = [nodeOfKind("Group"), nodeOfKind("User"), nodeOfKind("Computer")];
    const names = wanted.map((node) => node.name.toLowerCase());
    const { result } = await host.act({
      name: "Get Object Id",
      parameters: { "Object Names": JSON.stringify([...names, "NO SUCH@NAME"]) },
    });
    const { objects } = result.json as ActionResult<"Get Object Id">;
    expect(objects.map(({ name, status, objectId, type }) => ({ name, status, objectId, type }))).toEqual([
      ...wanted.map((node, index) => ({
        name: names[index],
        status: "found",
        objectId: node.objectId,
        type: node.kind,
      })),
      { name: "NO SUCH@NAME", status: "not_found", objectId: null, type: null },
    ]);
    expect(result).toMatchObject({ status: "completed", value: false });
    expect(result.message).toBe("Found 3 of 4 names; not found: NO SUCH@NAME.");
  });

  it("is true when every name has exactly one match", async () => {
    const { result } = await host.act({
      name: "Get Object Id",
      parameters: { "Object Names": nodeOfKind("User").name },
    });
    expect(result).toMatchObject({ status: "completed", value: true, message: "Found 1 of 1 name." });
  });

  it("gives the other results when one look-up fails", async () => {
    const [good, bad] = [nodeOfKind("User").name, nodeOfKind("Group").name];
    tenant.control.fault({ path: "/search$", query: { q: bad }, effect: { kind: "status", status: 403 } });
    const { result, logs } = await host.act({ name: "Get Object Id", parameters: { "Object Names": [good, bad] } });
    const { objects } = result.json as ActionResult<"Get Object Id">;
    expect(objects.map(({ status }) => status)).toEqual(["found", "failed"]);
    expect(objects[1]?.error).toContain("403");
    expect(result).toMatchObject({ status: "completed", value: null });
    expect(logs.some(({ level, message }) => level === "warn" && message.includes(bad))).toBe(true);
  });

  it("fails when all look-ups fail for one reason", async () => {
    const { result } = await host.act({
      name: "Get Object Id",
      parameters: { "Object Names": "A, B" },
      instance: { "Token Key": "not the key at all" },
    });
    expect(result).toMatchObject({ status: "failed", value: null });
    expect(result.message).toContain("Could not look up any name. ");
  });
});

describe("Get Object Id, when names cannot be looked up", () => {
  const names = () => [nodeOfKind("User").name, nodeOfKind("Group").name];
  const lookUp = (parameters: object, more: object = {}) =>
    host.act({ name: "Get Object Id", parameters: parameters, ...more });

  it("goes on in the next run where the deadline cut the first one short", async () => {
    const [user = "", group = ""] = names();
    const parameters = { "Object Names": [user, group, group.toLowerCase()] };
    tenant.control.fault({ path: "search", query: { q: new RegExp(group, "i") }, effect: { kind: "stall" } });
    const first = await lookUp(parameters, { deadline: new Date(Date.now() + 1_500).toISOString() });
    expect(first.result).toMatchObject({
      status: "in_progress",
      value: null,
      message: "Found 1 of 3 names. The next run looks up the rest.",
      json: { objects: [{ name: user, status: "found" }], remaining: 2 },
    });
    tenant.control.clearFaults();
    tenant.control.fault({ path: "search", query: { q: user }, effect: { kind: "status", status: 500 } });
    const second = await lookUp(parameters, { state: first.result.state! });
    expect(second.result).toMatchObject({ status: "completed", value: true });
    const { objects } = second.result.json as ActionResult<"Get Object Id">;
    expect(objects.map(({ name }) => name)).toEqual(parameters["Object Names"]);
  });

  it("does not call a name missing that the service did not look up, unless another one is", async () => {
    const [user = "", group = ""] = names();
    tenant.control.fault({ path: "search", query: { q: group }, effect: { kind: "status", status: 500 } });
    const { result } = await lookUp({ "Object Names": [user, group] });
    expect(result).toMatchObject({ status: "completed", value: null });
    expect(result.message).toMatch(
      /^Found 1 of 2 names; could not be looked up: [A-Z @.]+\. The service reported an internal error: .* request id/,
    );
    expect((await lookUp({ "Object Names": [user, group, "NOBODY@NOWHERE"] })).result.value).toBe(false);
    expect((await lookUp({ "Object Names": group })).result).toMatchObject({ status: "failed", value: null });
  });

  it("refuses a state that it did not make", async () => {
    for (const state of ["other", { version: 2, answers: [["X", { status: "found" }]] }]) {
      const { result } = await lookUp({ "Object Names": "X" }, { state });
      expect(result.message).toContain("does not belong to these parameters of Get Object Id");
    }
  });
});

describe("Does Path Exist", () => {
  it("proves a path whose hops are edges of the graph and whose length is the shortest", async () => {
    const ends = nodes().flatMap((node) => {
      const far = nodes().find((other) => (distance(node.objectId, other.objectId) ?? 0) >= 3);
      return far && isUnique(node.name) && isUnique(far.name) ? [{ node, far }] : [];
    });
    const { node, far } = ends[0]!;
    const { result } = await host.act({
      name: "Does Path Exist",
      parameters: { "Start Node": node.name, "End Node": far.objectId },
    });
    const { exists, paths } = result.json as ActionResult<"Does Path Exist">;
    const [proof] = paths;
    expect(result).toMatchObject({ status: "completed", value: true });
    expect([exists, paths.length]).toEqual([true, 1]);
    expect(proof?.length).toBe(distance(node.objectId, far.objectId));
    expect(proof?.hops).toHaveLength(proof?.length ?? NaN);
    let at: string | null = node.objectId;
    for (const { from, relation, to } of proof?.hops ?? []) {
      expect(from.objectId).toBe(at);
      expect(tenant.data.graph.outgoing(at ?? "")).toContainEqual({ from: at, to: to.objectId, kind: relation });
      at = to.objectId;
    }
    expect(at).toBe(far.objectId);
    expect(proof?.start).toEqual({ objectId: node.objectId, name: node.name, kind: node.kind });
    for (const { from, relation, to } of proof?.alternatives ?? []) {
      const edge = { from: from.objectId, to: to.objectId, kind: relation };
      expect(tenant.data.graph.outgoing(from.objectId ?? "")).toContainEqual(edge);
    }
  });

  it("says that no path exists between two known objects", async () => {
    const start = nodes().find((node) => tenant.data.graph.outgoing(node.objectId).length === 0)!;
    const end = nodeOfKind("User");
    const { result } = await host.act({
      name: "Does Path Exist",
      parameters: { "Start Node": start.objectId, "End Node": end.objectId },
    });
    expect(result).toMatchObject({
      status: "completed",
      value: false,
      json: { exists: false, paths: [{ status: "no_path", exists: false, length: null, hops: [] }] },
    });
  });

  it("says no where only relationships lead to the end that give no control", async () => {
    const enrolls = tenant.data.graph.edges.filter(({ kind }) => kind === "Enroll");
    const { from, to } = enrolls.find((edge) => distance(edge.from, edge.to) === null)!;
    const { result } = await host.act({ name: "Does Path Exist", parameters: { "Start Node": from, "End Node": to } });
    expect(result).toMatchObject({ status: "completed", value: false, json: { paths: [{ status: "no_path" }] } });
    // A finding may be about such a relationship. It is open as long as the relationship exists.
    const findings = [{ source: from, target: to }];
    const ofAlert = await host.act({ name: "Does Path Exist", parameters: {}, context: { findings } });
    expect(ofAlert.result).toMatchObject({
      value: true,
      json: { paths: [{ hops: [{ relation: "Enroll" }], givesControl: false }] },
    });
    expect(ofAlert.result.message).toContain(
      "Only a relationship that gives no control by itself joins the objects of the finding",
    );
    expect(ofAlert.result).not.toHaveProperty("insight");
  });

  it("answers several pairs, and says first which of them it could not answer", async () => {
    const start = nodes().find((node) => tenant.data.graph.outgoing(node.objectId).length === 0)!;
    const user = nodeOfKind("User");
    const { result } = await host.act({
      name: "Does Path Exist",
      parameters: { "Start Node": [user.objectId, start.objectId, "NOBODY@NOWHERE"], "End Node": user.objectId },
    });
    const { paths } = result.json as ActionResult<"Does Path Exist">;
    expect(paths.map(({ status }) => status)).toEqual(["path", "no_path", "unknown_object"]);
    expect(result).toMatchObject({ status: "completed", value: true });
    expect(result.message).toMatch(
      /^Could not check 1 of 3 pairs\. Start Node "NOBODY@NOWHERE" was not found\. .*For 1 of 3 pairs, start and end are the same object: .* to itself\. No attack path exists for 1 of 3 pairs: /,
    );
  });

  it.each([
    ["Start Node", "NOBODY@NOWHERE"],
    ["End Node", "S-1-5-21-9-9-9-999"],
  ])("fails and names an unknown %s, and does not call that no path", async (label, text) => {
    const known = nodeOfKind("User").name;
    const { result } = await host.act({
      name: "Does Path Exist",
      parameters: { "Start Node": known, "End Node": known, [label]: text },
    });
    expect(result).toMatchObject({ status: "failed", value: null, json: { exists: null } });
    expect(result.message).toContain(`${label} "${text}" was not found`);
  });

  it.each([404, 500, 503])(
    "fails when the path request is answered %i, and never says that there is no path",
    async (status) => {
      tenant.control.fault({ path: "shortest-path", effect: { kind: "status", status, body: "html" } });
      const { result } = await host.act({
        name: "Does Path Exist",
        parameters: { "Start Node": nodeOfKind("User").name, "End Node": nodeOfKind("Group").name },
      });
      expect(result).toMatchObject({ status: "failed", value: null, json: { paths: [{ status: "failed" }] } });
      expect(result.message).toContain(String(status));
    },
  );

  const NO_WAY = "a path that does not lead from the start to the end";
  it.each<[string, object, string]>([
    ["no nodes", {}, NO_WAY],
    ["no end", { nodes: { "1": { objectId: "START" } }, edges: [] }, "is about other objects"],
    ["no edges", { nodes: { "1": { objectId: "START" }, "2": { objectId: "END" } }, edges: [] }, NO_WAY],
    [
      "an edge to nowhere",
      { nodes: { "1": { objectId: "START" }, "2": { objectId: "END" } }, edges: [{ source: "1", target: "3" }] },
      NO_WAY,
    ],
    [
      "an edge in the wrong direction",
      { nodes: { "1": { objectId: "START" }, "2": { objectId: "END" } }, edges: [{ source: "2", target: "1" }] },
      NO_WAY,
    ],
  ])("fails when the service sends a graph with %s, and never says that there is no path", async (_, graph, reason) => {
    const [start, end] = [nodeOfKind("User"), nodeOfKind("Group")];
    const data = JSON.stringify(graph).replaceAll("START", start.objectId).replaceAll("END", end.objectId);
    tenant.control.fault({ path: "shortest-path", effect: { kind: "body", transform: () => `{"data":${data}}` } });
    const { result } = await host.act({
      name: "Does Path Exist",
      parameters: { "Start Node": start.name, "End Node": end.name },
    });
    expect(result).toMatchObject({ status: "failed", value: null, json: { exists: null } });
    expect(result.message).toContain(reason);
  });

  it("fails when a gateway has no route for the path request, and never says that there is no path", async () => {
    const message = "no route for this path";
    tenant.control.fault({ path: "shortest-path", effect: { kind: "status", status: 404, message } });
    const { result } = await host.act({
      name: "Does Path Exist",
      parameters: { "Start Node": nodeOfKind("User").name, "End Node": nodeOfKind("Group").name },
    });
    expect(result).toMatchObject({ status: "failed", value: null, json: { exists: null } });
    expect(result.message).toContain(message);
  });

  it.each<[string, object, string]>([
    [
      "lists of unequal length",
      { "Start Node": "A, B, C", "End Node": "X, Y" },
      "Start Node has 3 values and End Node",
    ],
    [
      "a list with a gap",
      { "Start Node": "A,,C", "End Node": "X" },
      'Parameter "Start Node" has an empty entry, number 2',
    ],
    ["no input at all", {}, "Start Node and End Node are empty"],
    [
      "more than 500 different pairs",
      { "Start Node": Array.from({ length: 501 }, (_, index) => `A${index}`), "End Node": "X" },
      "501 different pairs",
    ],
  ])("fails before any request for %s, and names the parameters", async (_, parameters, message) => {
    const before = tenant.requests.length;
    const { result } = await host.act({ name: "Does Path Exist", parameters });
    expect(result.status).toBe("failed");
    expect(result.message).toContain(message);
    expect(tenant.requests).toHaveLength(before);
  });
});

describe("Fetch Assets", () => {
  it("says what to do with a name in place of an object id, and does not leave it at not found", async () => {
    const { name } = nodeOfKind("User");
    const { result } = await host.act({ name: "Fetch Assets", parameters: { "Object IDs": name } });
    expect(result).toMatchObject({ value: false, json: { assets: [{ status: "not_found" }] } });
    expect(result.message).toBe(
      `Read 0 of 1 asset; not found: ${name}. Object IDs takes no names: Get Object Id finds the object id of a name.`,
    );
  });

  it("reads an object of every kind that the tenant has", async () => {
    const kinds = [...new Set(nodes().map((node) => node.kind))];
    const wanted = kinds.map((kind) => nodes().find((node) => node.kind === kind)!);
    const { result } = await host.act({
      name: "Fetch Assets",
      parameters: { "Object IDs": wanted.map((node) => node.objectId).join(",") },
    });
    const { assets } = result.json as ActionResult<"Fetch Assets">;
    expect(assets.map(({ objectId, status, kind, name, error }) => ({ objectId, status, kind, name, error }))).toEqual(
      wanted.map(({ objectId, kind, name }) => ({ objectId, status: "found", kind, name, error: undefined })),
    );
    expect(result).toMatchObject({ status: "completed", value: true });
    const user = assets.find(({ kind }) => kind === "User");
    expect(Number.isInteger(user?.counts["adminRights"])).toBe(true);
    expect(Object.keys(user?.properties ?? {})).not.toHaveLength(0);
  });

  it("says null for a count that the service left out, and tells unknown from failed", async () => {
    const [user, group] = [nodeOfKind("User"), nodeOfKind("Group")];
    tenant.control.fault({
      path: "/users/",
      effect: { kind: "body", transform: (body) => body.replace(/"adminRights":\d+,?/, "") },
    });
    tenant.control.fault({ path: "/groups/", effect: { kind: "status", status: 500 } });
    const { result } = await host.act({
      name: "Fetch Assets",
      parameters: { "Object IDs": [user.objectId, group.objectId, "S-1-5-21-9-9-9-999"] },
    });
    const { assets } = result.json as ActionResult<"Fetch Assets">;
    expect(assets.map(({ status }) => status)).toEqual(["found", "failed", "not_found"]);
    expect(assets[0]?.counts["adminRights"]).toBeNull();
    expect(result).toMatchObject({ status: "completed", value: false });
    const said = `Read 1 of 3 assets; not found: S-1-5-21-9-9-9-999; could not be read: ${group.objectId}. The service reported`;
    expect(result.message).toMatch(new RegExp(`^${said} an internal error: .* Not known: 1 count, null in the JSON`));
  });

  it("names a list that contradicts its count, and takes no count that cannot be true", async () => {
    const { objectId, name } = nodeOfKind("User");
    const counts = { groupMembership: 3, adminRights: -1, sessions: 0.5 };
    const transform = () => JSON.stringify({ data: { props: { objectid: objectId }, ...counts } });
    tenant.control.fault({ path: /users\/[^/]+$/, effect: { kind: "body", transform } });
    const nothing = () => JSON.stringify({ count: 0, data: [] });
    tenant.control.fault({ path: "/memberships", effect: { kind: "body", transform: nothing } });
    const { result } = await host.act({ name: "Fetch Assets", parameters: { "Object IDs": objectId } });
    const [asset] = (result.json as ActionResult<"Fetch Assets">).assets;
    expect(asset?.counts).toMatchObject({ groupMembership: 3, adminRights: null, sessions: null });
    expect(asset?.related["memberships"]).toMatchObject({ total: 3, items: null });
    expect(result).toMatchObject({ status: "completed", value: true });
    expect(result.message).toBe(
      `Read 1 of 1 asset. Incomplete: memberships of ${name}. The JSON result says why. Not known: 11 counts, null in the JSON result.`,
    );
  });

  it("says so when a list has fewer entries than it counts itself", async () => {
    const { objectId, name } = nodeOfKind("User");
    const transform = () =>
      JSON.stringify({ data: { props: { objectid: objectId }, groupMembership: 5, adminRights: 0 } });
    tenant.control.fault({ path: /users\/[^/]+$/, effect: { kind: "body", transform } });
    const group = { objectID: "S-1-5-21-1-512", name: "ADMINS@CORP.TEST", label: "Group" };
    const shorter = () => JSON.stringify({ count: 5, skip: 0, limit: 25, data: [group, {}] });
    tenant.control.fault({ path: "/memberships", effect: { kind: "body", transform: shorter } });
    const { result } = await host.act({ name: "Fetch Assets", parameters: { "Object IDs": objectId } });
    const [asset] = (result.json as ActionResult<"Fetch Assets">).assets;
    expect(asset?.related["memberships"]).toMatchObject({
      total: 5,
      items: [{ objectId: group.objectID }],
      error: expect.stringContaining("The service counts 5 objects but lists 1 with an id or a name.") as unknown,
    });
    expect(result.message).toContain(`Incomplete: memberships of ${name}.`);
  });

  it("does not count an object as read that the service says nothing about", async () => {
    const { objectId } = nodeOfKind("User");
    const transform = () => JSON.stringify({ data: {} });
    tenant.control.fault({ path: /users\/[^/]+$/, effect: { kind: "body", transform } });
    const { result } = await host.act({ name: "Fetch Assets", parameters: { "Object IDs": objectId } });
    expect(result).toMatchObject({ status: "failed", value: null });
    expect(result.message).toContain("says nothing about the object");
  });

  it("goes on in the next run where the deadline cut the first one short", async () => {
    const [user, group] = [nodeOfKind("User"), nodeOfKind("Group")];
    const parameters = { "Object IDs": [user.objectId, group.objectId] };
    tenant.control.fault({ path: "/groups/", effect: { kind: "stall" } });
    const first = await host.act({
      name: "Fetch Assets",
      parameters,
      deadline: new Date(Date.now() + 1_500).toISOString(),
    });
    expect(first.result).toMatchObject({ status: "in_progress", value: null, json: { remaining: 1 } });
    tenant.control.clearFaults();
    tenant.control.fault({ path: "/users/", effect: { kind: "status", status: 500 } });
    const second = await host.act({ name: "Fetch Assets", parameters, state: first.result.state! });
    expect(second.result).toMatchObject({ status: "completed", value: true });
    expect((second.result.json as { assets: Asset[] }).assets.map(({ objectId }) => objectId)).toEqual(
      parameters["Object IDs"],
    );
  });

  it("fails instead of going on for ever when a run's time does not suffice for a single asset", async () => {
    tenant.control.fault({ effect: { kind: "stall" } });
    const { result } = await host.act({
      name: "Fetch Assets",
      parameters: { "Object IDs": nodeOfKind("User").objectId },
      deadline: new Date(Date.now() + 1_000).toISOString(),
    });
    expect(result).toMatchObject({ status: "failed", value: null });
    expect(result.message).toContain("Could not read any asset. ");
  });

  it("refuses a state that it did not make", async () => {
    const { result } = await host.act({
      name: "Fetch Assets",
      parameters: { "Object IDs": "A" },
      state: { done: 1 },
    });
    expect(result).toMatchObject({ status: "failed", value: null });
    expect(result.message).toContain("state");
  });
});
