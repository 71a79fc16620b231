import type http from "node:http";
import { afterEach, describe, expect, it } from "@jest/globals";
import type { Tenant, SpokenDialect } from "../../sandbox/tenant/index.ts";
import { Secret } from "../../src/service/credentials.ts";
import { TenantDialect } from "../../src/service/dialects.ts";
import { FakeClock, settle } from "../support/fake-clock.ts";
import { type Handler, sendJson, startServer, type TestServer, wrapper } from "../support/raw-server.ts";
import { startTenant } from "../support/tenant.ts";
import { clientOf, closeClients, type ClientOptions, errorOf } from "./support/clients.ts";

const REJECTION = "unable to validate request signature for client: Unexpected authorization scheme: svcsignature.";

afterEach(closeClients);

function clientFor({ url, tokenId, tokenKey }: Tenant, options: ClientOptions) {
  return clientOf(url, { credentials: { kind: "token", id: tokenId, key: new Secret(tokenKey) }, ...options });
}

function statuses({ requests }: Tenant): number[] {
  return requests.map(({ status }) => status);
}

/** The scheme words of the requests that arrived, in order. */
function words({ requests }: TestServer): string[] {
  return requests.map(({ headers }) => headers.authorization?.split(" ")[0] ?? "");
}

function reject(response: http.ServerResponse): void {
  sendJson(response, wrapper(400, REJECTION), 400);
}

const succeed: Handler = (_, response) => {
  sendJson(response, { data: [] });
};

describe("a client that knows nothing of the tenant's dialect", () => {
  it.each<[SpokenDialect, number[]]>([
    ["standard", []],
    ["bloodhound-enterprise", [400]],
  ])("reads a %s tenant with %j before the answers, however much is asked at once", async (dialect, before) => {
    const tenant = await startTenant({ dialect });
    const service = clientFor(tenant, { dialect: null });
    expect(service.dialect).toBeNull();
    await Promise.all(Array.from({ length: 20 }, () => service.environments.list()));
    expect(statuses(tenant)).toEqual([...before, ...Array<number>(20).fill(200)]);
    expect(service.dialect).toBe(dialect);
  });

  it("asks for documents at the address of the dialect that the tenant speaks", async () => {
    const tenant = await startTenant({ dialect: "bloodhound-enterprise" });
    const [findingType = ""] = tenant.data.findingTypes(tenant.data.environments[0]?.id ?? "");
    expect(await clientFor(tenant, { dialect: null }).documents.read(findingType, "title")).not.toBe("");
    expect(tenant.requests.map(({ path }) => path.split("/").at(-1))).toEqual(["title", "title.md"]);
  });

  it("sends its requests at once after any answer of the service's own, such as that there is no path", async () => {
    const waiting: http.ServerResponse[] = [];
    const server = await startServer((_, response, index) => {
      if (index > 0) waiting.push(response);
      const ready = index === 0 ? [response] : waiting.length === 4 ? waiting : [];
      for (const each of ready) sendJson(each, wrapper(404, "path not found"), 404);
    });
    const service = clientOf(server.url, { dialect: null, clock: new FakeClock() });
    const paths = await Promise.all(Array.from({ length: 5 }, () => service.paths.shortest("a", "b")));
    expect(paths).toEqual(Array(5).fill(null));
  });

  it("goes on one by one after an answer of something else", async () => {
    let waiting = 0;
    let most = 0;
    const server = await startServer((_, response) => {
      most = Math.max(most, ++waiting);
      setImmediate(() => {
        waiting--;
        sendJson(response, { message: "no route" }, 404);
      });
    });
    const service = clientOf(server.url, { dialect: null, clock: new FakeClock() });
    await Promise.allSettled(Array.from({ length: 5 }, () => service.paths.shortest("a", "b")));
    expect([server.requests.length, most]).toEqual([5, 1]);
  });

  it("does not take a web page for a sign that the tenant speaks the dialect of the request", async () => {
    const server = await startServer((request, response, index) => {
      if (request.url?.includes("/datapipe/") === true) {
        response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end("<!doctype html>");
      } else if (request.headers.authorization?.startsWith("bhesignature ") === true) succeed(request, response, index);
      else reject(response);
    });
    const service = clientOf(server.url, { dialect: null });
    await expect(errorOf(service.analysis.status())).resolves.toMatchObject({ code: "protocol" });
    expect(service.dialect).toBeNull();
    await service.environments.list();
    expect(service.dialect).toBe("bloodhound-enterprise");
  });

  it("sends the others after a second when the first request hangs, and at full speed once one was answered", async () => {
    const clock = new FakeClock();
    const server = await startServer((request, response, index) => {
      if (index > 0) succeed(request, response, index);
    });
    const service = clientOf(server.url, { dialect: null, clock });
    const hung = errorOf(service.environments.list());
    const others = Promise.all(Array.from({ length: 20 }, () => service.environments.list()));
    while (server.requests.length === 0) await settle();
    await settle();
    expect(server.requests).toHaveLength(1);
    clock.advance(1_000);
    await others;
    expect(server.requests).toHaveLength(21);
    clock.advance(34_000);
    expect((await hung).code).toBe("timeout");
  });

  it("does not wait for the end of a first response that never ends", async () => {
    const clock = new FakeClock();
    const server = await startServer((request, response, index) => {
      if (index > 0) succeed(request, response, index);
      else response.writeHead(500, { "content-type": "application/json" }).write("{");
    });
    const service = clientOf(server.url, { dialect: null, clock });
    const endless = errorOf(service.environments.list());
    const other = service.environments.list();
    while (server.requests.length === 0) await settle();
    clock.advance(1_000);
    await other;
    clock.advance(15_000);
    expect((await endless).code).toBe("server");
  });

  it("says what to check when the tenant takes neither word, and asks twice once and then no more than once", async () => {
    const server = await startServer((_, response) => {
      reject(response);
    });
    const service = clientOf(server.url, { dialect: null });
    const error = await errorOf(service.environments.list());
    expect(error).toMatchObject({ code: "bad_request", whoActs: "administrator" });
    expect(error.message).toContain("Check that Server is the tenant's own address");
    expect(words(server)).toEqual(["svcsignature", "bhesignature"]);
    await errorOf(service.environments.list());
    expect(server.requests).toHaveLength(3);
    expect(service.dialect).toBeNull();
  });

  it("does not sign when it has a bearer token, and does not repeat what is rejected then", async () => {
    const server = await startServer((_, response) => {
      reject(response);
    });
    const service = clientOf(server.url, { dialect: null, credentials: { kind: "jwt", token: new Secret("a.b.c") } });
    await errorOf(service.environments.list());
    expect(words(server)).toEqual(["Bearer"]);
  });
});

