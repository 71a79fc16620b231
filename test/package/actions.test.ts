import { beforeAll, describe, expect, it } from "@jest/globals";
import type { Tenant } from "../../sandbox/tenant/index.ts";
import type { GraphNode } from "../../sandbox/tenant/graph/graph.ts";
import type { Relation } from "../../sandbox/tenant/graph/relations.ts";
import { RELATED } from "../../sandbox/tenant/routes/azure-kinds.ts";
import { DIRECTORY_LISTS } from "../../sandbox/tenant/routes/directory-lists.ts";
import { DIRECTORY_KINDS } from "../../sandbox/tenant/routes/directory.ts";
import { relatedLists } from "../../src/investigation/assets/related-lists.ts";
import type { ActionResult } from "../../src/manifest/types.ts";
import type { Json } from "../../src/runtime/protocol.ts";
import { TestHost } from "../support/host.ts";
import { builtPackage } from "../support/package.ts";
import type { Program } from "../support/plugin-run.ts";
import { builtProgram } from "../support/program.ts";
import { startTenant } from "../support/tenant.ts";

type Paths = ActionResult<"Does Path Exist">;
type Assets = ActionResult<"Fetch Assets">["assets"];

let plugin: string;
/** The same bundle in this process, once a process has shown that it can run each action. */
let program: Program;
beforeAll(async () => {
  ({ plugin } = await builtPackage());
  program = await builtProgram();
});

/** Objects whose names nothing else has. */
function distinctNodes({ data }: Tenant): GraphNode[] {
  const nodes = [...data.graph.nodes];
  const names = new Map<string, number>();
  for (const { name } of nodes) names.set(name, (names.get(name) ?? 0) + 1);
  return nodes.filter(({ name }) => names.get(name) === 1);
}

const requestsTo = ({ requests }: Tenant, path: string) => requests.filter(({ target }) => target.includes(path));

describe("Does Path Exist in the built package", () => {
  it("answers each pair with a status of its own", async () => {
    const tenant = await startTenant();
    const host = new TestHost(tenant, { plugin });
    const { graph } = tenant.data;
    const nodes = [...graph.nodes];
    const twin = nodes.find(({ name }, index) => nodes.findIndex((other) => other.name === name) !== index)!;
    const [edge] = graph.edges;
    const leaf = nodes.find(({ objectId }) => graph.outgoing(objectId).length === 0)!;
    const broken = distinctNodes(tenant).find(({ kind }) => kind === "Computer")!;
    const query = { start_node: broken.objectId };
    tenant.control.fault({ path: "shortest-path", query, effect: { kind: "status", status: 500 } });
    const { result } = await host.act({
      name: "Does Path Exist",
      parameters: {
        "Start Node": [edge!.from, leaf.objectId, "NOBODY@NOWHERE", edge!.from, broken.objectId, edge!.from],
        "End Node": [edge!.to, edge!.from, edge!.to, twin.name, edge!.to, edge!.to],
      },
    });
    const { exists, paths } = result.json as Paths;
    expect(paths.map((entry) => [entry.status, entry.exists])).toEqual([
      ["path", true],
      ["no_path", false],
      ["unknown_object", null],
      ["ambiguous_name", null],
      ["failed", null],
      ["path", true],
    ]);
    expect([result.status, result.value, exists]).toEqual(["completed", true, true]);
    expect(result.message).toMatch(/^Could not check 3 of 6 pairs\./);
  });

  it("checks a hundred pairs within the rate limit, and looks each name up once", async () => {
    const tenant = await startTenant({ rateLimit: { perSecond: 55 } });
    const [end, ...starts] = distinctNodes(tenant).slice(0, 101);
    const { result } = await new TestHost(tenant, { plugin }).act({
      name: "Does Path Exist",
      parameters: { "Start Node": starts.map(({ name }) => name), "End Node": end!.name },
    });
    expect(result.status).toBe("completed");
    expect((result.json as Paths).paths.map(({ start }) => start.name)).toEqual(starts.map(({ name }) => name));
    expect(tenant.requests.filter(({ status }) => status === 429)).toEqual([]);
    expect(requestsTo(tenant, "/shortest-path")).toHaveLength(100 - Number(starts.includes(end!)));
    const searches = requestsTo(tenant, "/search").map(({ target }) => target);
    expect(new Set(searches).size).toBe(searches.length);
  });

  it("continues in the next run what the service refused for now", async () => {
    const tenant = await startTenant();
    const host = new TestHost(tenant, { program });
    const edges = tenant.data.graph.edges.slice(0, 20);
    const parameters = { "Start Node": edges.map(({ from }) => from), "End Node": edges.map(({ to }) => to) };
    const refusal = { kind: "status", status: 429 } as const;
    tenant.control.fault({ path: "shortest-path", from: 12, times: 1, effect: refusal });
    const first = await host.act({ name: "Does Path Exist", parameters });
    expect(first.result).toMatchObject({ status: "in_progress", value: true });
    expect((first.result.json as Paths).paths.length).toBeLessThan(20);
    const { result } = await host.act({ name: "Does Path Exist", parameters, state: first.result.state ?? null });
    expect(result).toMatchObject({ status: "completed", value: true });
    expect((result.json as Paths).paths.map(({ status }) => status)).toEqual(edges.map(() => "path"));
  });

  it("continues in the next run what the deadline cut short, without asking an answered pair again", async () => {
    const tenant = await startTenant({ latencyMs: 60 });
    const host = new TestHost(tenant, { program });
    const [end, ...starts] = distinctNodes(tenant).slice(0, 101);
    const parameters = { "Start Node": starts.map(({ objectId }) => objectId), "End Node": end!.objectId };
    const answered: number[] = [];
    let state: Json = null;
    for (let status = "in_progress"; status === "in_progress";) {
      const deadline = new Date(Date.now() + 2_000).toISOString();
      const { result } = await host.act({ name: "Does Path Exist", parameters, state, deadline });
      ({ status, state = null } = result);
      answered.push((result.json as Paths).paths.length);
      if (status === "in_progress") expect(result.message).toContain(`Checked ${answered.at(-1)} of 100 pairs.`);
    }
    expect(answered.length).toBeGreaterThan(1);
    expect(answered).toEqual([...answered].sort((a, b) => a - b));
    expect(answered.at(-1)).toBe(100);
    const done = requestsTo(tenant, "/shortest-path").filter(({ status }) => status === 200 || status === 404);
    const targets = done.map(({ target }) => target);
    // A pair that was being asked when the time was over may have been answered to nobody.
    expect(targets.length - new Set(targets).size).toBeLessThanOrEqual(8 * (answered.length - 1));
  });
});

