import { describe, expect, it } from "@jest/globals";
import type { FindingsPage, FindingsQuery } from "../../src/service/connect.ts";
import { ServerError } from "../../src/service/errors/errors.ts";
import { sendJson, wrapper } from "../support/raw-server.ts";
import { answering } from "./support/answering.ts";
import { clientOf, errorOf } from "./support/clients.ts";

const tenant = answering();

describe("environments", () => {
  it("come as the service lists them, unknown fields included", async () => {
    tenant.respond({
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
    await expect(tenant.service.environments.list()).resolves.toEqual({
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
    expect(tenant.targets()).toEqual(["GET /api/v2/available-domains"]);
    expect(tenant.warnings()).toEqual([]);
  });

  it("that nothing can be asked about are counted: without an id, with an empty one, or with broken Unicode", async () => {
    tenant.respond({ data: [{ name: "A" }, { id: "S-2", name: 5 }, null, { id: "" }, { id: 7 }, { id: "S-\ud800" }] });
    await expect(tenant.service.environments.list()).resolves.toEqual({ environments: [{ id: "S-2" }], unreadable: 5 });
    expect(tenant.warnings().map(({ fields }) => fields["count"])).toEqual([3]);
  });
});

describe("the analysis", () => {
  const status = (data: unknown) => {
    tenant.respond({ data });
    return tenant.service.analysis.status();
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
    expect(tenant.targets()[0]).toBe("GET /api/v2/datapipe/status");
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
    [{ last_complete_analysis_at: at }],
    [{ status: 1, last_complete_analysis_at: at }],
  ])("is asked for again in the next run when the answer is %j", async (data) => {
    await expect(status(data)).rejects.toThrow(/The response from the service has no (record|status)\./);
  });

  it.each([
    [{ status: "idle", last_complete_analysis_at: `2026-01-02T03:04:05.${"6".repeat(100)}Z` }],
    [{ status: "idle" }],
    [{ status: "idle", last_complete_analysis_at: 7 }],
    [{ status: "idle", last_complete_analysis_at: "yesterday" }],
  ])("is not offered when the answer is %j", async (data) => {
    await expect(status(data)).resolves.toBeNull();
  });

  it.each([400, 403, 404])("is not offered after %i, which is no reason to warn", async (code) => {
    tenant.respond(wrapper(code, "no"), code);
    await expect(tenant.service.analysis.status()).resolves.toBeNull();
    expect(tenant.warnings()).toEqual([]);
  });

  it.each([400, 403, 404])(
    "is not known to be offered after the %i of a gateway, unless it is required",
    async (code) => {
      tenant.respond({ message: "no Route matched" }, code);
      await expect(errorOf(tenant.service.analysis.status())).resolves.toMatchObject({ status: code });
      await expect(tenant.service.analysis.status({ required: true })).resolves.toBeNull();
    },
  );

  it.each([
    [401, "unauthenticated"],
    [500, "server"],
  ])("is an error after %i", async (code, expected) => {
    tenant.respond(wrapper(code, "no"), code);
    await expect(errorOf(tenant.service.analysis.status())).resolves.toMatchObject({ code: expected });
  });

  it("is an error when a web page answers", async () => {
    tenant.answer = (_, response) => {
      response.writeHead(200, { "content-type": "text/html" }).end("<html>Sign in</html>");
    };
    await expect(errorOf(tenant.service.analysis.status())).resolves.toMatchObject({ code: "protocol" });
  });
});

describe("findings", () => {
  const query: FindingsQuery = { environmentId: "S-1-5", findingType: "Custom/Ü b" };

  async function read(more: Partial<FindingsQuery> = {}): Promise<FindingsPage[]> {
    const pages: FindingsPage[] = [];
    for await (const page of tenant.service.findings.pages({ ...query, ...more })) pages.push(page);
    return pages;
  }

  it("are asked for by creation time and id, a thousand at a time, and once for what follows behind their count", async () => {
    reject(() => false);
    await read();
    await read({ createdFrom: "2026-08-20T14:05:06.123456789Z" });
    const list = "sort_by=created_at&sort_by=id&limit=1000&skip=0";
    expect(tenant.targets()).toEqual([
      `GET /api/v2/domains/S-1-5/details?finding=Custom%2F%C3%9C%20b&${list}`,
      `GET /api/v2/domains/S-1-5/details?finding=Custom%2F%C3%9C%20b&sort_by=created_at&sort_by=id&limit=1&skip=1`,
      `GET /api/v2/domains/S-1-5/details?finding=Custom%2F%C3%9C%20b&created_at=gte%3A2026-08-20T14%3A05%3A06.123456789Z&${list}`,
    ]);
  });

  it("come page by page with their places, however few the service grants", async () => {
    const all = Array.from({ length: 7 }, (_, id) => ({ id }));
    tenant.answer = (request, response) => {
      const skip = Number(new URL(request.url ?? "", tenant.server.url).searchParams.get("skip"));
      sendJson(response, { count: all.length, skip, limit: 3, data: all.slice(skip, skip + 3) });
    };
    expect(await read()).toEqual([
      { findings: all.slice(0, 3), invalidValues: [], total: 7, skip: 0, isMoved: false, inOrder: true, order: 0 },
      { findings: all.slice(3, 5), invalidValues: [], total: 7, skip: 3, isMoved: false, inOrder: true, order: 0 },
      { findings: all.slice(5, 7), invalidValues: [], total: 7, skip: 5, isMoved: false, inOrder: true, order: 0 },
    ]);
    expect(await read({ resume: { skip: 5, after: "4" } })).toEqual([
      { findings: all.slice(5, 7), invalidValues: [], total: 7, skip: 5, isMoved: false, inOrder: true, order: 0 },
    ]);
  });

  it("have their wrappers unwrapped and their principals' properties as sent", async () => {
    tenant.respond({
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
    tenant.respond({ count: 2, data: [{ id: 1 }, { id: 2, ImpactPercentage: "high", FromPrincipal: 7 }] });
    const [page] = await read();
    expect(page?.findings).toEqual([{ id: 1 }, { id: 2 }]);
    expect(page?.invalidValues).toEqual([
      { position: 1, path: "/ImpactPercentage", problem: "is not of the type number" },
      { position: 1, path: "/FromPrincipal", problem: "is not of the type string" },
    ]);
  });

  it("that are promised and missing are a protocol error of that request", async () => {
    tenant.respond({ count: 5, data: null });
    await expect(errorOf(read())).resolves.toMatchObject({ code: "protocol", path: "/api/v2/domains/S-1-5/details" });
  });

  it("end with the consumer: a page that nobody wants is not asked for", async () => {
    tenant.respond({ count: 10, data: [{ id: 1 }] });
    for await (const page of tenant.service.findings.pages(query)) {
      expect(page.findings).toHaveLength(1);
      break;
    }
    expect(tenant.targets().filter((target) => target.includes("limit=1000"))).toHaveLength(1);
  });

  it("are probed with one record, the one with the greatest id", async () => {
    tenant.respond({ count: 42, data: [{ id: 9, created_at: "2026-08-20T14:05:06Z" }] });
    await expect(
      tenant.service.findings.newest({
        environmentId: "S-1",
        findingType: "T0Owns",
        createdFrom: "2026-08-20T00:00:00Z",
      }),
    ).resolves.toEqual({
      total: 42,
      newest: { id: 9, created_at: "2026-08-20T14:05:06Z" },
    });
    expect(tenant.targets()).toEqual([
      "GET /api/v2/domains/S-1/details?finding=T0Owns&created_at=gte%3A2026-08-20T00%3A00%3A00Z&sort_by=-id&limit=1",
    ]);
    tenant.respond({ data: null });
    await expect(tenant.service.findings.newest({ environmentId: "S-1", findingType: "T0Owns" })).resolves.toEqual({
      total: null,
      newest: null,
    });
  });

  it("cannot be probed where the service rejects the question", async () => {
    const window = { environmentId: "S-1", findingType: "T0Owns" };
    tenant.respond(wrapper(400, "column is not sortable"), 400);
    await expect(tenant.service.findings.newest(window)).resolves.toBeNull();
  });

  it("are an error when a gateway rejects a probe", async () => {
    tenant.respond("<html>Bad Request</html>", 400);
    const window = { environmentId: "S-1", findingType: "T0Owns" };
    await expect(errorOf(tenant.service.findings.newest(window))).resolves.toMatchObject({ code: "bad_request" });
  });

  it("are an error when a probe fails in any other way", async () => {
    tenant.respond(wrapper(403, "no"), 403);
    const window = { environmentId: "S-1", findingType: "T0Owns" };
    await expect(errorOf(tenant.service.findings.newest(window))).resolves.toMatchObject({ code: "forbidden" });
    tenant.respond({ data: [] });
    await expect(tenant.service.findings.newest(window)).resolves.toEqual({ total: null, newest: null });
  });

  /** Rejects requests that this says true to, and gives one finding else. */
  function reject(isRejected: (query: URLSearchParams) => boolean): void {
    tenant.answer = (request, response) => {
      const query = new URL(request.url ?? "", tenant.server.url).searchParams;
      if (isRejected(query)) sendJson(response, wrapper(400, "invalid parameter"), 400);
      else sendJson(response, { count: 1, data: Number(query.get("skip")) > 0 ? [] : [{ id: 1 }] });
    };
  }

  it.each<[string, (query: URLSearchParams) => boolean, string]>([
    [
      "a second sort column",
      (query) => query.getAll("sort_by").length > 1,
      "created_at=gte%3AX&sort_by=created_at&limit=1000&skip=0",
    ],
    ["its page size", (query) => query.has("limit"), "created_at=gte%3AX&sort_by=created_at&skip=0"],
    ["the filter", (query) => query.has("created_at"), "sort_by=created_at&sort_by=id&limit=1000&skip=0"],
    ["every sort order", (query) => query.has("sort_by"), "created_at=gte%3AX&limit=1000&skip=0"],
    ["sort order and page size", (query) => query.has("sort_by") || query.has("limit"), "created_at=gte%3AX&skip=0"],
    ["everything", (query) => query.size > 2, "skip=0"],
  ])("are read without what the service rejects: %s", async (_, isRejected, accepted) => {
    reject(isRejected);
    expect((await read({ createdFrom: "X" }))[0]?.findings).toEqual([{ id: 1 }]);
    // The last request shows that the list ends where the service counts.
    expect(tenant.targets().at(-2)).toBe(`GET /api/v2/domains/S-1-5/details?finding=Custom%2F%C3%9C%20b&${accepted}`);
    tenant.server.requests.length = 0;
    await read({ createdFrom: "X" });
    // What was rejected once is not asked for again.
    expect(tenant.targets()).toHaveLength(1);
  });

  it("are read from their start when the service rejects a place behind their end, and asked for as before", async () => {
    const placeOf = (query: URLSearchParams) => Number(query.get("skip"));
    reject((query) => placeOf(query) > 1);
    const pages = await read({ createdFrom: "X", resume: { skip: 8, after: "8" } });
    expect(pages).toMatchObject([{ findings: [{ id: 1 }], skip: 0, inOrder: true }]);
    await read({ createdFrom: "X" });
    expect(tenant.targets().at(-1)).toContain("created_at=gte%3AX&sort_by=created_at&sort_by=id&limit=1000&skip=0");
  });

  it("are asked for a hundred at a time where a thousand take the service too long", async () => {
    tenant.answer = (request, response) => {
      const query = new URL(request.url ?? "", tenant.server.url).searchParams;
      const [limit, skip] = [Number(query.get("limit")), Number(query.get("skip"))];
      if (limit > 100) sendJson(response, wrapper(500, "request timed out"), 500);
      else {
        const data = Array.from({ length: Math.min(limit, 150 - skip) }, (_, i) => ({ id: skip + i + 1 }));
        sendJson(response, { count: 150, data });
      }
    };
    const pages = await read();
    expect(pages.map(({ findings, inOrder }) => [findings.length, inOrder])).toEqual([
      [100, true],
      [50, true],
    ]);
    expect(tenant.targets().map((target) => /limit=(\d+)&skip=(\d+)$/.exec(target)?.slice(1))).toEqual([
      ["1000", "0"],
      ["100", "0"],
      ["100", "99"],
      // Whether something is behind the count.
      ["2", "149"],
    ]);
  });

  it("are an error with the service's reason when it rejects a place in them for good", async () => {
    tenant.answer = (request, response) => {
      const skip = Number(new URL(request.url ?? "", tenant.server.url).searchParams.get("skip"));
      if (skip > 2) sendJson(response, wrapper(400, "result window is too large"), 400);
      else sendJson(response, { count: 9, data: [{ id: skip + 1 }, { id: skip + 2 }] });
    };
    await expect(errorOf(read())).resolves.toMatchObject({
      message: expect.stringContaining("result window is too large"),
    });
  });

  it("do not end where the service refuses a place once, whatever the size of its pages", async () => {
    let refusals = 0;
    tenant.answer = (request, response) => {
      const skip = Number(new URL(request.url ?? "", tenant.server.url).searchParams.get("skip"));
      if (skip === 3 && refusals++ < 6) sendJson(response, wrapper(400, "could not read"), 400);
      else sendJson(response, { count: 6, data: [{ id: skip + 1 }].filter(({ id }) => id <= 6) });
    };
    const ids = new Set((await read()).flatMap(({ findings }) => findings.map(({ id }) => id)));
    expect(ids.size).toBe(6);
  });

  it("are asked for without their order in a read of everything once the order was rejected", async () => {
    reject((query) => query.has("sort_by"));
    await read();
    const asked = tenant.targets().map((target) => target.replace(/.*b&/, ""));
    expect(asked.slice(0, 4)).toEqual([
      "sort_by=created_at&sort_by=id&limit=1000&skip=0",
      "sort_by=created_at&limit=1000&skip=0",
      "sort_by=created_at&skip=0",
      "limit=1000&skip=0",
    ]);
  });

  it("are an error with the service's first reason when it rejects every way to ask", async () => {
    tenant.answer = (_, response, index) => {
      sendJson(response, wrapper(400, index === 0 ? "unknown finding" : "other"), 400);
    };
    await expect(errorOf(read())).resolves.toMatchObject({
      code: "bad_request",
      message: expect.stringContaining("unknown finding"),
    });
  });

  it.each<[string, () => Promise<unknown>]>([
    ["environments", () => tenant.service.environments.list()],
    ["finding types", () => tenant.service.findings.types("S-1")],
    ["findings", () => read()],
  ])("and other lists that are null are asked for once more before they count as empty: %s", async (_, list) => {
    tenant.answer = (_request, response, index) => {
      sendJson(response, index === 0 ? { data: null } : { data: [] });
    };
    await list();
    expect(tenant.server.requests).toHaveLength(2);
  });

  it("have types; entries that are not names are counted", async () => {
    tenant.respond({
      data: ["T0Owns", null, "", 7, "Custom/Ü b", "\ud83d\ude00", "broken \udc00", ["T0Owns"], "__proto__"],
    });
    await expect(tenant.service.findings.types("S-1")).resolves.toEqual({
      types: ["T0Owns", "Custom/Ü b", "\ud83d\ude00", "__proto__"],
      unreadable: 5,
    });
    tenant.respond({ data: [] });
    await expect(tenant.service.findings.types("S-1")).resolves.toEqual({ types: [], unreadable: 0 });
  });

  it("have a sparkline of analyses", async () => {
    tenant.respond({
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
      tenant.service.findings.sparkline({
        environmentId: "S-1",
        findingType: "T0Owns",
        from: "2026-08-20T00:00:00Z",
        to: "2026-08-21T00:00:00Z",
      }),
    ).resolves.toEqual([
      { id: 1, created_at: "2026-08-20T14:05:06Z", deleted_at: null, FindingCount: 3, CompositeRisk: 12.5 },
    ]);
    expect(tenant.targets()).toEqual([
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
    tenant.answer = (_, response) => {
      response.writeHead(200, { "content-type": type }).end(body);
    };
    await expect(tenant.service.documents.read("T0Owns", "long_remediation")).resolves.toBe(text);
    expect(tenant.targets()).toEqual(["GET /api/v2/assets/findings/T0Owns/long_remediation"]);
  });

  it.each([
    ["text/html", "<html>Sign in</html>"],
    ["application/json", '{"data":"cut off'],
    ["application/json", '{"data":{"text":"odd"}}'],
  ])("are not taken from %s %j", async (type, body) => {
    tenant.answer = (_, response) => {
      response.writeHead(200, { "content-type": type }).end(body);
    };
    await expect(errorOf(tenant.service.documents.read("T0Owns", "title"))).resolves.toMatchObject({
      code: "protocol",
    });
  });

  it.each([
    ["the service", JSON.stringify(wrapper(404, "resource not found")), "application/json"],
    ["a server of files", "404 page not found", "text/plain"],
  ])("that do not exist are empty when %s says so", async (_, body, type) => {
    tenant.answer = (__, response) => {
      response.writeHead(404, { "content-type": type }).end(body);
    };
    await expect(tenant.service.documents.read("T0Owns", "title")).resolves.toBe("");
  });

  it.each(["<!doctype html><title>No such page</title>", '{"message":"no Route matched with those values"}', ""])(
    "are not empty when a gateway answers 404 with %j",
    async (body) => {
      tenant.answer = (_, response) => {
        response.writeHead(404).end(body);
      };
      await expect(errorOf(tenant.service.documents.read("T0Owns", "title"))).resolves.toMatchObject({
        code: "not_found",
      });
    },
  );

  it("are at fault when the service is", async () => {
    tenant.respond(wrapper(500, "failed"), 500);
    await expect(errorOf(tenant.service.documents.read("T0Owns", "title"))).resolves.toBeInstanceOf(ServerError);
  });

  it("have another address in the other dialect", async () => {
    tenant.respond({ data: "A title" });
    await clientOf(tenant.server.url, { dialect: "bloodhound-enterprise" }).documents.read("T0/Owns", "title");
    expect(tenant.targets()).toEqual(["GET /api/v2/assets/findings/T0%2FOwns/title.md"]);
  });
});