describe("a client with a bearer token", () => {
  const credentials = { kind: "jwt", token: new Secret("a.b.c") } as const;

  it.each<[SpokenDialect, string[]]>([
    ["standard", ["title", "short_description"]],
    ["bloodhound-enterprise", ["title", "title.md", "short_description.md"]],
  ])("finds out with the first document that a tenant speaks %s, and asks for %j", async (dialect, asked) => {
    const tenant = await startTenant({ dialect, jwts: [{ token: "a.b.c" }] });
    const [findingType = ""] = tenant.data.findingTypes(tenant.data.environments[0]?.id ?? "");
    const service = clientFor(tenant, { dialect: null, credentials });
    await service.environments.list();
    expect(service.dialect).toBeNull();
    expect(await service.documents.read(findingType, "title")).not.toBe("");
    expect(service.dialect).toBe(dialect);
    expect(await service.documents.read(findingType, "short_description")).not.toBe("");
    expect(tenant.requests.slice(1).map(({ path }) => path.split("/").at(-1))).toEqual(asked);
  });

  it("reads every document when the remembered dialect is the wrong one, however many are asked for at once", async () => {
    const tenant = await startTenant({ dialect: "bloodhound-enterprise", jwts: [{ token: "a.b.c" }] });
    const types = tenant.data.environments.flatMap(({ id }) => tenant.data.findingTypes(id));
    const service = clientFor(tenant, { dialect: "standard", credentials });
    const titles = await Promise.all(types.map((type) => service.documents.read(type, "title")));
    expect(titles).not.toContain("");
    expect(service.dialect).toBe("bloodhound-enterprise");
  });

  it("takes a document that neither dialect has for an empty text, and goes on guessing", async () => {
    const tenant = await startTenant({ jwts: [{ token: "a.b.c" }] });
    const service = clientFor(tenant, { dialect: null, credentials });
    expect(await service.documents.read("T0Nothing", "title")).toBe("");
    expect(service.dialect).toBeNull();
    expect(statuses(tenant)).toEqual([404, 404]);
  });

  it("does not send its first requests one by one, because none of them shows the dialect", async () => {
    const waiting: http.ServerResponse[] = [];
    const server = await startServer((_, response) => {
      waiting.push(response);
      if (waiting.length === 5) for (const each of waiting) sendJson(each, { data: [] });
    });
    const service = clientOf(server.url, { dialect: null, credentials, clock: new FakeClock() });
    await Promise.all(Array.from({ length: 5 }, () => service.environments.list()));
    expect(server.requests).toHaveLength(5);
  });
});

