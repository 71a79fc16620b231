import { describe, expect, it, jest } from "@jest/globals";
import { once } from "node:events";
import { request, type IncomingMessage } from "node:http";
import { networkInterfaces } from "node:os";
import { connect } from "node:net";
import { Hono } from "hono";
import { authoritiesOf, sameSite } from "../../../sandbox/console/server/guard.ts";
import { startConsole } from "../../../sandbox/console/server/index.ts";
import { startTestConsole } from "./console.ts";

const running = await startTestConsole();
const { origin, token, send } = running;
const { port } = new URL(origin);

/** Sends headers that fetch does not let anyone set. */
async function raw(
  path: string,
  headers: Record<string, string>,
): Promise<{ status: number; body: string; policy: string }> {
  const sent = request(`${origin}${path}`, { headers }).end();
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk);
  const policy = String(response.headers["content-security-policy"]);
  return { status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString(), policy };
}

describe("the token", () => {
  it.each([
    ["no token", {}],
    ["another token", { Authorization: "Bearer 0000" }],
    ["the token under another scheme", { Authorization: `Basic ${token}` }],
    ["the token in a cookie", { Cookie: `token=${token}` }],
  ])("is required: %s is refused", async (_, headers) => {
    const response = await fetch(`${origin}/api/overview`, { headers });
    expect(response.status).toBe(401);
    expect(await response.json()).toEqual({
      message: "The token is missing or no longer valid. Open the URL that npm start printed.",
    });
  });

  it("is required for live events and for addresses that do not exist", async () => {
    const paths = ["/api/live", "/api/none", "/api/packages/inspect"];
    const statuses = await Promise.all(paths.map(async (path) => (await fetch(`${origin}${path}`)).status));
    expect(statuses).toEqual([401, 401, 401]);
  });

  it("opens the API, and stands in the printed URL behind the #", async () => {
    expect((await send("/api/overview")).status).toBe(200);
    expect(running.url).toBe(`${origin}/#token=${token}`);
  });

  it("is not accepted in the address", async () => {
    expect((await fetch(`${origin}/api/overview?token=${token}`)).status).toBe(401);
  });

  it("is in none of the pages that need no token", async () => {
    const page = await (await fetch(`${origin}/cases/12?tab=events`)).text();
    expect(page).toContain("<title>Console</title>");
    expect(page).not.toContain(token);
  });
});

