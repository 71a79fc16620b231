import { describe, expect, it } from "@jest/globals";
import { sendJson, wrapper } from "../../support/raw-server.ts";
import { answering } from "../support/answering.ts";
import { errorOf } from "../support/clients.ts";

const tenant = answering();

describe("entities", () => {
  it("of the directory have properties and counts under the service's names", async () => {
    tenant.respond({
      data: {
        kind: "User",
        kinds: ["Base", "User"],
        props: { name: "A", note: null },
        adminRights: 0,
        groupMembership: 12,
        sessions: null,
      },
    });
    await expect(tenant.service.entities.directory("users", "S-1-5/x", { counts: true })).resolves.toEqual({
      kind: "User",
      kinds: ["Base", "User"],
      properties: { name: "A", note: null },
      counts: { adminRights: 0, groupMembership: 12 },
    });
    await tenant.service.entities.directory("users", "S-1", { counts: false });
    expect(tenant.targets()).toEqual(["GET /api/v2/users/S-1-5%2Fx?counts=true", "GET /api/v2/users/S-1?counts=false"]);
  });

  it("keep counts of a group that are no numbers as unknown", async () => {
    const descendent_counts = { AZUser: "many", AZGroup: null, AZVM: [1], AZApp: 4 };
    tenant.respond({ data: { props: { objectid: "0a-b" }, note: "text", descendents: { descendent_counts } } });
    const { counts } = await tenant.service.entities.azure("tenants", "0a-b", { counts: true });
    expect(counts).toEqual({
      descendents: { descendent_counts: { AZUser: null, AZGroup: null, AZVM: null, AZApp: 4 } },
    });
  });

  it("of the cloud may have nested counts, and call their properties properties", async () => {
    tenant.respond({
      data: {
        kind: "AZTenant",
        isTierZero: true,
        properties: { name: "T" },
        inbound_object_control: 3,
        descendents: { descendent_counts: { AZUser: 5, AZVM: 0 } },
      },
    });
    await expect(tenant.service.entities.azure("tenants", "0a-b", { counts: true })).resolves.toEqual({
      kind: "AZTenant",
      isTierZero: true,
      properties: { name: "T" },
      counts: { inbound_object_control: 3, descendents: { descendent_counts: { AZUser: 5, AZVM: 0 } } },
    });
    expect(tenant.targets()).toEqual(["GET /api/v2/azure/tenants?object_id=0a-b&counts=true"]);
  });

  it.each([
    ["of a directory list", { objectID: "1", name: "G", label: "Group" }, "Group"],
    ["of a cloud list", { kind: "AZGroup", properties: { objectid: "1", name: "G" } }, "AZGroup"],
    ["of an older cloud list", { kind: "AZGroup", kinds: ["AZBase"], props: { id: "1", displayname: "G" } }, "AZGroup"],
  ])("have related ones in the form %s", async (_, item, kind) => {
    tenant.respond({ count: 7, skip: 0, limit: 2, data: [item, {}] });
    const nameless = { objectId: null, name: null, kind: null };
    const expected = { items: [{ objectId: "1", name: "G", kind }, nameless], total: 7 };
    await expect(tenant.service.entities.azureRelated("users", "0a", "roles")).resolves.toEqual(expected);
    await expect(tenant.service.entities.directoryRelated("users", "S-1", "memberships")).resolves.toEqual(expected);
  });

  it("have related ones, a page at a time", async () => {
    tenant.respond({ count: 7, data: null });
    const page = { skip: 5, limit: 2 };
    await tenant.service.entities.azureRelated("users", "0a", "group-membership", page);
    await tenant.service.entities.directoryRelated("users", "S-1/2", "memberships", page);
    expect(tenant.targets()).toEqual([
      "GET /api/v2/azure/users?object_id=0a&related_entity_type=group-membership&type=list&skip=5&limit=2",
      "GET /api/v2/users/S-1%2F2/memberships?type=list&skip=5&limit=2",
    ]);
  });

  it("that do not exist are the service's own 404", async () => {
    tenant.respond(wrapper(404, "node not found"), 404);
    await expect(errorOf(tenant.service.entities.directory("users", "S-9", { counts: true }))).resolves.toMatchObject({
      code: "not_found",
      wrapped: true,
    });
  });

  it("are not taken from the answer about another one", async () => {
    tenant.respond({ data: { kind: "User", props: { objectid: "S-2" } } });
    const about = (id: string) => tenant.service.entities.directory("users", id, { counts: false });
    await expect(errorOf(about("S-1"))).resolves.toMatchObject({
      code: "protocol",
      message: expect.stringContaining("is about another object"),
    });
    await expect(about("s-2")).resolves.toMatchObject({ kind: "User" });
    await expect(errorOf(tenant.service.entities.azure("users", "S-1", { counts: false }))).resolves.toMatchObject({
      code: "protocol",
    });
  });

  it.each([{}, { props: {} }, { props: null, kind: "User" }])(
    "are not read from %j, which says nothing",
    async (data) => {
      tenant.respond({ data });
      await expect(errorOf(tenant.service.entities.azure("users", "S-1", { counts: true }))).resolves.toMatchObject({
        code: "protocol",
        message: expect.stringContaining("says nothing about the object"),
      });
    },
  );

  it("without an id are not asked for", async () => {
    await expect(errorOf(tenant.service.entities.directory("users", "", { counts: true }))).resolves.toMatchObject({
      code: "bad_request",
    });
    expect(tenant.server.requests).toHaveLength(0);
  });
});