describe("a client that remembers the tenant's dialect", () => {
  it.each<SpokenDialect>(["standard", "bloodhound-enterprise"])("sends nothing more (%s)", async (dialect) => {
    const tenant = await startTenant({ dialect });
    const service = clientFor(tenant, { dialect });
    await Promise.all(Array.from({ length: 20 }, () => service.environments.list()));
    expect(statuses(tenant)).toEqual(Array(20).fill(200));
  });

  it("repeats each request that is on its way once when that is the wrong one, and none fails", async () => {
    const tenant = await startTenant({ dialect: "bloodhound-enterprise", latencyMs: 20 });
    const service = clientFor(tenant, { dialect: "standard", concurrentRequests: 8 });
    await Promise.all(Array.from({ length: 20 }, () => service.environments.list()));
    const rejected = statuses(tenant).filter((status) => status === 400);
    expect(rejected.length).toBeLessThanOrEqual(8);
    expect(tenant.requests).toHaveLength(20 + rejected.length);
    expect(service.dialect).toBe("bloodhound-enterprise");
  });

  it("guesses when the remembered name means nothing", async () => {
    const tenant = await startTenant();
    const service = clientFor(tenant, { dialect: "klingon" });
    await service.environments.list();
    expect(statuses(tenant)).toEqual([200]);
  });
});

describe("the dialect does not change", () => {
  it.each(["Token ID is malformed.", "no signature header", "invalid filter"])(
    "after a 400 with %j",
    async (message) => {
      const server = await startServer((request, response, index) => {
        if (index > 0) succeed(request, response, index);
        else sendJson(response, wrapper(400, message), 400);
      });
      const service = clientOf(server.url, { dialect: null });
      expect(await errorOf(service.environments.list())).toMatchObject({ code: "bad_request" });
      await service.environments.list();
      expect(words(server)).toEqual(["svcsignature", "svcsignature"]);
    },
  );

  it("and is known once the tenant has answered a request in the other one, if only with a 403", async () => {
    const server = await startServer((_, response, index) => {
      if (index === 0) reject(response);
      else sendJson(response, wrapper(403, "not permitted"), 403);
    });
    const service = clientOf(server.url, { dialect: null });
    expect(await errorOf(service.environments.list())).toMatchObject({ code: "forbidden" });
    expect(service.dialect).toBe("bloodhound-enterprise");
  });

  it("once the tenant has accepted it, whatever it says later", async () => {
    const server = await startServer((request, response, index) => {
      if (index === 1) reject(response);
      else succeed(request, response, index);
    });
    const service = clientOf(server.url, { dialect: null });
    await service.environments.list();
    expect(await errorOf(service.environments.list())).toMatchObject({ code: "bad_request" });
    await service.environments.list();
    expect(words(server)).toEqual(Array(3).fill("svcsignature"));
  });
});

describe("the first guess", () => {
  it.each([
    ["demo.bloodhoundenterprise.io", "bhesignature"],
    ["bloodhoundenterprise.io.example.com", "svcsignature"],
    ["notbloodhoundenterprise.io", "svcsignature"],
    ["127.0.0.1", "svcsignature"],
  ])("for %s is %s", (hostname, word) => {
    expect(new TenantDialect(hostname).current.signatureScheme).toBe(word);
  });
});
