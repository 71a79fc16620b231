import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import type { AttackPathService, FindingsPage, FindingsQuery } from "../../src/service/client.ts";
import { NotFoundError, ServerError } from "../../src/service/errors/errors.ts";
import { clientOf, closeClients, errorOf, recordingLog } from "./support/clients.ts";
import { sendJson, startServer, wrapper, type Handler, type TestServer } from "../support/raw-server.ts";

let server: TestServer;
let answer: Handler;
let log: ReturnType<typeof recordingLog>;
let service: AttackPathService;

beforeAll(async () => {
  server = await startServer((request, response, index) => {
    answer(request, response, index);
  });
  log = recordingLog();
});

// A client asks nothing more once its credentials were rejected, and remembers what else the service rejects.
beforeEach(() => {
  service = clientOf(server.url, { log, requestsPerSecond: 10_000 });
});

afterEach(() => {
  server.requests.length = 0;
  log.lines.length = 0;
});

afterAll(async () => {
  closeClients();
  await server.close();
});

/** The server answers each request with this. */
function respond(body: unknown, status = 200): void {
  answer = (_, response) => {
    sendJson(response, body, status);
  };
}

const targets = () => server.requests.map(({ method, target }) => `${method} ${target}`);
const warnings = () => log.lines.filter(({ level }) => level === "warn");

describe("environments", () => {
  it("come as the service lists them, unknown fields included", async () => {
    respond({
      data: [
        {
          id: "S-1",
          name: "A",
          type: "active-directory",
          collected: true,
          impactValue: null,
          exposures: [{ exposure_percent: 3 }],
          added: 1,
        },
      ],
    });
    await expect(service.environments.list()).resolves.toEqual({
      environments: [
        {
          id: "S-1",
          name: "A",
          type: "active-directory",
          collected: true,
          exposures: [{ exposure_percent: 3 }],
          added: 1,
        },
      ],
      unreadable: 0,
    });
    expect(targets()).toEqual(["GET /api/v2/available-domains"]);
    expect(warnings()).toEqual([]);
  });

  it("that nothing can be asked about are counted: without an id, with an empty one, or with broken Unicode", async () => {
    respond({ data: [{ name: "A" }, { id: "S-2", name: 5 }, null, { id: "" }, { id: 7 }, { id: "S-\ud800" }] });
    await expect(service.environments.list()).resolves.toEqual({ environments: [{ id: "S-2" }], unreadable: 5 });
    expect(warnings().map(({ fields }) => fields["count"])).toEqual([3]);
  });
});

describe("the analysis", () => {
  const status = (data: unknown) => {
    respond({ data });
    return service.analysis.status();
  };
  const at = "2026-08-20T14:05:06.12Z";

  it("has a time and is idle or not", async () => {
    await expect(status({ status: "idle", last_complete_analysis_at: at, updated_at: "later" })).resolves.toEqual({
      completedAt: at,
      idle: true,
    });
    for (const other of ["ingesting", "analyzing", "something new"]) {
      await expect(status({ status: other, last_complete_analysis_at: at })).resolves.toEqual({
        completedAt: at,
        idle: false,
      });
    }
    expect(targets()[0]).toBe("GET /api/v2/datapipe/status");
  });

  it.each(["0001-01-01T00:00:00Z", "0001-01-01T01:00:00+01:00", null])(
    "has no time when none was completed (%s)",
    async (none) => {
      await expect(status({ status: "idle", last_complete_analysis_at: none })).resolves.toEqual({
        completedAt: null,
        idle: true,
      });
    },
  );

  it.each([
    [null],
    [[]],
    ["idle"],
    [{}],
    [{ status: "idle" }],
    [{ last_complete_analysis_at: at }],
    [{ status: 1, last_complete_analysis_at: at }],
    [{ status: "idle", last_complete_analysis_at: 7 }],
    [{ status: "idle", last_complete_analysis_at: "yesterday" }],
  ])("is not offered when the answer is %j", async (data) => {
    await expect(status(data)).resolves.toBeNull();
  });

  it.each([400, 403, 404])("is not offered after %i, which is no reason to warn", async (code) => {
    respond(wrapper(code, "no"), code);
    await expect(service.analysis.status()).resolves.toBeNull();
    expect(warnings()).toEqual([]);
  });

  it.each([
    [401, "unauthenticated"],
    [500, "server"],
  ])("is an error after %i", async (code, expected) => {
    respond(wrapper(code, "no"), code);
    await expect(errorOf(service.analysis.status())).resolves.toMatchObject({ code: expected });
  });

  it("is an error when a web page answers", async () => {
    answer = (_, response) => {
      response.writeHead(200, { "content-type": "text/html" }).end("<html>Sign in</html>");
    };
    await expect(errorOf(service.analysis.status())).resolves.toMatchObject({ code: "protocol" });
  });
});

