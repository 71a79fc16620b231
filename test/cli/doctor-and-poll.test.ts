import http from "node:http";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import type { FaultEffect, Tenant } from "../../sandbox/tenant/index.ts";
import { askHere } from "../support/command-line.ts";
import { startServer } from "../support/raw-server.ts";
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
    /^The service has no finding types: it answers 404 to GET \/api\/v2\/domains\/\{domain_id\}\/available-types\. BloodHound Community Edition/,
  ],
  [
    "is a Community Edition, which has none of the operations for findings",
    "/(available-types|details|sparkline)$",
    { kind: "status", status: 404, body: "text", message: "404 page not found" },
    "permission:available-types",
    /^The service has no finding types: .* BloodHound Community Edition/,
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
    /^The service does not know what it has just listed \(GET \/api\/v2\/domains\/\{domain_id\}\/details, status 404\)\./,
  ],
  [
    "rejects every question for findings",
    DETAILS,
    { kind: "status", status: 400 },
    "permission:details",
    /^The service rejects the requests of the connector: .* \(GET .*\/details, status 400\)\./,
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
      expect(untried.filter(({ status }) => status !== "skipped")).toEqual([]);
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

  const count = (entries: (data: unknown[]) => unknown[]): FaultEffect => {
    const transform = (body: string) => {
      const { data } = JSON.parse(body) as { data: unknown[] };
      return JSON.stringify({ count: data.length + 2, data: entries(data) });
    };
    return { kind: "body", transform, status: 200 };
  };

  it.each<[string, FaultEffect]>([
    ["all of them and a count that is larger", count((data) => data)],
    ["one of them and a count that is larger", count((data) => data.slice(0, 1))],
    ["as many as a cut list", { kind: "cut-list", size: 1 }],
  ])(
    "agree that the connector can run, and that environments are missing, when the service sends %s",
    async (_, effect) => {
      const tenant = await startTenant({ dataset });
      tenant.control.fault({ path: "/available-domains$", effect });
      const report = await doctor(tenant);
      expect([report.code, report.canRun, await pollCode(tenant)]).toEqual([0, true, 5]);
      expect(problemsOf(report)).toMatchObject([
        {
          name: "environments",
          status: "warning",
          summary: expect.stringMatching(/Not all environments could be listed, so some are missing\.$/) as unknown,
        },
      ]);
    },
  );

  it.each([-3, 3])("agree that the connector can run when only the Date header is wrong, by %d h", async (hours) => {
    const tenant = await startTenant({ dataset });
    const date = new Date(Date.now() + hours * 3_600_000).toUTCString();
    const gateway = await startServer((request, response) => {
      const { method, url = "", headers } = request;
      http.get(`${tenant.url}${url}`, { method: method ?? "GET", headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 0, { ...answer.headers, date });
        answer.pipe(response);
      });
    });
    const behind = { ...tenant, url: gateway.url };
    const report = await doctor(behind);
    expect([report.code, report.canRun, await pollCode(behind)]).toEqual([0, true, 0]);
    expect(problemsOf(report)).toMatchObject([
      {
        name: "clock",
        status: "warning",
        summary: expect.stringMatching(
          /^The clock of this machine is 3 h (ahead of|behind) the service's, by the Date header of its responses\. The service accepts/,
        ) as unknown,
      },
    ]);
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
