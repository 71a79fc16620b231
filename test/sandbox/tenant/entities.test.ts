import { beforeAll, describe, expect, it } from "@jest/globals";
import type { Tenant } from "../../../sandbox/tenant/index.ts";
import { DIRECTORY_KINDS } from "../../../sandbox/tenant/routes/directory.ts";
import { DIRECTORY_LISTS } from "../../../sandbox/tenant/routes/directory-lists.ts";
import { AZURE_KINDS, RELATED } from "../../../sandbox/tenant/routes/azure-kinds.ts";
import type { GraphNode } from "../../../sandbox/tenant/graph/graph.ts";
import { startTenant } from "../../support/tenant.ts";
import { ask } from "./client.ts";

let tenant: Tenant;
let nodes: GraphNode[];
beforeAll(async () => {
  tenant = await startTenant({ dialect: "bloodhound-enterprise", dataset: { seed: 5 }, documentFormat: "json" });
  nodes = [...tenant.data.graph.nodes];
});

/** bloodhound-enterprise tenants want another scheme word; a JWT spares the tests it. */
const read = (target: string, method = "GET") =>
  ask(tenant, target, { method, headers: { Authorization: `Bearer ${jwt()}` } });
let issued: string | undefined;
const jwt = (): string => (issued ??= tenant.control.issueJwt());

const sources = (to: string, kind: string): string[] =>
  tenant.data.graph.edges.filter((edge) => edge.to === to && edge.kind === kind).map((edge) => edge.from);
const targets = (from: string, kind: string): string[] =>
  tenant.data.graph.edges.filter((edge) => edge.from === from && edge.kind === kind).map((edge) => edge.to);

/** Groups of an object by repeated passes over all edges: slow, and unlike the code under test. */
function allGroups(objectId: string, kind = "MemberOf"): Set<string> {
  const groups = new Set<string>();
  for (let grew = true; grew;) {
    const size = groups.size;
    for (const edge of tenant.data.graph.edges)
      if (edge.kind === kind && (edge.from === objectId || groups.has(edge.from))) groups.add(edge.to);
    grew = groups.size > size;
  }
  return groups;
}

describe("directory entities", () => {
  it.each(Object.entries(DIRECTORY_KINDS).filter(([route]) => route !== "base"))(
    "at %s have their properties, kinds and counts",
    async (route, { kind, counts }) => {
      const node = nodes.find((candidate) => candidate.kind === kind)!;
      const { data } = (await read(`/api/v2/${route}/${encodeURIComponent(node.objectId)}`)).json;
      expect(data.props).toMatchObject({ name: node.name, objectid: node.objectId });
      expect(data.kinds).toEqual(["Base", kind]);
      expect(Object.keys(data).sort()).toEqual(["props", "kinds", ...Object.keys(counts)].sort());
      for (const name of Object.keys(counts)) expect(data[name]).toBeGreaterThanOrEqual(0);
    },
  );

  it("count what the graph holds", async () => {
    for (const user of nodes.filter((node) => node.kind === "User").slice(0, 25)) {
      const { data } = (await read(`/api/v2/users/${user.objectId}`)).json;
      const groups = allGroups(user.objectId);
      const holders = [user.objectId, ...groups];
      expect(data.groupMembership).toBe(groups.size);
      expect(data.sessions).toBe(sources(user.objectId, "HasSession").length);
      expect(data.adminRights).toBe(new Set(holders.flatMap((holder) => targets(holder, "AdminTo"))).size);
      expect(data.rdpRights).toBe(new Set(holders.flatMap((holder) => targets(holder, "CanRDP"))).size);
    }
  });

  it("count members, contents and domains", async () => {
    const group = nodes.find((node) => node.name === "SERVER ADMINS@CORP.HALDEN.TEST")!;
    const members = nodes.filter((node) => allGroups(node.objectId).has(group.objectId));
    expect((await read(`/api/v2/groups/${group.objectId}`)).json.data.members).toBe(members.length);
    const environment = tenant.data.environments[0]!;
    const { data } = (await read(`/api/v2/domains/${environment.id}`)).json;
    const ofKind = (kind: string): number =>
      nodes.filter((node) => node.environmentId === environment.id && node.kind === kind).length;
    expect(data).toMatchObject({
      users: ofKind("User"),
      groups: ofKind("Group"),
      computers: ofKind("Computer"),
      ous: ofKind("OU"),
    });
    expect(data.foreignUsers).toBe(2);
    expect(data.foreignGroups).toBe(1);
    expect(data.inboundTrusts).toBe(2);
    expect(data.outboundTrusts).toBe(1);
    const unit = nodes.find((node) => node.name === "STAFF@CORP.HALDEN.TEST")!;
    expect((await read(`/api/v2/ous/${unit.objectId}`)).json.data.users).toBe(
      targets(unit.objectId, "Contains").length,
    );
  });

  it("leave counts out on request, and are a 404 under another kind's route", async () => {
    const user = nodes.find((node) => node.kind === "User" && node.tierZero)!;
    const { data } = (await read(`/api/v2/users/${user.objectId}?counts=false`)).json;
    expect(data).toEqual({ props: { ...user.props, isTierZero: true } });
    expect((await read(`/api/v2/computers/${user.objectId}`)).json).toMatchObject({
      http_status: 404,
      errors: [{ message: "node not found" }],
    });
    expect((await read(`/api/v2/users/${user.objectId}?counts=maybe`)).status).toBe(400);
  });

  it("have lists as long as the counts say, in pages", async () => {
    for (const [route, lists] of Object.entries(DIRECTORY_LISTS)) {
      const { kind } = DIRECTORY_KINDS[route]!;
      const node = nodes.find((candidate) => candidate.kinds.includes(kind))!;
      const { data: counts } = (await read(`/api/v2/${route}/${encodeURIComponent(node.objectId)}`)).json;
      for (const [list, counted] of Object.entries(lists)) {
        const page = (await read(`/api/v2/${route}/${encodeURIComponent(node.objectId)}/${list}?limit=2`)).json;
        const { count, data } = page as unknown as { count: number; data: object[] | null };
        if (route !== "base" || list !== "controllers") expect([list, count]).toEqual([list, counts[counted]]);
        expect(data ?? []).toHaveLength(Math.min(2, count));
        for (const item of data ?? []) expect(Object.keys(item)).toEqual(["objectID", "name", "label"]);
      }
    }
    expect((await read("/api/v2/users/S-9/memberships")).status).toBe(404);
  });

  it("have a base route that knows no cloud objects", async () => {
    const [user, cloudUser] = ["User", "AZUser"].map((kind) => nodes.find((node) => node.kind === kind)!);
    expect((await read(`/api/v2/base/${user!.objectId}`)).json.data).toHaveProperty("controllables");
    expect((await read(`/api/v2/base/${cloudUser!.objectId}`)).status).toBe(404);
  });
});