describe("findings", () => {
  const query: FindingsQuery = { environmentId: "S-1-5", findingType: "Custom/Ü b" };

  async function read(more: Partial<FindingsQuery> = {}): Promise<FindingsPage[]> {
    const pages: FindingsPage[] = [];
    for await (const page of service.findings.pages({ ...query, ...more })) pages.push(page);
    return pages;
  }

  it("are asked for by creation time and id, a thousand at a time", async () => {
    respond({ data: [{ id: 1 }], count: 1 });
    await read();
    await read({ createdFrom: "2026-08-20T14:05:06.123456789Z" });
    const list = "sort_by=created_at&sort_by=id&limit=1000&skip=0";
    expect(targets()).toEqual([
      `GET /api/v2/domains/S-1-5/details?finding=Custom%2F%C3%9C%20b&${list}`,
      `GET /api/v2/domains/S-1-5/details?finding=Custom%2F%C3%9C%20b&created_at=gte%3A2026-08-20T14%3A05%3A06.123456789Z&${list}`,
    ]);
  });

  it("come page by page with their places, however few the service grants", async () => {
    const all = Array.from({ length: 7 }, (_, id) => ({ id }));
    answer = (request, response) => {
      const skip = Number(new URL(request.url ?? "", server.url).searchParams.get("skip"));
      sendJson(response, { count: all.length, skip, limit: 3, data: all.slice(skip, skip + 3) });
    };
    expect(await read()).toEqual([
      { findings: all.slice(0, 3), invalidValues: [], total: 7, skip: 0 },
      { findings: all.slice(3, 5), invalidValues: [], total: 7, skip: 3 },
      { findings: all.slice(5, 7), invalidValues: [], total: 7, skip: 5 },
    ]);
    expect(await read({ resume: { skip: 5, after: "4" } })).toEqual([
      { findings: all.slice(5, 7), invalidValues: [], total: 7, skip: 5 },
    ]);
  });

  it("have their wrappers unwrapped and their principals' properties as sent", async () => {
    respond({
      count: 1,
      data: [
        {
          id: 1,
          deleted_at: { time: "0001-01-01T00:00:00Z", valid: false },
          Severity: null,
          ToPrincipalProps: { name: "A", x: null },
          NewOne: true,
        },
      ],
    });
    expect((await read())[0]?.findings).toEqual([
      { id: 1, deleted_at: null, ToPrincipalProps: { name: "A", x: null }, NewOne: true },
    ]);
  });

  it("are delivered without what does not fit, and with its place", async () => {
    respond({ count: 2, data: [{ id: 1 }, { id: 2, ImpactPercentage: "high", FromPrincipal: 7 }] });
    const [page] = await read();
    expect(page?.findings).toEqual([{ id: 1 }, { id: 2 }]);
    expect(page?.invalidValues).toEqual([
      { position: 1, path: "/ImpactPercentage", problem: "is not of the type number" },
      { position: 1, path: "/FromPrincipal", problem: "is not of the type string" },
    ]);
  });

  it("that are promised and missing are a protocol error of that request", async () => {
    respond({ count: 5, data: null });
    await expect(errorOf(read())).resolves.toMatchObject({ code: "protocol", path: "/api/v2/domains/S-1-5/details" });
  });

  it("end with the consumer: a page that nobody wants is not asked for", async () => {
    respond({ count: 10, data: [{ id: 1 }] });
    for await (const page of service.findings.pages(query)) {
      expect(page.findings).toHaveLength(1);
      break;
    }
    expect(server.requests).toHaveLength(1);
  });

  it("are probed with one record, the one with the greatest id", async () => {
    respond({ count: 42, data: [{ id: 9, created_at: "2026-08-20T14:05:06Z" }] });
    await expect(
      service.findings.newest({ environmentId: "S-1", findingType: "T0Owns", createdFrom: "2026-08-20T00:00:00Z" }),
    ).resolves.toEqual({
      total: 42,
      newest: { id: 9, created_at: "2026-08-20T14:05:06Z" },
    });
    expect(targets()).toEqual([
      "GET /api/v2/domains/S-1/details?finding=T0Owns&created_at=gte%3A2026-08-20T00%3A00%3A00Z&sort_by=-id&limit=1",
    ]);
    respond({ data: null });
    await expect(service.findings.newest({ environmentId: "S-1", findingType: "T0Owns" })).resolves.toEqual({
      total: null,
      newest: null,
    });
  });

  it("are not probed any more once the service has rejected the question", async () => {
    const window = { environmentId: "S-1", findingType: "T0Owns" };
    respond(wrapper(400, "column is not sortable"), 400);
    await expect(service.findings.newest(window)).resolves.toBeNull();
    const asked = server.requests.length;
    await expect(service.findings.newest(window)).resolves.toBeNull();
    expect(server.requests).toHaveLength(asked);
  });

  it("are an error when a probe fails in any other way", async () => {
    respond(wrapper(403, "no"), 403);
    const window = { environmentId: "S-1", findingType: "T0Owns" };
    await expect(errorOf(service.findings.newest(window))).resolves.toMatchObject({ code: "forbidden" });
    respond({ data: [] });
    await expect(service.findings.newest(window)).resolves.toEqual({ total: null, newest: null });
  });

  /** Rejects requests that this says true to, and gives one finding else. */
  function reject(isRejected: (query: URLSearchParams) => boolean): void {
    answer = (request, response) => {
      if (isRejected(new URL(request.url ?? "", server.url).searchParams))
        sendJson(response, wrapper(400, "invalid parameter"), 400);
      else sendJson(response, { count: 1, data: [{ id: 1 }] });
    };
  }

  it.each<[string, (query: URLSearchParams) => boolean, string]>([
    [
      "a second sort column",
      (query) => query.getAll("sort_by").length > 1,
      "created_at=gte%3AX&sort_by=created_at&limit=1000&skip=0",
    ],
    ["its page size", (query) => query.has("limit"), "created_at=gte%3AX&sort_by=created_at&skip=0"],
    ["every sort order", (query) => query.has("sort_by"), "created_at=gte%3AX&limit=1000&skip=0"],
    ["sort order and page size", (query) => query.has("sort_by") || query.has("limit"), "created_at=gte%3AX&skip=0"],
    ["everything", (query) => query.size > 2, "skip=0"],
  ])("are read without what the service rejects: %s", async (_, isRejected, accepted) => {
    reject(isRejected);
    expect((await read({ createdFrom: "X" }))[0]?.findings).toEqual([{ id: 1 }]);
    expect(targets().at(-1)).toBe(`GET /api/v2/domains/S-1-5/details?finding=Custom%2F%C3%9C%20b&${accepted}`);
    server.requests.length = 0;
    await read({ createdFrom: "X" });
    // What was rejected once is not asked for again.
    expect(targets()).toHaveLength(1);
  });

  it("are an error with the service's first reason when it rejects every way to ask", async () => {
    answer = (_, response, index) => {
      sendJson(response, wrapper(400, index === 0 ? "unknown finding" : "other"), 400);
    };
    await expect(errorOf(read())).resolves.toMatchObject({
      code: "bad_request",
      message: expect.stringContaining("unknown finding"),
    });
  });

  it.each<[string, () => Promise<unknown>]>([
    ["environments", () => service.environments.list()],
    ["finding types", () => service.findings.types("S-1")],
    ["findings", () => read()],
  ])("and other lists that are null are asked for once more before they count as empty: %s", async (_, list) => {
    answer = (_request, response, index) => {
      sendJson(response, index === 0 ? { data: null } : { data: [] });
    };
    await list();
    expect(server.requests).toHaveLength(2);
  });

  it("have types; entries that are not names are counted", async () => {
    respond({ data: ["T0Owns", null, "", 7, "Custom/Ü b", "\ud83d\ude00", "broken \udc00", ["T0Owns"], "__proto__"] });
    await expect(service.findings.types("S-1")).resolves.toEqual({
      types: ["T0Owns", "Custom/Ü b", "\ud83d\ude00", "__proto__"],
      unreadable: 5,
    });
    respond({ data: [] });
    await expect(service.findings.types("S-1")).resolves.toEqual({ types: [], unreadable: 0 });
  });

  it("have a sparkline of analyses", async () => {
    respond({
      data: [
        {
          id: 1,
          created_at: "2026-08-20T14:05:06Z",
          deleted_at: { time: "", valid: false },
          FindingCount: 3,
          CompositeRisk: 12.5,
        },
      ],
    });
    await expect(
      service.findings.sparkline({
        environmentId: "S-1",
        findingType: "T0Owns",
        from: "2026-08-20T00:00:00Z",
        to: "2026-08-21T00:00:00Z",
      }),
    ).resolves.toEqual([
      { id: 1, created_at: "2026-08-20T14:05:06Z", deleted_at: null, FindingCount: 3, CompositeRisk: 12.5 },
    ]);
    expect(targets()).toEqual([
      "GET /api/v2/domains/S-1/sparkline?finding=T0Owns&from=2026-08-20T00%3A00%3A00Z&to=2026-08-21T00%3A00%3A00Z",
    ]);
  });
});

