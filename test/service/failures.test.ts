import { afterEach, describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { retryPolicies, type FindingsPage, type Transport } from "../../src/service/connect.ts";
import {
  type ClockSkewError,
  type RateLimitedError,
  RedirectError,
  ServiceError,
} from "../../src/service/errors/errors.ts";
import { Secret } from "../../src/service/credentials.ts";
import { clientOf, closeClients, errorOf, failure, recordingLog } from "./support/clients.ts";
import { skippingClock } from "../support/fake-clock.ts";
import { sendJson, startServer, wrapper, type Handler } from "../support/raw-server.ts";

async function readAll(pages: AsyncGenerator<FindingsPage>): Promise<FindingsPage[]> {
  const all: FindingsPage[] = [];
  for await (const page of pages) all.push(page);
  return all;
}

afterEach(closeClients);

describe("each status", () => {
  it.each([
    [400, "bad_request", "service"],
    [401, "unauthenticated", "administrator"],
    [403, "forbidden", "administrator"],
    [404, "not_found", "analyst"],
    [408, "timeout", "service"],
    [409, "bad_request", "service"],
    [429, "rate_limited", "service"],
    [500, "server", "service"],
    [503, "server", "service"],
  ])("%i is the error %s, with everything the service said", async (status, code, whoActs) => {
    const server = await startServer((_, response) => {
      sendJson(response, wrapper(status, "what the service says"), status);
    });
    const log = recordingLog();
    const error = await errorOf(clientOf(server.url, { log, retryPolicy: retryPolicies.none }).environments.list());
    expect(error).toBeInstanceOf(ServiceError);
    expect(error).toMatchObject({
      code,
      whoActs,
      status,
      readable: true,
      method: "GET",
      path: "/api/v2/available-domains",
      messages: ["what the service says"],
      requestId: "6d1f3e0c-0000-4000-8000-000000000001",
    });
    expect(error.message).toContain("what the service says");
    expect(error.message).toContain("6d1f3e0c-0000-4000-8000-000000000001");
    expect(server.requests).toHaveLength(1);
    const told = log.lines.filter(({ level }) => level !== "debug");
    expect(told).toEqual([
      expect.objectContaining({ level: status === 404 ? "info" : "warn", message: error.message }),
    ]);
  });

  it.each([
    ["plain text", "text/plain", "Limit exceeded", ["Limit exceeded"]],
    ["a web page", "text/html", "<html><body>Bad gateway</body></html>", []],
    ["nothing", "text/plain", "", []],
    ["JSON of another shape", "application/json", '{"message":"no healthy upstream"}', ["no healthy upstream"]],
    ["broken JSON", "application/json", '{"errors": [{"mess', ['{"errors": [{"mess']],
    ["a wrapper full of nulls", "application/json", '{"errors":[null,{"message":null}],"request_id":null}', []],
    ["a wrapper with a list that is none", "application/json", '{"errors":"none"}', []],
  ])("is reported with a body that is %s", async (_, type, body, messages) => {
    for (const status of [400, 401, 403, 404, 429, 500]) {
      const error = await failure((_request, response) => {
        response.writeHead(status, { "content-type": type, "x-request-id": "gate-77" }).end(body);
      });
      expect(error).toMatchObject({ status, messages, requestId: "gate-77" });
    }
  });

  it.each([
    ["Token ID is malformed.", 400, "Token ID must be the UUID"],
    ["Expected only two components", 400, "proxy"],
    ["Unexpected authorization scheme", 400, "Check that Server is the tenant's own address"],
    ["no signature header", 400, "proxy"],
    ["resource not found", 401, "does not know this Token ID"],
    ["digest validation failed: signature digest mismatch", 401, "Token Key does not match Token ID"],
    ["use of API keys has been disabled", 401, "API tokens are disabled"],
    ["not authenticated", 401, "Check Token ID and Token Key"],
    ["user disabled", 403, "is disabled"],
    ["invalid limit: 1000", 400, "Install the newest version of the plugin", "service"],
    ["sort column not sortable", 400, "Install the newest version of the plugin", "service"],
    [
      "no associated user found with request",
      400,
      "Create an API token for a user, and enter its Token ID and Token Key",
    ],
    ["no such thing", 400, "contact the support of the service", "service"],
  ])("with the message %j gives the advice that fits", async (message, status, advice, who = "administrator") => {
    const prefix = "unable to validate request signature for client: ";
    const error = await failure((_, response) => {
      sendJson(response, wrapper(status, prefix + message), status);
    });
    expect(error.message).toContain(advice);
    expect(error.message).toContain(message);
    expect(error.whoActs).toBe(who);
  });

  it("says to check Server for a 404 of the service to a request that names nothing, else to check the name", async () => {
    const server = await startServer((_, response) => {
      sendJson(response, wrapper(404, "resource not found"), 404);
    });
    const service = clientOf(`${server.url}/explore`);
    const unnamed = [
      service.environments.list(),
      service.objects.search({ text: "A" }),
      service.sso.listSamlProviders(),
    ];
    for (const request of unnamed) {
      const { message } = await errorOf(request);
      expect(message).toContain(
        "The service does not know this address. Check that Server is the tenant's own address",
      );
    }
    for (const request of [service.findings.types("E-1"), service.paths.shortest("A", "B")]) {
      expect((await errorOf(request)).message).toContain("The service does not know this name or ID. Check it.");
    }
  });

  it("says to check names and IDs for a 400 of the service only to a request that contains some", async () => {
    const server = await startServer((_, response) => {
      sendJson(response, wrapper(400, "no such thing"), 400);
    });
    const service = clientOf(server.url);
    const unnamed = [service.environments.list(), service.sso.listSamlProviders(), service.clientTasks.current()];
    for (const request of unnamed) expect((await errorOf(request)).message).not.toContain("IDs");
    for (const request of [service.objects.search({ text: "A" }), service.paths.shortest("A", "B")]) {
      const { message, whoActs } = await errorOf(request);
      expect(message).toContain("no such thing. If you entered names or IDs, check them.");
      expect(whoActs).toBe("analyst");
    }
  });

  it("tells the service's own 404 from that of a web server", async () => {
    const own = await failure((_, response) => {
      sendJson(response, wrapper(404, "resource not found"), 404);
    });
    const foreign = await failure((_, response) => {
      response.writeHead(404, { "content-type": "text/html" }).end("<html>nginx</html>");
    });
    expect(own).toMatchObject({ wrapped: true });
    expect(foreign).toMatchObject({ wrapped: false });
    expect(foreign.message).toContain("Server");
  });

  it("keeps a message in one line of bearable length", async () => {
    const error = await failure((_, response) => {
      sendJson(response, wrapper(500, `first\r\nsecond\u001b[31m\u0000${"x".repeat(10_000)}`), 500);
    });
    expect(error.message).not.toMatch(/[\p{Cc}]/u);
    expect(error.message.length).toBeLessThan(1_000);
  });
});

it.each([407, 511])("names the proxy when one requires a sign-in with status %i", async (status) => {
  const { code, message } = await failure((_, response) => {
    response.writeHead(status, { "proxy-authenticate": "Basic" }).end("proxy");
  });
  expect(code).toBe("protocol");
  expect(message).toContain(`requires a sign-in (status ${status}): proxy. The request did not reach the service.`);
});

it("A service without a task for the token does not send anyone to check a name", async () => {
  const server = await startServer((_, response) => {
    sendJson(response, wrapper(404, "resource not found"), 404);
  });
  const { message } = await errorOf(clientOf(server.url).clientTasks.current());
  expect(message).toContain("The service has no current task for this token");
  expect(message).not.toContain("name or ID");
});

describe("Server is named", () => {
  it("when a web page rejects a bearer token", async () => {
    const { message } = await failure(
      (_, response) => {
        response.writeHead(401, { "content-type": "text/html" }).end("<!doctype html><title>Sign in</title>");
      },
      { credentials: { kind: "jwt", token: new Secret("canary-bearer-token") } },
    );
    expect(message).toContain("The response is a web page");
    expect(message).not.toContain("expired");
  });

  it.each([200, 400, 401, 403, 404, 405])("when a web page answers with status %i", async (status) => {
    const { message } = await failure((_, response) => {
      response.writeHead(status, { "content-type": "text/html" }).end("<!doctype html><title>Sign in</title>");
    });
    expect(message).toMatch(/\bServer\b/);
    expect(message).not.toContain("Token");
  });

  it.each([400, 409, 418, 431])("when something else than the service answers with status %i", async (status) => {
    const { message, whoActs } = await failure((_, response) => {
      response.writeHead(status, { "content-type": "text/plain" }).end("no");
    });
    expect([message, whoActs]).toEqual([expect.stringContaining("Check that Server is"), "administrator"]);
  });

  it.each([301, 302, 307, 308])("when the server redirects with status %i", async (status) => {
    const { message } = await failure((_, response) => {
      response.writeHead(status, { location: "/ui/login" }).end();
    });
    expect(message).toMatch(/\bServer\b/);
  });

  it.each([
    "ENOTFOUND",
    "EAI_AGAIN",
    "ECONNREFUSED",
    "ECONNRESET",
    "EHOSTUNREACH",
    "ENETUNREACH",
    "ETIMEDOUT",
    "ERR_TLS_CERT_ALTNAME_INVALID",
    "EPROTO",
    "HPE_INVALID_CONSTANT",
  ])("when no response arrives because of %s", async (code) => {
    const transport: Transport = {
      send: () => Promise.reject(Object.assign(new Error(code), { code })),
      close: () => undefined,
    };
    const service = clientOf("https://tenant.example.com", { transport, retryPolicy: retryPolicies.none });
    const { message } = await errorOf(service.environments.list());
    expect(message).toMatch(/\bCheck (that )?Server\b/);
  });
});

describe("429", () => {
  const retryAfterMs = (error: ServiceError) => (error as Partial<RateLimitedError>).retryAfterMs ?? null;
  const limited =
    (headers: Record<string, string>): Handler =>
    (_, response) => {
      response.writeHead(429, { "content-type": "text/plain", ...headers }).end("Limit exceeded");
    };

  it.each([
    ["seconds of Retry-After", { "retry-after": "7" }, 7_000],
    ["X-RateLimit-Reset", { "x-ratelimit-reset": String(Math.ceil(Date.now() / 1000) + 120) }, 120_000],
    ["Retry-After before X-RateLimit-Reset", { "retry-after": "7", "x-ratelimit-reset": "9999999999" }, 7_000],
  ])("says how long to wait, by %s", async (_, headers, expected) => {
    const error = await failure(limited(headers));
    expect(Math.abs(retryAfterMs(error)! - expected)).toBeLessThan(10_000);
  });

  it("reads the date of Retry-After", async () => {
    const at = new Date(Date.now() + 60_000).toUTCString();
    const wait = retryAfterMs(await failure(limited({ "retry-after": at })));
    expect(wait).toBeGreaterThan(50_000);
    expect(wait).toBeLessThanOrEqual(60_000);
  });

  it("says that it does not know how long when the service does not", async () => {
    expect(await failure(limited({}))).toMatchObject({ code: "rate_limited", retryAfterMs: null });
  });

  it.each([
    ["milliseconds", String(Date.now() + 60_000)],
    ["seconds from now on", "30"],
    ["nothing", ""],
  ])("takes an X-RateLimit-Reset of %s for no epoch seconds", async (_, reset) => {
    expect(retryAfterMs(await failure(limited({ "x-ratelimit-reset": reset })))).toBeNull();
  });

  it("ends the asking of this client: nothing more is sent, waiting requests included", async () => {
    const server = await startServer(limited({ "retry-after": "5" }));
    const service = clientOf(server.url, { concurrentRequests: 1 });
    const errors = await Promise.all(Array.from({ length: 5 }, () => errorOf(service.environments.list())));
    errors.push(await errorOf(service.clientTasks.current()));
    expect(errors.map(({ code }) => code)).toEqual(Array(6).fill("rate_limited"));
    expect(errors.map(retryAfterMs)).toEqual(Array(6).fill(5_000));
    expect(server.requests).toHaveLength(1);
  });
});

describe("401 from clocks apart", () => {
  it("says by how much, from what the server wrote", async () => {
    const error = await failure((_, response) => {
      const message =
        "unable to validate request signature for client: request signature too far ahead by 180 minutes. Server time is 2026-08-20T14:05:06Z. Client time is 2026-08-20T17:05:06Z";
      sendJson(response, wrapper(401, message), 401);
    });
    expect(error).toMatchObject({ code: "clock_skew", skewMs: 3 * 3_600_000, whoActs: "administrator" });
    expect(error.message).toContain("3 h ahead of the service's");
  });

  it.each(["signature behind by 35 minutes.", "signature too far behind by 35.00 minutes."])(
    "takes the minutes in the message for those beyond the hour that is allowed: %s",
    async (message) => {
      const error = await failure(
        (_, response) => {
          sendJson(response, wrapper(401, message), 401);
        },
        { clock: skippingClock(-95 * 60_000) },
      );
      expect(error.code).toBe("clock_skew");
      expect(error.message).toContain("1 h 35 min behind");
    },
  );

  it("is not assumed when the service names another cause, whatever the clocks say", async () => {
    const message = "unable to validate request signature for client: resource not found";
    const error = await failure(
      (_, response) => {
        sendJson(response, wrapper(401, message), 401);
      },
      { clock: skippingClock(-3 * 3_600_000) },
    );
    expect(error.code).toBe("unauthenticated");
    expect(error.message).toContain("Check Token ID");
  });

  it("says by how much, from the Date header", async () => {
    const error = await failure(
      (_, response) => {
        sendJson(response, wrapper(401, "not accepted"), 401);
      },
      { clock: skippingClock(-3 * 3_600_000) },
    );
    expect(error.code).toBe("clock_skew");
    expect(Math.round(Number((error as Partial<ClockSkewError>).skewMs) / 60_000)).toBe(-180);
    expect(error.message).toContain("3 h behind");
  });

  it("is not assumed when the clocks agree", async () => {
    const error = await failure((_, response) => {
      sendJson(response, wrapper(401, "not accepted"), 401);
    });
    expect(error.code).toBe("unauthenticated");
  });
});

describe("a redirect", () => {
  it.each([
    ["https://login.example.com/start?token=abc#x", "https://login.example.com/start"],
    ["//other.example.com/x?y=1", "https://other.example.com/x"],
    ["/ui/login?next=%2F", "/ui/login"],
    ["http://[", "an invalid address"],
  ])("to %s is an error that says where it pointed", async (location, shown) => {
    for (const status of [301, 302, 303, 307, 308]) {
      const error = await failure((_, response) => {
        response.writeHead(status, { location }).end();
      });
      expect(error).toMatchObject({ code: "redirect", status, location: shown, whoActs: "administrator" });
      expect(error.message).toContain(shown);
    }
  });

  it("takes no credentials along", async () => {
    const elsewhere = await startServer((_, response) => {
      sendJson(response, { data: [] });
    });
    const error = await failure((_, response) => {
      response.writeHead(307, { location: `${elsewhere.url}/api/v2/available-domains` }).end();
    });
    expect(error).toBeInstanceOf(RedirectError);
    expect(elsewhere.requests).toHaveLength(0);
    expect(elsewhere.connections).toBe(0);
  });
});

describe("an answer with status 200", () => {
  it.each([
    ["a web page", "text/html", "<!doctype html><title>Sign in</title>"],
    ["a web page that calls itself JSON", "application/json", "\n <html></html>"],
    ["cut-off JSON", "application/json", '{"data": [{"id": "S-1"'],
    ["nothing", "application/json", ""],
    ["a bare list", "application/json", "[]"],
    ["null", "application/json", "null"],
    ["an object without data", "application/json", '{"count": 0}'],
    ["data that is a text", "application/json", '{"data": "none"}'],
    ["data that is an object", "application/json", '{"data": {}}'],
  ])("that is %s is a protocol error and never an empty list", async (_, type, body) => {
    const error = await failure((_request, response) => {
      response.writeHead(200, { "content-type": type }).end(body);
    });
    expect(error).toMatchObject({ code: "protocol", method: "GET", path: "/api/v2/available-domains" });
  });

  it("that does not end is refused at a size that no page comes near", async () => {
    const megabyte = Buffer.alloc(1024 * 1024, " ");
    const error = await failure((_, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      const pour = () => {
        while (!response.destroyed && response.write(megabyte));
      };
      response.on("drain", pour);
      pour();
    });
    expect(error).toMatchObject({ code: "protocol", message: expect.stringContaining("larger") });
  });

  it("with data null is an empty list", async () => {
    const server = await startServer((_, response) => {
      sendJson(response, { data: null });
    });
    const service = clientOf(server.url);
    await expect(service.environments.list()).resolves.toEqual({ environments: [], unreadable: 0 });
    await expect(service.objects.search({ text: "A" })).resolves.toEqual({ records: [], total: null });
    await expect(service.findings.types("S-1")).resolves.toEqual({ types: [], unreadable: 0 });
    await expect(service.findings.sparkline({ environmentId: "S-1", findingType: "T0Owns" })).resolves.toEqual([]);
    await expect(service.sso.listSamlProviders()).resolves.toEqual([]);
  });

  it("ends in a record or a typed error for any JSON", async () => {
    let body = "";
    const server = await startServer((_, response) => {
      response.writeHead(200, { "content-type": "application/json" }).end(body);
    });
    const service = clientOf(server.url, { requestsPerSecond: 1_000_000 });
    const calls = [
      () => service.analysis.status(),
      () => service.environments.list(),
      () => service.findings.types("S-1"),
      () => service.findings.newest({ environmentId: "S-1", findingType: "T" }),
      () => readAll(service.findings.pages({ environmentId: "S-1", findingType: "T" })),
      () => service.findings.sparkline({ environmentId: "S-1", findingType: "T" }),
      () => service.documents.read("T", "title"),
      () => service.objects.search({ text: "A" }),
      () => service.paths.shortest("A", "B"),
      () => service.entities.directory("users", "A", { counts: true }),
      () => service.entities.azure("users", "A", { counts: true }),
      () => service.entities.directoryRelated("users", "A", "memberships"),
      () => service.entities.azureRelated("users", "A", "roles"),
      () => service.graph.metaTree("S-1"),
      () => service.sso.listSamlProviders(),
      () => service.sso.deleteSsoProvider(1),
      () => service.clientTasks.current(),
    ];
    const answers = fc.oneof(
      fc.json(),
      fc.jsonValue().map((data) => JSON.stringify({ data })),
      fc
        .array(fc.dictionary(fc.constantFrom("id", "objectid", "nodes", "edges", "Props", "roles"), fc.jsonValue()))
        .map((data) => JSON.stringify({ data, count: data.length })),
      fc
        .dictionary(fc.constantFrom("nodes", "edges", "props", "domains", "saml_providers", "a"), fc.jsonValue())
        .map((data) => JSON.stringify({ data })),
    );
    await fc.assert(
      fc.asyncProperty(answers, fc.nat(calls.length - 1), async (json, index) => {
        body = json;
        await calls[index]!().catch((error: unknown) => {
          expect(error).toBeInstanceOf(ServiceError);
        });
      }),
      { numRuns: 300 },
    );
  });
});