describe("cloud entities", () => {
  const entity = (type: string, query: string) => read(`/api/v2/azure/${type}?${query}`);

  it.each(Object.entries(AZURE_KINDS))("of type %s have properties and counts", async (type, { kind }) => {
    const node = nodes.find((candidate) => candidate.kinds.includes(kind))!;
    const { data } = (await entity(type, `object_id=${node.objectId}&counts=true`)).json;
    expect(data).toMatchObject({
      kind: node.kind,
      kinds: node.kinds,
      isTierZero: node.tierZero,
      isOwnedObject: false,
      props: { name: node.name },
    });
    const bare = (await entity(type, `object_id=${node.objectId}&counts=false`)).json.data;
    expect(Object.keys(bare)).toEqual(["kind", "kinds", "isTierZero", "isOwnedObject", "props"]);
  });

  it("count what the graph holds", async () => {
    const tenantNode = nodes.find((node) => node.kind === "AZTenant")!;
    const { descendents } = (await entity("tenants", `object_id=${tenantNode.objectId}`)).json.data;
    expect(descendents).toMatchObject({
      descendent_counts: {
        AZUser: nodes.filter((node) => node.kind === "AZUser").length,
        AZVM: 3,
        AZKeyVault: 2,
        AZSubscription: 1,
      },
    });
    for (const user of nodes.filter((node) => node.kind === "AZUser")) {
      const { data } = (await entity("users", `object_id=${user.objectId}`)).json;
      const holders = [user.objectId, ...allGroups(user.objectId, "AZMemberOf")];
      expect(data.group_membership).toBe(holders.length - 1);
      expect(data.roles).toBe(new Set(holders.flatMap((holder) => targets(holder, "AZHasRole"))).size);
    }
    const vault = nodes.find((node) => node.kind === "AZKeyVault")!;
    const readers = (await entity("key-vaults", `object_id=${vault.objectId}`)).json.data.Readers as Record<
      string,
      number
    >;
    expect(readers.CertificateReaders).toBe(1);
    expect(readers.AllReaders).toBeGreaterThanOrEqual(readers.KeyReaders!);
  });

  it("list related entities in pages, and as a graph without a wrapper", async () => {
    const tenantNode = nodes.find((node) => node.kind === "AZTenant")!;
    const related = (query: string) =>
      entity("tenants", `object_id=${tenantNode.objectId}&related_entity_type=${query}`);
    const all = (await related("descendent-users")).json;
    expect(all).toMatchObject({ count: 30, limit: 100, skip: 0 });
    const part = (await related("descendent-users&skip=28&limit=10")).json;
    expect(part).toMatchObject({ count: 30, limit: 10, skip: 28 });
    expect(part.data).toEqual(all.data.slice(28));
    expect((await related("descendent-users&skip=31")).status).toBe(400);
    const graph: unknown = (await related("descendent-groups&type=graph")).json;
    expect(graph).not.toHaveProperty("data");
    expect(graph).toMatchObject({ [tenantNode.objectId]: { label: { text: tenantNode.name } } });
    for (const name of RELATED.keys()) expect((await related(name)).status).toBe(200);
  });

  it("have the service's errors", async () => {
    const user = nodes.find((node) => node.kind === "AZUser")!;
    const error = async (type: string, query: string) => {
      const { http_status: status, errors } = (await entity(type, query)).json;
      return [status, errors[0].message];
    };
    expect(await error("users", "")).toEqual([400, "query parameter object_id is required"]);
    expect((await error("aliens", `object_id=${user.objectId}`))[0]).toBe(400);
    expect(await error("vms", `object_id=${user.objectId}`)).toEqual([404, "not found"]);
    expect(await error("users", `object_id=${user.objectId}&related_entity_type=friends`)).toEqual([
      404,
      "no matching related entity list type for friends",
    ]);
  });
});