describe("finding documents", () => {
  it.each([
    ["text/plain", "A title", "A title"],
    ["text/markdown; charset=utf-8", "# Fix <b>it</b>\n<p>now</p>", "# Fix <b>it</b>\n<p>now</p>"],
    ["application/json", '{"data":"A title"}', "A title"],
    ["application/json", '"A title"', "A title"],
    ["application/json", '{"data":null}', ""],
    ["text/plain", '{"data":"A title"}', "A title"],
    ["text/plain", "{not JSON}", "{not JSON}"],
    ["text/plain", "", ""],
  ])("are read from %s %j", async (type, body, text) => {
    answer = (_, response) => {
      response.writeHead(200, { "content-type": type }).end(body);
    };
    await expect(service.documents.read("T0Owns", "long_remediation")).resolves.toBe(text);
    expect(targets()).toEqual(["GET /api/v2/assets/findings/T0Owns/long_remediation"]);
  });

  it.each([
    ["text/html", "<html>Sign in</html>"],
    ["application/json", '{"data":"cut off'],
    ["application/json", '{"data":{"text":"odd"}}'],
  ])("are not taken from %s %j", async (type, body) => {
    answer = (_, response) => {
      response.writeHead(200, { "content-type": type }).end(body);
    };
    await expect(errorOf(service.documents.read("T0Owns", "title"))).resolves.toMatchObject({ code: "protocol" });
  });

  it("that do not exist are empty, and other faults are faults", async () => {
    respond(wrapper(404, "resource not found"), 404);
    await expect(service.documents.read("T0Owns", "title")).resolves.toBe("");
    respond(wrapper(500, "failed"), 500);
    await expect(errorOf(service.documents.read("T0Owns", "title"))).resolves.toBeInstanceOf(ServerError);
  });

  it("have another address in the other dialect", async () => {
    respond({ data: "A title" });
    await clientOf(server.url, { dialect: "bloodhound-enterprise" }).documents.read("T0/Owns", "title");
    expect(targets()).toEqual(["GET /api/v2/assets/findings/T0%2FOwns/title.md"]);
  });
});

