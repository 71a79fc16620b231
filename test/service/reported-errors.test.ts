import { describe, expect, it } from "@jest/globals";
import type { AttackPathService } from "../../src/service/attack-path-service.ts";
import { Secret } from "../../src/service/credentials.ts";
import { wrapper } from "../support/raw-server.ts";
import { answering } from "./support/answering.ts";
import { clientOf, errorOf } from "./support/clients.ts";

const tenant = answering();
const stream = { environmentId: "S-1", findingType: "T0Owns" };

const reads: [string, (service: AttackPathService) => Promise<unknown>][] = [
  ["environments", (service) => service.environments.list()],
  ["finding types", (service) => service.findings.types("S-1")],
  ["findings", (service) => service.findings.pages(stream).next()],
  ["the newest finding", (service) => service.findings.newest(stream)],
  ["a sparkline", (service) => service.findings.sparkline(stream)],
  ["the analysis", (service) => service.analysis.status()],
  ["a document", (service) => service.documents.read("T0Owns", "title")],
  ["a search", (service) => service.objects.search({ text: "A" })],
  ["a path", (service) => service.paths.shortest("A", "B")],
  ["an object", (service) => service.entities.azure("users", "A", { counts: true })],
  ["related objects", (service) => service.entities.directoryRelated("groups", "A", "members")],
  ["a meta tree", (service) => service.graph.metaTree("S-1")],
  ["SAML providers", (service) => service.sso.listSamlProviders()],
  ["a deletion", (service) => service.sso.deleteSsoProvider(1)],
];

describe.each(reads)("a response with status 200 to a request for %s", (_, read) => {
  it.each([
    ["null", { data: null }],
    ["missing", {}],
    ["an empty list", { data: [] }],
    ["an empty record", { data: {} }],
  ])("whose data is %s beside errors is an error of the service, and not an empty answer", async (_data, body) => {
    tenant.respond({ ...wrapper(500, "the graph is gone"), ...body });
    const error = await errorOf(read(tenant.service));
    expect(error).toMatchObject({ code: "protocol", status: 200, messages: ["the graph is gone"] });
    expect(error.requestId).toBe(wrapper(500, "").request_id);
    expect(error.message).toMatch(/^The service reported an error in a response without data: the graph is gone\. /);
    expect(tenant.targets()).toHaveLength(1);
  });
});

it("accepts data beside an empty list of errors, and data that exists beside errors", async () => {
  tenant.respond({ data: [], errors: [] });
  await expect(tenant.service.environments.list()).resolves.toMatchObject({ environments: [] });
  tenant.respond({ data: [{ id: "S-1" }], errors: [{ message: "old" }] });
  await expect(tenant.service.environments.list()).resolves.toMatchObject({ environments: [{ id: "S-1" }] });
});

it("quotes no secret that the service repeats beside missing data", async () => {
  const token = "canary-jwt-51d0";
  tenant.respond({ data: null, errors: [{ message: `Bearer ${token} is not known` }] });
  const credentials = { kind: "jwt", token: new Secret(token) } as const;
  const { message } = await errorOf(clientOf(tenant.server.url, { credentials }).environments.list());
  expect(message).toContain("[redacted] is not known");
  expect(message).not.toContain(token);
});

describe("a 404 with errors", () => {
  const said = (body: object) => {
    tenant.respond(body, 404);
    return tenant.service.paths.shortest("A", "B");
  };

  it("is the service's own word in its error wrapper", async () => {
    await expect(said(wrapper(404, "path not found"))).resolves.toBeNull();
  });

  it("is the service's own word in its error wrapper behind a byte order mark", async () => {
    tenant.answer = (_, response) => {
      response.writeHead(404, { "content-type": "application/json" });
      response.end(`\uFEFF${JSON.stringify(wrapper(404, "path not found"))}`);
    };
    await expect(tenant.service.paths.shortest("A", "B")).resolves.toBeNull();
  });

  const full = wrapper(404, "path not found");
  it.each([
    ["without http_status", { ...full, http_status: undefined }],
    ["with an http_status that is no status", { ...full, http_status: 40 }],
    ["with an http_status that is a text", { ...full, http_status: "404" }],
    ["with the http_status of another answer", { ...full, http_status: 503 }],
    ["with the http_status of a 500", { ...full, http_status: 500 }],
    ["in a list alone", { errors: [{ message: "path not found" }] }],
    ["in texts", { errors: ["path not found"] }],
  ])("is not the service's own word %s, but is quoted", async (_, body) => {
    await expect(errorOf(said(body))).resolves.toMatchObject({
      code: "not_found",
      wrapped: false,
      messages: ["path not found"],
      message: expect.stringContaining("did not come from the service itself") as unknown,
    });
  });
});
