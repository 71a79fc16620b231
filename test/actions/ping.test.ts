import { afterEach, beforeAll, describe, expect, it } from "@jest/globals";
import type { Tenant } from "../../sandbox/tenant/index.ts";
import { TestHost } from "../support/host.ts";
import { startTenant } from "../support/tenant.ts";

let tenant: Tenant;
let host: TestHost;
beforeAll(async () => {
  tenant = await startTenant();
  host = new TestHost(tenant);
});
afterEach(() => {
  tenant.control.clearFaults();
});

describe("Ping", () => {
  it("says that the service was reached, took the credentials, and what they can see", async () => {
    const { result } = await host.act({ name: "Ping" });
    const { environments } = tenant.data;
    const collected = environments.filter((environment) => environment.collected).length;
    expect(result).toMatchObject({
      status: "completed",
      value: true,
      json: { server: tenant.url, reached: true, authenticated: true, environments: environments.length, collected },
    });
    expect(result.message).toContain("Successfully connected to the");
    expect(result.message).toContain(`${environments.length} environments, ${collected} with collected data.`);
  });

  it("does not say how many environments there are when the service lists fewer than it counts", async () => {
    tenant.control.fault({ path: "available-domains", effect: { kind: "cut-list", size: 1 } });
    const { result } = await host.act({ name: "Ping" });
    expect(result).toMatchObject({ status: "completed", value: true, json: { environments: null, collected: null } });
    expect(result.message).toContain(
      "The credentials are valid. Not all environments could be listed, so their number is not known. The list from the service reports 5 records and holds 1 distinct one.",
    );
  });

  it("says why the rest of a list of environments could not be read", async () => {
    const [environment] = tenant.data.environments;
    const transform = () =>
      JSON.stringify({ count: 2, data: [{ id: environment!.id, name: "A.TEST", collected: true }] });
    tenant.control.fault({ path: "available-domains", times: 1, effect: { kind: "body", transform } });
    tenant.control.fault({ path: "available-domains", from: 2, effect: { kind: "status", status: 500 } });
    const { result } = await host.act({ name: "Ping" });
    expect(result).toMatchObject({ status: "completed", value: true, json: { environments: null, collected: null } });
    expect(result.message).toMatch(/Not all environments could be listed, so their number is not known\. .*status 500/);
    expect(result.message).not.toContain("counts more");
  });

  it.each<[string, unknown[], string]>([
    ["a number for an id", [{ id: 5, name: "CORP.TEST" }], "1 environment"],
    ["entries that are no objects", [null, "CORP.TEST"], "2 environments"],
    ["an environment beside one without an id", [{ id: "S-1-5-21-1", collected: true }, {}], "1 environment"],
  ])("does not say how many environments there are when the service lists %s", async (_, data, listed) => {
    const transform = () => JSON.stringify({ data });
    tenant.control.fault({ path: "available-domains", effect: { kind: "body", transform } });
    const { result } = await host.act({ name: "Ping" });
    expect(result).toMatchObject({ status: "completed", value: true, json: { environments: null, collected: null } });
    expect(result.message).toContain(
      `The service listed ${listed} without a usable id, so the number of environments is not known.`,
    );
    expect(result.message).not.toContain("Give the token's user a role");
  });

  it.each([null, undefined, "true"])("does not say how many hold data when the service says %j", async (collected) => {
    const transform = () => JSON.stringify({ data: [{ id: "S-1-5-21-1", name: "A.TEST", collected }] });
    tenant.control.fault({ path: "available-domains", effect: { kind: "body", transform } });
    const { result } = await host.act({ name: "Ping" });
    expect(result).toMatchObject({ status: "completed", value: true, json: { environments: 1, collected: null } });
    expect(result.message).toContain(
      "can see 1 environment. The service does not say whether data was collected for all of them.",
    );
  });

  it.each([401, 402, 403, 404, 418, 429, 451, 500, 503])(
    "does not take a web page with status %d for an answer of the service",
    async (status) => {
      const transform = () => "<!doctype html><title>Blocked</title>";
      tenant.control.fault({ path: "available-domains", effect: { kind: "body", transform, status } });
      const { result } = await host.act({ name: "Ping" });
      expect(result).toMatchObject({ status: "failed", value: false, json: { reached: false, authenticated: false } });
    },
  );

  it.each([400, 401, 403, 404, 429, 500, 503])("takes a %d of the service itself for its answer", async (status) => {
    tenant.control.fault({ path: "available-domains", effect: { kind: "status", status } });
    const { result } = await host.act({ name: "Ping" });
    expect(result.json).toMatchObject({ reached: true });
  });

  it("knows the rate limit of the service by its text, because it has no wrapper", async () => {
    tenant.control.fault({
      path: "available-domains",
      effect: { kind: "body", transform: () => "Limit exceeded", status: 429 },
    });
    const { result } = await host.act({ name: "Ping" });
    expect(result).toMatchObject({ status: "failed", json: { reached: true, error: "rate_limited" } });
  });

  it("says to check Server when the service does not know the address below it", async () => {
    const message = "resource not found";
    tenant.control.fault({ path: "available-domains", effect: { kind: "status", status: 404, message } });
    const { result } = await host.act({ name: "Ping" });
    expect(result).toMatchObject({ status: "failed", value: false, json: { error: "not_found" } });
    expect(result.message).toContain("The service does not know this address. Check that Server is the tenant's own");
    expect(result.message).not.toContain("name or ID");
  });

  it.each([
    ["when the service answers", {}],
    ["when it does not accept the key", { "Token Key": "not the key at all" }],
  ])("reports the Node.js in use %s", async (_, instance) => {
    const { result } = await host.act({ name: "Ping", instance });
    const { glibcVersionRuntime } = (process.report.getReport() as { header: { glibcVersionRuntime?: string } }).header;
    expect(result.json?.["node"]).toEqual({
      path: process.execPath,
      version: process.versions.node,
      cLibrary: glibcVersionRuntime === undefined ? null : `glibc ${glibcVersionRuntime}`,
      architecture: process.arch,
    });
  });

  it("says that the service was reached and did not accept a wrong key", async () => {
    const { result } = await host.act({ name: "Ping", instance: { "Token Key": "not the key at all" } });
    expect(result).toMatchObject({
      status: "failed",
      value: false,
      json: { reached: true, authenticated: false, error: "unauthenticated", environments: null, collected: null },
    });
    expect(result.message).toContain("Failed to connect to the");
    expect(result.message).toContain("Token Key");
  });

  it("succeeds when the service accepts the credentials and their user may not list environments", async () => {
    tenant.control.fault({ path: "available-domains", effect: { kind: "status", status: 403 } });
    const { result } = await host.act({ name: "Ping" });
    expect(result).toMatchObject({
      status: "completed",
      value: true,
      json: { reached: true, authenticated: true, error: "forbidden", environments: null, collected: null },
    });
    expect(result.message).toMatch(/^Successfully connected to the .* Permission denied.*may not read this\. Give/);
    expect(result.message).toContain("status 403");
  });

  it.each([
    ["a gateway", "text", "Blocked by policy."],
    ["the service, for a disabled user,", "json", "user disabled"],
  ] as const)("does not take a 403 of %s for credentials that work", async (_, body, message) => {
    tenant.control.fault({ effect: { kind: "status", status: 403, body, message } });
    const { result } = await host.act({ name: "Ping" });
    expect(result).toMatchObject({ status: "failed", value: false, json: { authenticated: false } });
    expect(result.message).toMatch(/^Failed to connect to the /);
    expect(result.message).not.toContain("credentials are valid");
  });

  it("says that nobody answered", async () => {
    const gone = await startTenant();
    await gone.close();
    const { result } = await new TestHost(gone).act({ name: "Ping" });
    expect(result).toMatchObject({
      status: "failed",
      value: false,
      json: { reached: false, authenticated: false, error: "network" },
    });
    expect(result.message).toContain("Failed to connect to the");
  });

  it("does not take a web page for the service", async () => {
    tenant.control.fault({ effect: { kind: "html" } });
    const { result } = await host.act({ name: "Ping" });
    expect(result).toMatchObject({ status: "failed", json: { reached: false, authenticated: false } });
  });

  it("says which parameter is no address of a tenant", async () => {
    const { result } = await host.act({ name: "Ping", instance: { Server: "ftp://tenant.test" } });
    expect(result).toMatchObject({ status: "failed", value: false });
    expect(result.message).toMatch(/^Failed to connect to the .*Server/);
  });
});