describe("search", () => {
  it("sends text, types, place and number", async () => {
    respond({ data: [{ objectid: "S-1", name: "ALICE", type: "User" }, { name: "nobody" }] });
    await expect(
      service.objects.search({ text: "alice", types: ["User", "AZUser"], skip: 10, limit: 100 }),
    ).resolves.toEqual([{ objectid: "S-1", name: "ALICE", type: "User" }]);
    await service.objects.search({ text: "alice" });
    expect(targets()).toEqual([
      "GET /api/v2/search?q=alice&type=User&type=AZUser&skip=10&limit=100",
      "GET /api/v2/search?q=alice",
    ]);
    expect(warnings()).toHaveLength(2);
  });
});

describe("the shortest path", () => {
  it("is a graph", async () => {
    const nodes = {
      "1": { objectId: "S-1", label: "A", kind: "User" },
      "2": { objectId: "S-2", label: "B", kind: "Group", isTierZero: true },
    };
    respond({ data: { nodes, edges: [{ source: "1", target: "2", kind: "MemberOf" }] } });
    await expect(service.paths.shortest("S-1", "S-2")).resolves.toEqual({
      nodes: new Map(Object.entries(nodes)),
      edges: [{ source: "1", target: "2", kind: "MemberOf" }],
    });
    expect(targets()).toEqual(["GET /api/v2/graphs/shortest-path?start_node=S-1&end_node=S-2"]);
  });

  it.each(["path not found", "Path not found", "no path found between the given nodes", "PATH NOT FOUND."])(
    "is null when the service says %j",
    async (message) => {
      respond(wrapper(404, message), 404);
      await expect(service.paths.shortest("S-1", "S-2")).resolves.toBeNull();
    },
  );

  it.each(["node not found", "resource not found", "not found", "path /api/v2/graphs/shortest-path not found"])(
    "is unknown, not absent, when the 404 says %j",
    async (message) => {
      respond(wrapper(404, message), 404);
      await expect(errorOf(service.paths.shortest("S-1", "S-2"))).resolves.toBeInstanceOf(NotFoundError);
    },
  );

  it("is unknown, not absent, when a web server says that a path was not found", async () => {
    for (const type of ["text/html", "text/plain"]) {
      answer = (_, response) => {
        response.writeHead(404, { "content-type": type }).end("path not found");
      };
      await expect(errorOf(service.paths.shortest("S-1", "S-2"))).resolves.toBeInstanceOf(NotFoundError);
    }
  });

  it("keeps what the service says about an unknown object", async () => {
    respond(wrapper(500, "not found"), 500);
    await expect(errorOf(service.paths.shortest("S-1", "S-9"))).resolves.toMatchObject({
      code: "server",
      status: 500,
      messages: ["not found"],
    });
  });

  it("is not taken from an answer without a graph", async () => {
    respond({ data: null });
    await expect(errorOf(service.paths.shortest("S-1", "S-2"))).resolves.toMatchObject({ code: "protocol" });
  });
});