describe("the meta tree", () => {
  it("has nodes and edges, checked each by its kind", async () => {
    const edge = {
      id1: "a",
      id2: "b",
      label: { text: "x" },
      end1: { arrow: true, glyphs: [{ angle: 1, fontIcon: { text: "y" } }] },
    };
    tenant.respond({
      data: { a: { size: 3, label: { fontSize: "big", text: "A" }, data: { any: [1] } }, e: edge, odd: 7 },
    });
    await expect(tenant.service.graph.metaTree("S-1", { nodeId: 5, assetGroupTagId: 2 })).resolves.toEqual({
      a: { size: 3, label: { text: "A" }, data: { any: [1] } },
      e: edge,
    });
    expect(tenant.targets()).toEqual(["GET /api/v2/meta-trees/S-1?node_id=5&asset_group_tag_id=2"]);
    expect(tenant.warnings().flatMap(({ fields }) => fields["invalidValues"])).toEqual([
      "/label/fontSize is not of the type number",
      "/odd is neither a node nor an edge",
    ]);
  });
});

describe("single sign-on", () => {
  it("lists SAML providers", async () => {
    tenant.respond({
      data: {
        saml_providers: [
          {
            id: 1,
            name: "idp",
            sso_provider_id: { int32: 4, valid: true },
            deleted_at: { time: "", valid: false },
            principal_attribute_mappings: null,
          },
        ],
      },
    });
    await expect(tenant.service.sso.listSamlProviders()).resolves.toEqual([
      { id: 1, name: "idp", sso_provider_id: 4, deleted_at: null },
    ]);
    expect(tenant.targets()).toEqual(["GET /api/v2/saml"]);
  });

  it("reads the providers that the service counts and did not list, and is an error without them", async () => {
    const all = [{ id: 1 }, { id: 2 }, { id: 3 }];
    tenant.answer = (request, response) => {
      const skip = Number(new URL(request.url ?? "", tenant.server.url).searchParams.get("skip"));
      sendJson(response, { count: 3, data: { saml_providers: all.slice(skip, skip + 2) } });
    };
    await expect(tenant.service.sso.listSamlProviders()).resolves.toEqual(all);
    tenant.respond({ count: 3, data: { saml_providers: all.slice(0, 1) } });
    await expect(errorOf(tenant.service.sso.listSamlProviders())).resolves.toMatchObject({ code: "protocol" });
  });

  it("takes null for no providers, and an answer without a list for no answer", async () => {
    tenant.respond({ data: { saml_providers: null } });
    await expect(tenant.service.sso.listSamlProviders()).resolves.toEqual([]);
    tenant.respond({ data: {} });
    await expect(errorOf(tenant.service.sso.listSamlProviders())).resolves.toMatchObject({ code: "protocol" });
  });

  it("warns that the deletion of a SAML provider is deprecated, and names what replaces it", async () => {
    tenant.respond({
      data: {
        affected_user: [
          { id: "u", first_name: { string: "Zoë", valid: true }, last_name: { string: "", valid: false } },
        ],
      },
    });
    await expect(tenant.service.sso.deleteSamlProvider(3)).resolves.toEqual([
      { id: "u", first_name: "Zoë", last_name: null },
    ]);
    expect(tenant.targets()).toEqual(["DELETE /api/v2/saml/providers/3"]);
    expect(tenant.warnings().map(({ message }) => message)).toEqual([expect.stringContaining("deleteSsoProvider")]);
  });

  it("deletes an SSO provider, whether or not the service has something to say", async () => {
    tenant.respond({ data: { affected_users: [{ id: "u" }] } });
    await expect(tenant.service.sso.deleteSsoProvider("7")).resolves.toEqual([{ id: "u" }]);
    tenant.answer = (_, response) => {
      response.writeHead(204).end();
    };
    await expect(tenant.service.sso.deleteSsoProvider(7)).resolves.toBeNull();
    expect(tenant.targets()).toEqual(["DELETE /api/v2/sso-providers/7", "DELETE /api/v2/sso-providers/7"]);
    tenant.respond({ data: { affected_user: null } });
    await expect(tenant.service.sso.deleteSsoProvider(7)).resolves.toEqual([]);
    expect(tenant.warnings()).toEqual([]);
  });
});

describe("client tasks", () => {
  it("has the current one", async () => {
    tenant.respond({
      data: {
        id: 1,
        event_id: { int32: 0, valid: false },
        ous: null,
        domain_results: [{ user_count: 3, deleted_at: null }],
      },
    });
    await expect(tenant.service.clientTasks.current()).resolves.toEqual({
      id: 1,
      event_id: null,
      domain_results: [{ user_count: 3 }],
    });
    expect(tenant.targets()).toEqual(["GET /api/v2/tasks/current"]);
  });
});
