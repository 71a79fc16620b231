import { describe, expect, it } from "@jest/globals";
import { sendJson } from "../../support/raw-server.ts";
import { answering } from "../support/answering.ts";
import { errorOf } from "../support/clients.ts";

const tenant = answering();
const three = [{ id: "S-1" }, { id: "S-2" }, { id: "S-3" }];

/** The service lists so many from the position that is asked for. */
function paging(list: readonly unknown[], size: number, count: number | null = list.length): void {
  tenant.answer = (request, response) => {
    const skip = Number(new URL(request.url ?? "", tenant.server.url).searchParams.get("skip"));
    sendJson(response, { ...(count !== null && { count }), data: list.slice(skip, skip + size) });
  };
}

describe("a list that comes in one piece as a rule", () => {
  it.each([[null], [3], [2], [0]])("costs one request when its count is %j", async (count) => {
    paging(three, 3, count);
    await expect(tenant.service.environments.list()).resolves.toEqual({ environments: three, unreadable: 0 });
    expect(tenant.targets()).toEqual(["GET /api/v2/available-domains"]);
  });

  it.each([1, 2])("is read to its end when the service sends %i at a time", async (size) => {
    paging(three, size);
    await expect(tenant.service.environments.list()).resolves.toEqual({ environments: three, unreadable: 0 });
    expect(tenant.targets()[1]).toBe("GET /api/v2/available-domains?skip=1&limit=1000");
    paging(["A", "B", "C"], size);
    await expect(tenant.service.findings.types("S-1")).resolves.toEqual({ types: ["A", "B", "C"], unreadable: 0 });
  });

  it("is read to its end when the service names the size of a full page, and no count", async () => {
    const pageOf = (list: readonly unknown[]) => {
      tenant.answer = (request, response) => {
        const skip = Number(new URL(request.url ?? "", tenant.server.url).searchParams.get("skip"));
        sendJson(response, { data: list.slice(skip, skip + 2), skip, limit: 2 });
      };
    };
    pageOf(three);
    await expect(tenant.service.environments.list()).resolves.toEqual({ environments: three, unreadable: 0 });
    pageOf(["A", "B", "C", "D"]);
    await expect(tenant.service.findings.types("S-1")).resolves.toEqual({ types: ["A", "B", "C", "D"], unreadable: 0 });
  });

  it.each([
    ["sends the same part again", (): unknown => ({ count: 3, data: three.slice(0, 2) })],
    ["lists less than it counts", (skip: number): unknown => ({ count: 3, data: three.slice(0, 2).slice(skip) })],
    ["lists nothing more", (skip: number): unknown => ({ count: 3, data: skip === 0 ? three.slice(0, 2) : null })],
  ])("gives what arrived and says why the rest is missing when the service %s", async (_, body) => {
    tenant.answer = (request, response) => {
      sendJson(response, body(Number(new URL(request.url ?? "", tenant.server.url).searchParams.get("skip"))));
    };
    await expect(tenant.service.environments.list()).resolves.toMatchObject({
      environments: three.slice(0, 2),
      incomplete: { code: "protocol", path: "/api/v2/available-domains" },
    });
    expect(tenant.server.requests.length).toBeLessThan(10);
  });

  it("is whole where its limit is 0, which means no limit", async () => {
    tenant.respond({ count: 3, data: three, skip: 0, limit: 0 });
    await expect(tenant.service.environments.list()).resolves.toEqual({ environments: three, unreadable: 0 });
    expect(tenant.targets()).toHaveLength(1);
  });

  it.each(["", " "])("has an environment without a name where its name is %j", async (name) => {
    tenant.respond({ count: 1, data: [{ id: "S-1", name }] });
    await expect(tenant.service.environments.list()).resolves.toEqual({ environments: [{ id: "S-1" }], unreadable: 0 });
  });

  it("is an error when the service counts entries and lists none", async () => {
    tenant.respond({ count: 2, data: null });
    await expect(errorOf(tenant.service.environments.list())).resolves.toMatchObject({ code: "protocol" });
    await expect(errorOf(tenant.service.findings.types("S-1"))).resolves.toMatchObject({ code: "protocol" });
  });

  it("counts entries that cannot be used as listed, wherever they stand", async () => {
    paging(["A", 7, "", null, ["B"], {}, "C"], 2);
    await expect(tenant.service.findings.types("S-1")).resolves.toEqual({ types: ["A", "C"], unreadable: 5 });
    paging([{ name: "A" }, { id: "S-1" }, { name: "B" }, { id: "S-2" }], 2);
    await expect(tenant.service.environments.list()).resolves.toMatchObject({
      environments: [{ id: "S-1" }, { id: "S-2" }],
      unreadable: 2,
    });
  });
});