describe("entities", () => {
  it("of the directory have properties and counts under the service's names", async () => {
    respond({
      data: {
        kind: "User",
        kinds: ["Base", "User"],
        props: { name: "A", note: null },
        adminRights: 0,
        groupMembership: 12,
        sessions: null,
      },
    });
    await expect(service.entities.directory("users", "S-1-5/x", { counts: true })).resolves.toEqual({
      kind: "User",
      kinds: ["Base", "User"],
      properties: { name: "A", note: null },
      counts: { adminRights: 0, groupMembership: 12 },
    });
    await service.entities.directory("users", "S-1", { counts: false });
    expect(targets()).toEqual(["GET /api/v2/users/S-1-5%2Fx?counts=true", "GET /api/v2/users/S-1?counts=false"]);
  });

  it("of the cloud may have nested counts, and call their properties properties", async () => {
    respond({
      data: {
        kind: "AZTenant",
        isTierZero: true,
        properties: { name: "T" },
        inbound_object_control: 3,
        descendents: { descendent_counts: { AZUser: 5, AZVM: 0 } },
      },
    });
    await expect(service.entities.azure("tenants", "0a-b", { counts: true })).resolves.toEqual({
      kind: "AZTenant",
      isTierZero: true,
      properties: { name: "T" },
      counts: { inbound_object_control: 3, descendents: { descendent_counts: { AZUser: 5, AZVM: 0 } } },
    });
    expect(targets()).toEqual(["GET /api/v2/azure/tenants?object_id=0a-b&counts=true"]);
  });

  it.each([
    ["of a directory list", { objectID: "1", name: "G", label: "Group" }, "Group"],
    ["of a cloud list", { kind: "AZGroup", properties: { objectid: "1", name: "G" } }, "AZGroup"],
    ["of an older cloud list", { kind: "AZGroup", kinds: ["AZBase"], props: { id: "1", displayname: "G" } }, "AZGroup"],
  ])("have related ones in the form %s", async (_, item, kind) => {
    respond({ count: 7, skip: 0, limit: 2, data: [item, {}] });
    const expected = { items: [{ objectId: "1", name: "G", kind }], total: 7 };
    await expect(service.entities.azureRelated("users", "0a", "roles")).resolves.toEqual(expected);
    await expect(service.entities.directoryRelated("users", "S-1", "memberships")).resolves.toEqual(expected);
  });

  it("have related ones, a page at a time", async () => {
    respond({ count: 7, data: null });
    const page = { skip: 5, limit: 2 };
    await service.entities.azureRelated("users", "0a", "group-membership", page);
    await service.entities.directoryRelated("users", "S-1/2", "memberships", page);
    expect(targets()).toEqual([
      "GET /api/v2/azure/users?object_id=0a&related_entity_type=group-membership&type=list&skip=5&limit=2",
      "GET /api/v2/users/S-1%2F2/memberships?type=list&skip=5&limit=2",
    ]);
  });

  it("that do not exist are the service's own 404", async () => {
    respond(wrapper(404, "node not found"), 404);
    await expect(errorOf(service.entities.directory("users", "S-9", { counts: true }))).resolves.toMatchObject({
      code: "not_found",
      wrapped: true,
    });
  });

  it("without an id are not asked for", async () => {
    await expect(errorOf(service.entities.directory("users", "", { counts: true }))).resolves.toMatchObject({
      code: "bad_request",
    });
    expect(server.requests).toHaveLength(0);
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
    respond({ data: { a: { size: 3, label: { fontSize: "big", text: "A" }, data: { any: [1] } }, e: edge, odd: 7 } });
    await expect(service.graph.metaTree("S-1", { nodeId: 5, assetGroupTagId: 2 })).resolves.toEqual({
      a: { size: 3, label: { text: "A" }, data: { any: [1] } },
      e: edge,
    });
    expect(targets()).toEqual(["GET /api/v2/meta-trees/S-1?node_id=5&asset_group_tag_id=2"]);
    expect(warnings().flatMap(({ fields }) => fields["invalidValues"])).toEqual([
      "/label/fontSize is not of the type number",
      "/odd is neither a node nor an edge",
    ]);
  });
});

