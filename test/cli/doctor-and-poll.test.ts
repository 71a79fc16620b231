import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import type { FaultEffect, Tenant } from "../../sandbox/tenant/index.ts";
import { askHere } from "../support/command-line.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { startTenant } from "../support/tenant.ts";
import { problemsOf, type Report } from "./report.ts";

const dataset = { environments: 2, findingTypes: 2, findingsPerPair: 30 };

/** An answer that holds these entries and no others. */
function listing(...entries: unknown[]): FaultEffect {
  const transform = () => JSON.stringify({ count: entries.length, data: entries });
  return { kind: "body", transform, status: 200 };
}

const TYPES = "/available-types$";
const DETAILS = "/details$";
const unread: [what: string, path: string, effect: FaultEffect, check: string, summary: RegExp][] = [
  [
    "does not know the environments that it lists",
    TYPES,
    { kind: "status", status: 404 },
    "permission:available-types",
    /^The service does not know what it has just listed \(status 404\)\. Used by the connector\.$/,
  ],
  [
    "lists finding types without a valid name",
    TYPES,
    listing({}, ""),
    "permission:available-types",
    /^The service listed entries that are not names: 2\./,
  ],
  [
    "does not know the finding types that it lists",
    DETAILS,
    { kind: "status", status: 404 },
    "permission:details",
    /^The service does not know what it has just listed \(status 404\)\./,
  ],
  [
    "rejects every question for findings",
    DETAILS,
    { kind: "status", status: 400 },
    "permission:details",
    /^The service rejects the requests that the connector sends \(status 400\)\./,
  ],
  [
    "answers with findings of another type",
    DETAILS,
    listing({ id: 1, Finding: "Another" }),
    "permission:details",
    /^The service listed entries that are not findings of the requested type and environment: 1\./,
  ],
  [
    "answers with entries that are no findings",
    DETAILS,
    listing(5),
    "permission:details",
    /^The service listed entries that are not findings of the requested type and environment: 1\./,
  ],
  [
    "lists environments without a usable id",
    "/available-domains$",
    listing({ id: 5 }),
    "environments",
    /^The service lists 1 environment without a usable id\.$/,
  ],
];

describe("doctor and poll", () => {
  const doctor = async (tenant: Tenant) => {
    const { code, out } = await askHere(tenant, ["doctor", "--json"]);
    return { code, ...(JSON.parse(out) as Report) };
  };
  const pollCode = async (tenant: Tenant) =>
    (await askHere(tenant, ["poll", "--state", join(temporaryFolder(), "poll.json")])).code;

  it.each(unread)(
    "agree that the connector cannot run when the service %s",
    async (_, path, effect, check, summary) => {
      const tenant = await startTenant({ dataset });
      tenant.control.fault({ path, effect });
      const report = await doctor(tenant);
      const [problem] = report.checks.filter(({ status }) => status === "failed");
      expect(problem).toMatchObject({ name: check, summary: expect.stringMatching(summary) as unknown });
      expect([report.code, report.canRun]).toEqual([1, false]);
      expect(await pollCode(tenant)).not.toBe(0);
      // Nothing is called allowed, or without findings, that was not tried for want of a list.
      const untried = report.checks.filter(({ summary: text }) => text.startsWith("Not tried"));
      expect(untried).toEqual([]);
    },
  );

  it("agree that the connector can run where an environment does not say whether it has data", async () => {
    const tenant = await startTenant({ dataset });
    const unsaid = (body: string) => body.replaceAll(/"collected":true,?/g, "");
    tenant.control.fault({ path: "/available-domains$", effect: { kind: "body", transform: unsaid } });
    const report = await doctor(tenant);
    expect([report.code, problemsOf(report), await pollCode(tenant)]).toEqual([0, [], 0]);
  });

  it("name what a part of the lists lacks, and go on with the others", async () => {
    const tenant = await startTenant({ dataset });
    const items = [5];
    for (const path of ["/available-domains$", TYPES, DETAILS])
      tenant.control.fault({ path, effect: { kind: "more-items", items } });
    const report = await doctor(tenant);
    expect([report.code, report.canRun]).toEqual([0, true]);
    expect(problemsOf(report).map(({ name, status }) => [name, status])).toEqual([
      ["environments", "warning"],
      ["permission:available-types", "warning"],
      ["permission:details", "warning"],
    ]);
    expect(await pollCode(tenant)).toBe(5);
  });

  it("tries nothing on a tenant whose environments have no finding types, and says so", async () => {
    const tenant = await startTenant({ dataset });
    tenant.control.fault({ path: TYPES, effect: listing() });
    const report = await doctor(tenant);
    const details = report.checks.find(({ name }) => name === "permission:details");
    expect([report.code, details?.summary]).toEqual([0, "Not tried: the service lists no finding type to try it on."]);
    expect(await pollCode(tenant)).toBe(0);
  });
});
