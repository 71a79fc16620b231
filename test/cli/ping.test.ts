import { beforeAll, describe, expect, it } from "@jest/globals";
import type { Tenant } from "../../sandbox/tenant/index.ts";
import { askHere } from "../support/command-line.ts";
import { startTenant } from "../support/tenant.ts";

describe("ping", () => {
  let tenant: Tenant;
  beforeAll(async () => {
    tenant = await startTenant();
  });

  it("says that the service accepts the credentials", async () => {
    expect(await askHere(tenant, ["ping"])).toEqual({
      code: 0,
      out: `Connected to ${tenant.url}. Environments: 5, with collected data: 4.\n`,
      error: "",
    });
  });

  it("says it to programs", async () => {
    const { code, out } = await askHere(tenant, ["ping", "--json"]);
    expect({ code, report: JSON.parse(out) as unknown }).toEqual({
      code: 0,
      report: { server: tenant.url, reached: true, authenticated: true, error: null, environments: 5, collected: 4 },
    });
  });

  it("gives no number of environments when the service lists one without a usable id", async () => {
    tenant.control.fault({ path: "available-domains", effect: { kind: "more-items", items: [{ id: 5 }] } });
    expect((await askHere(tenant, ["ping"])).out).toBe(
      `Connected to ${tenant.url}. Environments: not known, with collected data: not known.\n`,
    );
    tenant.control.clearFaults();
  });

  it("ends with 3 when the service rejects the credentials", async () => {
    const { code, out, error } = await askHere(tenant, ["ping"], { input: "b3RoZXIga2V5" });
    expect({ code, out }).toEqual({ code: 3, out: "" });
    expect(error).toMatch(/^Error: The service rejected the credentials/);
  });

  it("ends with 4 when the service cannot be reached", async () => {
    const { code, error } = await askHere({ ...tenant, url: "http://127.0.0.1:9" }, ["ping"]);
    expect(code).toBe(4);
    expect(error).toMatch(/^Error: /);
  });
});