describe("another site", () => {
  const authorization = `Bearer ${token}`;

  it.each(["evil.example", `evil.example:${port}`, "127.0.0.1", `127.0.0.1:${Number(port) + 1}`])(
    'does not reach the console under the name "%s"',
    async (host) => {
      for (const path of ["/", "/api/overview", "/assets/main-0.js"]) {
        const { status, body, policy } = await raw(path, { Host: host, Authorization: authorization });
        expect(policy).toContain("default-src 'none'");
        expect(status).toBeGreaterThanOrEqual(400);
        expect(body).not.toContain("<title>");
      }
    },
  );

  it.each(["https://evil.example", "null", `http://127.0.0.1:${Number(port) + 1}`, `https://127.0.0.1:${port}`])(
    "with the origin %s is refused",
    async (foreign) => {
      const answer = await raw("/api/overview", { Origin: foreign, Authorization: authorization });
      expect(answer).toMatchObject({ status: 403, body: '{"message":"The console does not answer other sites."}' });
    },
  );

  it.each(["cross-site", "same-site"])("is refused when the browser says that a request is %s", async (site) => {
    expect((await raw("/api/overview", { "Sec-Fetch-Site": site, Authorization: authorization })).status).toBe(403);
  });

  it("reaches only the page, and only with the ticket of the address that a file redirects to", async () => {
    const { pathname, search } = new URL(running.entrance);
    const headers = { "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", Authorization: authorization };
    const paths = [pathname + search, `${pathname}?entrance=other`, pathname, `/api/overview${search}`];
    const answers = await Promise.all(paths.map((path) => raw(path, headers)));
    expect(answers.map(({ status }) => status)).toEqual([200, 403, 403, 403]);
  });

  it("may not read answers: no header shares them", async () => {
    const { headers } = await send("/api/overview", { headers: { Origin: origin } });
    expect([...headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
    expect(headers.get("cross-origin-resource-policy")).toBe("same-origin");
  });

  it("is distinguished from the console's own page, also under localhost", async () => {
    const own = `localhost:${port}`;
    const headers = {
      Host: own,
      Origin: `http://${own}`,
      "Sec-Fetch-Site": "same-origin",
      Authorization: authorization,
    };
    expect((await raw("/api/overview", headers)).status).toBe(200);
  });
});

describe("the headers", () => {
  it.each(["/", "/api/overview", "/api/none", "/assets/main-0.js", "/assets/none.js", "/icon.svg"])(
    "of %s keep the browser strict",
    async (path) => {
      const { headers } = await send(path);
      const policy = headers.get("content-security-policy") ?? "";
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("script-src 'self';");
      expect(policy).not.toContain("unsafe");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("referrer-policy")).toBe("no-referrer");
    },
  );

  it("let nothing be cached but files whose name changes with their content", async () => {
    expect((await send("/")).headers.get("cache-control")).toBe("no-store");
    expect((await send("/api/overview")).headers.get("cache-control")).toBe("no-store");
    expect((await send("/assets/main-0.js")).headers.get("cache-control")).toContain("immutable");
    const compressed = await send("/assets/main-0.js", { headers: { "accept-encoding": "gzip, br" } });
    expect(compressed.headers.get("content-encoding")).toBe("br");
    expect(await compressed.text()).toBe("export {};");
    const plain = await send("/assets/main-0.js", { headers: { "accept-encoding": "identity" } });
    expect([plain.headers.get("content-encoding"), await plain.text()]).toEqual([null, "export {};"]);
  });
});

describe("a failure of the console itself", () => {
  it.each([
    ["an error", new Error("A bug.")],
    ["something that is no error", "A bug."],
  ])("that is %s is reported as a problem with all headers, and only the log has the details", async (_, thrown) => {
    const failing = jest.spyOn(running.host, "testInstance").mockRejectedValue(thrown);
    const response = await send("/api/instances/some/test", { method: "POST" });
    failing.mockRestore();
    expect([response.status, await response.json()]).toEqual([
      500,
      { message: "The console could not do this. The host's log has the details." },
    ]);
    expect(response.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
  });

  it("that is a full disk says so", async () => {
    const error = Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
    const failing = jest.spyOn(running.host, "testInstance").mockRejectedValue(error);
    const response = await send("/api/instances/some/test", { method: "POST" });
    failing.mockRestore();
    expect([response.status, await response.json()]).toEqual([
      507,
      { message: "The disk is full, so nothing more is stored. Free some space and try again." },
    ]);
  });
});

describe("bodies", () => {
  const post = (body: string, type = "application/json") =>
    send("/api/tour", { method: "POST", body, headers: { "Content-Type": type } });

  it.each([
    ["that is not JSON", "{", 400, "The body is not valid JSON."],
    ["that is a list", "[]", 400, "The body must be a JSON object."],
    ["with another field", '{"done":"installed","__proto__":{}}', 400, 'The body has no field "__proto__".'],
    [
      "with another value",
      '{"done":"all"}',
      400,
      "done must be one of: installed, connected, polled, openedCase, drewPath.",
    ],
    ["that is too large", JSON.stringify({ done: "x".repeat(2 ** 20) }), 413, "The request is too large."],
  ])("%s is refused with a reason", async (_, body, status, message) => {
    const response = await post(body);
    expect([response.status, await response.json()]).toEqual([status, { message }]);
  });

  it("of unknown length are refused", async () => {
    const body = new Blob(["{}"]).stream();
    const headers = { "Content-Type": "application/json" };
    const response = await send("/api/tour", { method: "POST", body, headers, duplex: "half" });
    expect(response.status).toBe(411);
  });

  it("of a type that a form could send is refused", async () => {
    expect((await post('{"done":"installed"}', "text/plain")).status).toBe(415);
  });
});

it("clients name the console without its port where that is the default of http", async () => {
  const app = new Hono();
  app.use(sameSite(() => authoritiesOf("127.0.0.1", 80), ""));
  app.onError((error, { text }) => text(error.message, 403));
  app.get("/", ({ text }) => text("The page."));
  const answer = (Host: string) => app.request("/", { headers: { Host, Origin: `http://${Host}` } });
  const statuses = ["127.0.0.1", "localhost", "evil.example"].map(async (host) => (await answer(host)).status);
  expect(await Promise.all(statuses)).toEqual([200, 200, 403]);
});

it("the console listens on the loopback address only", async () => {
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  const outside = addresses.filter(({ internal, family }) => !internal && family === "IPv4");
  for (const { address } of outside) {
    const socket = connect(Number(port), address);
    const [error] = (await once(socket, "error")) as [NodeJS.ErrnoException];
    expect(error.code).toBe("ECONNREFUSED");
  }
  expect(new URL(origin).hostname).toBe("127.0.0.1");
});

it("a port that is in use is named, with what to do", async () => {
  const second = startConsole({
    host: running.host,
    tourFile: "",
    builds: "",
    port: Number(port),
    page: { html: "", assets: [] },
  });
  await expect(second).rejects.toThrow(
    `Port ${port} is in use, perhaps by another console. Stop that program, or choose another port with --port (0 takes any free one).`,
  );
});
