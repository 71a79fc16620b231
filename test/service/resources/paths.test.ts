import { describe, expect, it } from "@jest/globals";
import { ForbiddenError, NotFoundError } from "../../../src/service/errors/errors.ts";
import { wrapper } from "../../support/raw-server.ts";
import { answering } from "../support/answering.ts";
import { errorOf } from "../support/clients.ts";

const tenant = answering();

describe("the shortest path", () => {
  it("is a graph", async () => {
    const nodes = {
      "1": { objectId: "S-1", label: "A", kind: "User" },
      "2": { objectId: "S-2", label: "B", kind: "Group", isTierZero: true },
    };
    tenant.respond({ data: { nodes, edges: [{ source: "1", target: "2", kind: "MemberOf" }] } });
    await expect(tenant.service.paths.shortest("S-1", "S-2")).resolves.toEqual({
      nodes: new Map(Object.entries(nodes)),
      edges: [{ source: "1", target: "2", kind: "MemberOf" }],
    });
    expect(tenant.targets()).toEqual(["GET /api/v2/graphs/shortest-path?start_node=S-1&end_node=S-2"]);
  });

  it("has an object without an id or a name where the service knows none and writes an empty text", async () => {
    const ends = { "1": { objectId: "S-1", label: "A" }, "2": { objectId: "S-2", label: "" } };
    tenant.respond({ data: { nodes: { ...ends, "3": { objectId: "", label: "", kind: "Base" } }, edges: [] } });
    const graph = await tenant.service.paths.shortest("S-1", "S-2");
    expect([...(graph?.nodes.values() ?? [])]).toEqual([ends["1"], { objectId: "S-2" }, { kind: "Base" }]);
  });

  it("consists of relationships that give control, where only these are asked for", async () => {
    tenant.respond(wrapper(404, "path not found"), 404);
    await tenant.service.paths.shortest("S-1", "S-2", { onlyTraversable: true });
    expect(tenant.targets()).toEqual([
      "GET /api/v2/graphs/shortest-path?start_node=S-1&end_node=S-2&only_traversable=true",
    ]);
  });

  it("is refused to a token that may not see one of its ends", async () => {
    const nodes = { "1": { objectId: "HIDDEN", label: "** Hidden User Object **" }, "2": { objectId: "S-2" } };
    tenant.respond({ data: { nodes, edges: [{ source: "1", target: "2", kind: "MemberOf" }] } });
    const error = await errorOf(tenant.service.paths.shortest("S-1", "S-2"));
    expect(error).toBeInstanceOf(ForbiddenError);
    expect(error.message).toContain("the token may not see the environment of the start, of the end, or of both");
  });

  it("leaves out edges that lack an end, which lead nowhere", async () => {
    const nodes = { "1": { objectId: "S-1" }, "2": { objectId: "S-2" } };
    const edges = [
      { source: "1", target: "2", kind: "MemberOf" },
      { source: "1" },
      { target: "2" },
      { source: 1, target: "2" },
    ];
    tenant.respond({ data: { nodes, edges } });
    const graph = await tenant.service.paths.shortest("S-1", "S-2");
    expect(graph?.edges).toEqual([{ source: "1", target: "2", kind: "MemberOf" }]);
  });

  it.each(["path not found", "Path not found", " PATH NOT FOUND. "])(
    "is null when the service says %j",
    async (message) => {
      tenant.respond(wrapper(404, message), 404);
      await expect(tenant.service.paths.shortest("S-1", "S-2")).resolves.toBeNull();
    },
  );

  it.each([
    "node not found",
    "resource not found",
    "not found",
    "path /api/v2/graphs/shortest-path not found",
    "no route for this path",
    "no path found between the given nodes",
    "no upstream host: path not found",
    "path not found on this server",
    "",
  ])("is unknown, not absent, when the 404 says %j", async (message) => {
    tenant.respond(wrapper(404, message), 404);
    await expect(errorOf(tenant.service.paths.shortest("S-1", "S-2"))).resolves.toBeInstanceOf(NotFoundError);
  });

  it("is unknown, not absent, when the 404 names other errors besides", async () => {
    const errors = ["path not found", "upstream timed out"].map((message) => ({ context: "", message }));
    tenant.respond({ http_status: 404, timestamp: "2026-01-01T00:00:00Z", request_id: "r", errors }, 404);
    await expect(errorOf(tenant.service.paths.shortest("S-1", "S-2"))).resolves.toBeInstanceOf(NotFoundError);
  });

  it("is unknown, not absent, when a web server says that a path was not found", async () => {
    for (const type of ["text/html", "text/plain"]) {
      tenant.answer = (_, response) => {
        response.writeHead(404, { "content-type": type }).end("path not found");
      };
      await expect(errorOf(tenant.service.paths.shortest("S-1", "S-2"))).resolves.toBeInstanceOf(NotFoundError);
    }
  });

  it("keeps what the service says about an unknown object", async () => {
    tenant.respond(wrapper(500, "not found"), 500);
    await expect(errorOf(tenant.service.paths.shortest("S-1", "S-9"))).resolves.toMatchObject({
      code: "server",
      status: 500,
      messages: ["not found"],
    });
  });

  it("is not taken from a graph that lacks one of the objects", async () => {
    const edges = [{ source: "1", target: "2", kind: "MemberOf" }];
    tenant.respond({ data: { nodes: { "1": { objectId: "S-1" }, "2": { objectId: "S-3" } }, edges } });
    await expect(errorOf(tenant.service.paths.shortest("S-1", "S-2"))).resolves.toMatchObject({
      message: expect.stringContaining("is about other objects"),
    });
    await expect(tenant.service.paths.shortest("s-1", "s-3")).resolves.toMatchObject({ edges });
    tenant.respond({ data: { nodes: { "1": { objectId: "S-1" }, "2": { label: "HIDDEN" } }, edges } });
    await expect(tenant.service.paths.shortest("S-1", "S-2")).resolves.toMatchObject({ edges });
  });

  it("is not taken from an answer without a graph", async () => {
    tenant.respond({ data: null });
    await expect(errorOf(tenant.service.paths.shortest("S-1", "S-2"))).resolves.toMatchObject({ code: "protocol" });
  });
});