describe("Fetch Assets in the built package", () => {
  let tenant: Tenant;
  let assets: Assets;
  let kinds: string[];
  beforeAll(async () => {
    tenant = await startTenant({ rateLimit: { perSecond: 55 } });
    const nodes = [...tenant.data.graph.nodes];
    kinds = [...new Set(nodes.map(({ kind }) => kind))];
    // The object of each kind that most objects are related to.
    const busiest = kinds.map((kind) => {
      const alike = nodes.filter((node) => node.kind === kind);
      return alike.reduce((best, node) => (edgesOf(node) > edgesOf(best) ? node : best)).objectId;
    });
    const { result } = await new TestHost(tenant, { plugin }).act({
      name: "Fetch Assets",
      parameters: { "Object IDs": busiest },
    });
    expect(result).toMatchObject({ status: "completed", value: true });
    ({ assets } = result.json as ActionResult<"Fetch Assets">);
  });

  const edgesOf = ({ objectId }: GraphNode): number =>
    tenant.data.graph.incoming(objectId).length + tenant.data.graph.outgoing(objectId).length;

  /** The related objects as the tenant's graph has them. */
  function relationOf(kind: string, list: string): Relation {
    const route = Object.entries(DIRECTORY_KINDS).find(([, declared]) => declared.kind === kind)?.[0] ?? "";
    const counted = DIRECTORY_LISTS[route]?.[list] ?? "";
    const relation = DIRECTORY_KINDS[route]?.counts[counted] ?? RELATED.get(list);
    if (relation === undefined) throw new Error(`The tenant has no list ${list} of ${kind}.`);
    return relation;
  }

  it("names what is related to an object of every kind, directory and cloud", () => {
    const { graph } = tenant.data;
    expect(assets.map(({ kind }) => kind)).toEqual(kinds);
    for (const { kind, objectId, related } of assets) {
      const lists = relatedLists[kind as keyof typeof relatedLists].map(({ list }) => list);
      expect([kind, Object.keys(related)]).toEqual([kind, lists]);
      for (const [list, { total, items, error }] of Object.entries(related)) {
        const expected = [...relationOf(kind!, list)(graph, objectId)];
        expect([kind, list, total, error]).toEqual([kind, list, expected.length, undefined]);
        expect(items).toHaveLength(Math.min(25, expected.length));
        for (const item of items ?? []) {
          const { name, kind: label } = graph.get(item.objectId!)!;
          expect(expected).toContain(item.objectId);
          expect(item).toEqual({ objectId: item.objectId, name, kind: label });
        }
      }
    }
  });

  it("has names to compare in the lists of directory and cloud objects", () => {
    const filled = assets.flatMap(({ related }) => Object.entries(related).filter(([, { total }]) => total !== 0));
    expect([...new Set(filled.map(([list]) => list))]).toEqual(
      expect.arrayContaining([
        ...["memberships", "members", "group-membership", "admin-users", "admin-rights", "controllers"],
        ...["group-members", "inbound-control", "descendent-users"],
      ]),
    );
  });

  it("costs at most six requests per asset, and none that the service refuses", () => {
    for (const { status } of tenant.requests) expect(status).toBe(200);
    expect(tenant.requests.length).toBeLessThanOrEqual(6 * assets.length);
  });
});