describe("documents in the other dialect", () => {
  it("have the suffix .md, may be wrapped in JSON, and are a 404 when missing", async () => {
    const base = "/api/v2/assets/findings/Kerberoasting";
    expect((await read(`${base}/title.md`)).json).toEqual({ data: "Kerberoastable Users" });
    expect((await read(`${base}/long_remediation.md`)).json.data).toContain("## Steps");
    expect((await read(`${base}/title`)).status).toBe(404);
    tenant.control.setDocument("Kerberoasting", "title", null);
    expect((await read(`${base}/title.md`)).status).toBe(404);
    expect((await read("/api/v2/assets/findings/Nothing/title.md")).status).toBe(404);
  });
});

describe("the other operations", () => {
  it("show a meta tree whose edges end in Tier Zero", async () => {
    const { id } = tenant.data.environments[0]!;
    const { data } = (await read(`/api/v2/meta-trees/${id}`)).json;
    const items = Object.values(data) as { id1?: string; id2?: string }[];
    const edges = items.filter((item) => "id1" in item);
    expect(edges.length).toBeGreaterThan(10);
    for (const edge of edges) expect([edge.id1! in data, edge.id2! in data]).toEqual([true, true]);
    expect((await read(`/api/v2/meta-trees/${id}?node_id=x`)).status).toBe(400);
    expect((await read("/api/v2/meta-trees/none")).status).toBe(404);
  });

  it("list and delete sign-on providers with the users they affect", async () => {
    const { saml_providers: providers } = (await read("/api/v2/saml")).json.data;
    expect(providers).toHaveLength(2);
    const { affected_user: users } = (await read("/api/v2/saml/providers/1", "DELETE")).json.data;
    expect(users).toMatchObject([{ principal_name: "auditor.halden-idp" }, { principal_name: "analyst.halden-idp" }]);
    expect((await read("/api/v2/saml/providers/1", "DELETE")).status).toBe(404);
    expect((await read("/api/v2/sso-providers/12", "DELETE")).json.data.affected_users).toHaveLength(2);
    expect((await read("/api/v2/saml")).json.data.saml_providers).toEqual([]);
  });

  it("tell the current task, the version and the token's user", async () => {
    const task = (await read("/api/v2/tasks/current")).json.data;
    const users = tenant.data.environments.slice(0, 3).map(({ id }) => ({
      user_count: nodes.filter((node) => node.kind === "User" && node.environmentId === id).length,
    }));
    expect(task).toMatchObject({ status_message: "Completed", domain_results: users });
    expect((await read("/api/version")).json).toMatchObject({ data: { API: { current_version: "v2" } } });
    expect((await read("/api/v2/self")).json).toMatchObject({ data: { roles: [{ name: "Auditor" }] } });
  });

  it("list environments, filtered and sorted", async () => {
    const names = async (query: string) =>
      (await read(`/api/v2/available-domains?${query}`)).json.data.map((item) => item.name);
    expect(await names("collected=eq:false")).toEqual(["LEGACY.HALDEN.TEST"]);
    expect(await names("name=~eq:fjord")).toEqual(["FJORD.TEST"]);
    const all = await names("sort_by=-name");
    expect(all).toEqual([...all].sort().reverse());
    expect((await read("/api/v2/available-domains?sort_by=type")).status).toBe(400);
  });
});