describe("single sign-on", () => {
  it("lists SAML providers", async () => {
    respond({
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
    await expect(service.sso.listSamlProviders()).resolves.toEqual([
      { id: 1, name: "idp", sso_provider_id: 4, deleted_at: null },
    ]);
    expect(targets()).toEqual(["GET /api/v2/saml"]);
  });

  it("warns that the deletion of a SAML provider is deprecated, and names what replaces it", async () => {
    respond({
      data: {
        affected_user: [
          { id: "u", first_name: { string: "Zoë", valid: true }, last_name: { string: "", valid: false } },
        ],
      },
    });
    await expect(service.sso.deleteSamlProvider(3)).resolves.toEqual([{ id: "u", first_name: "Zoë", last_name: null }]);
    expect(targets()).toEqual(["DELETE /api/v2/saml/providers/3"]);
    expect(warnings().map(({ message }) => message)).toEqual([expect.stringContaining("deleteSsoProvider")]);
  });

  it("deletes an SSO provider, whether or not the service has something to say", async () => {
    respond({ data: { affected_users: [{ id: "u" }] } });
    await expect(service.sso.deleteSsoProvider("7")).resolves.toEqual([{ id: "u" }]);
    answer = (_, response) => {
      response.writeHead(204).end();
    };
    await expect(service.sso.deleteSsoProvider(7)).resolves.toEqual([]);
    expect(targets()).toEqual(["DELETE /api/v2/sso-providers/7", "DELETE /api/v2/sso-providers/7"]);
    expect(warnings()).toEqual([]);
  });
});

describe("client tasks", () => {
  it("has the current one", async () => {
    respond({
      data: {
        id: 1,
        event_id: { int32: 0, valid: false },
        ous: null,
        domain_results: [{ user_count: 3, deleted_at: null }],
      },
    });
    await expect(service.clientTasks.current()).resolves.toEqual({
      id: 1,
      event_id: null,
      domain_results: [{ user_count: 3 }],
    });
    expect(targets()).toEqual(["GET /api/v2/tasks/current"]);
  });
});