describe("the actions of the built package without parameters", () => {
  let tenant: Tenant;
  let host: TestHost;
  let user: GraphNode;
  beforeAll(async () => {
    tenant = await startTenant();
    host = new TestHost(tenant, { program });
    user = distinctNodes(tenant).find(({ kind }) => kind === "User")!;
  });

  /** A user by name and by object id, as the ontology makes two entities of it, and something that no directory holds. */
  const entities = () => [
    { identifier: user.name.toLowerCase(), type: "DestinationUserName" },
    { identifier: user.objectId, type: "GenericEntity" },
    { identifier: "192.0.2.1", type: "ADDRESS" },
  ];

  it("look up the selected entities, and enrich them", async () => {
    const { result } = await host.act({ name: "Get Object Id", context: { entities: entities() } });
    const { objects } = result.json as ActionResult<"Get Object Id">;
    expect(objects.map(({ status, objectId }) => [status, objectId])).toEqual([
      ["found", user.objectId],
      ["found", user.objectId],
    ]);
    expect(result.message).toContain(`Used the selected entities as Object Names: ${user.name.toLowerCase()},`);
    const properties = { objectId: user.objectId, kind: "User", tierZero: user.tierZero };
    expect(result.entities).toEqual([
      { identifier: user.name.toLowerCase(), type: "DestinationUserName", properties },
      { identifier: user.objectId, type: "GenericEntity", properties },
    ]);
  });

  it("describe the selected entities, each object once, and enrich them with its counts", async () => {
    const { result } = await host.act({ name: "Fetch Assets", context: { entities: entities() } });
    const { assets } = result.json as ActionResult<"Fetch Assets">;
    expect(assets.map(({ status, objectId }) => [status, objectId])).toEqual([["found", user.objectId]]);
    expect(result).toMatchObject({ status: "completed", value: true });
    expect(result.entities).toHaveLength(2);
    expect(result.entities?.[0]?.properties).toMatchObject({
      objectId: user.objectId,
      kind: "User",
      tierZero: user.tierZero,
      groupMembership: assets[0]?.counts["groupMembership"],
    });
  });

  it("check the findings of the alert", async () => {
    const edges = tenant.data.graph.edges.slice(0, 3);
    const findings = [
      ...edges.map(({ from, to }) => ({ source: from, target: to })),
      { source: null, target: user.objectId },
    ];
    const { result } = await host.act({ name: "Does Path Exist", context: { entities: entities(), findings } });
    const { paths } = result.json as Paths;
    expect(paths.map(({ start, end, length }) => [start.objectId, end.objectId, length])).toEqual(
      edges.map(({ from, to }) => [from, to, 1]),
    );
    expect(result.message).toContain("Checked the findings of the alert.");
  });

  it("search for none of the objects of a hundred findings that are still open, and name them all", async () => {
    const different = new Map(tenant.data.graph.edges.map(({ from, to }) => [`${from}>${to}`, { from, to }]));
    const edges = [...different.values()].slice(0, 100);
    const findings = edges.map(({ from, to }) => ({ source: from, target: to }));
    const before = tenant.requests.length;
    const { result } = await host.act({ name: "Does Path Exist", context: { findings } });
    const asked = tenant.requests.slice(before);
    expect(asked.filter(({ path }) => !path.endsWith("/shortest-path"))).toEqual([]);
    expect(asked).toHaveLength(100);
    const ends = ({ start, end }: Paths["paths"][number]) => [
      start.objectId,
      start.name,
      start.kind,
      end.name,
      end.kind,
    ];
    const { graph } = tenant.data;
    expect((result.json as Paths).paths.map(ends)).toEqual(
      edges.map(({ from, to }) => {
        const [start, end] = [graph.get(from)!, graph.get(to)!];
        return [from, start.name, start.kind, end.name, end.kind];
      }),
    );
  });

  it("take the selected entities for one empty end, and let explicit values win", async () => {
    const [edge] = tenant.data.graph.edges;
    const context = { entities: [{ identifier: edge!.to, type: "GENERICENTITY" }] };
    const { result } = await host.act({ name: "Does Path Exist", parameters: { "Start Node": edge!.from }, context });
    expect((result.json as Paths).paths).toMatchObject([{ status: "path", end: { objectId: edge!.to } }]);
    expect(result.message).toContain(`Used the selected entities as End Node: ${edge!.to}.`);
    const explicit = await host.act({
      name: "Fetch Assets",
      parameters: { "Object IDs": user.objectId },
      context: { entities: [{ identifier: edge!.to, type: "GENERICENTITY" }] },
    });
    const { assets } = explicit.result.json as ActionResult<"Fetch Assets">;
    expect(assets.map(({ objectId }) => objectId)).toEqual([user.objectId]);
    expect(explicit.result.message).not.toContain("selected");
  });

  it.each([
    ["Get Object Id", "Object Names is empty"],
    ["Fetch Assets", "Object IDs is empty"],
    ["Does Path Exist", "Start Node and End Node are empty"],
  ] as const)("fail before any request when nothing stands in for them: %s", async (name, message) => {
    const before = tenant.requests.length;
    const { result } = await host.act({ name, context: { entities: entities().slice(2) } });
    expect(result.status).toBe("failed");
    expect(result.message).toContain(message);
    expect(tenant.requests).toHaveLength(before);
  });
});
