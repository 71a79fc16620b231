import { beforeAll, describe, expect, it } from "@jest/globals";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openHost, type ConnectorReport, type Host } from "../../../sandbox/soar/index.ts";
import { alertsTable, casesTable, eventsTable } from "../../../sandbox/soar/tables.ts";
import type { Tenant } from "../../../sandbox/tenant/index.ts";
import { builtPackage, type BuiltPackage } from "../../support/package.ts";
import { runPlugin } from "../../support/plugin-run.ts";
import { connectorFields, connectorRequest } from "../../support/requests.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { startTenant } from "../../support/tenant.ts";

/** Line ends, terminal commands, reversed text, a formula, markup, and names that mean something to JavaScript. */
const HOSTILE =
  '=1+1\r\n2026-11-20T00:00:00Z error FORGED\u001b[2J\u001b]0;title\u0007\u202e<img src=x onerror=alert(1)>"';
const TYPES = ["__proto__", "constructor", "../../etc/passwd", `T0\n${HOSTILE}`];
/** Controls but line feeds, line and paragraph separators, and what turns the direction of text. */
const COMMANDS = /(?!\n)[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

const folder = temporaryFolder();
let built: BuiltPackage;
let tenant: Tenant;
let host: Host;
let report: ConnectorReport;

beforeAll(async () => {
  built = await builtPackage();
  tenant = await startTenant({ dataset: { environments: 2, findingTypes: 1, findingsPerPair: 2 } });
  const { control, data } = tenant;
  for (const { id } of data.environments) {
    control.renameEnvironment(id, HOSTILE);
    for (const type of TYPES) {
      const props = { name: HOSTILE, objectid: HOSTILE };
      const names = { FromPrincipal: HOSTILE, FromPrincipalProps: props, ToPrincipalProps: props };
      control.addFindings(id, type, [
        { ...names, Severity: HOSTILE },
        { [HOSTILE]: HOSTILE, ImpactCount: HOSTILE },
      ]);
      for (const kind of ["title", "short_description", "long_remediation"] as const)
        control.setDocument(type, kind, HOSTILE);
    }
  }
  control.fault({ path: "short_remediation", times: 1, effect: { kind: "status", status: 500, message: HOSTILE } });
  host = openHost({ data: folder });
  const { id } = await host.install(built.zip);
  const connector = host.configureConnector(id, "Attack Path Findings", {
    ...connectorFields(tenant),
    "Selected Finding Types": JSON.stringify(["All", HOSTILE]),
  });
  report = await host.runConnector(connector.id);
}, 120_000);

describe("what a tenant calls its things", () => {
  it("is delivered as it is, each finding once, whatever its type is called", () => {
    expect(report.status).toBe("partial");
    expect(report.events).toBe(2 * (2 + TYPES.length * 2));
    expect(new Set(host.alerts.findings().values())).toEqual(new Set([1]));
    expect(host.alerts.alerts().map(({ environmentName }) => environmentName)).toContain(HOSTILE);
    expect(({} as Record<string, unknown>)["FORGED"]).toBeUndefined();
  });

  it("is remembered: a second run brings nothing again", async () => {
    const [connector] = host.store.connectors();
    const again = await host.runConnector(connector?.id ?? "");
    expect([again.status, again.alerts, again.repeated]).toEqual(["completed", 0, 0]);
  });

  it("commands no terminal and breaks no line of a table or a message", () => {
    const printed = [
      report.message,
      casesTable(host.alerts.cases()),
      alertsTable(host.alerts.alerts()),
      eventsTable(host.alerts.events().map(({ event }) => event)),
    ];
    expect(printed.join("")).toContain("FORGED");
    expect(printed.filter((text) => COMMANDS.test(text))).toEqual([]);
    expect(report.message).not.toContain("\n");
  });

  it("stands in one line of the host's log with the line that speaks of it", async () => {
    await host.close();
    const log = readFileSync(join(folder, "host.log"), "utf8");
    expect(log).toContain("FORGED");
    expect(COMMANDS.test(log)).toBe(false);
    const beginnings = log
      .trimEnd()
      .split("\n")
      .map((line) => /^\d{4}-\d\d-\d\dT\S+Z (debug|info|warn|error) /.test(line));
    expect(new Set(beginnings)).toEqual(new Set([true]));
    expect(log).not.toMatch(/^\S+Z error FORGED/m);
  });

  it("breaks no line of the plugin's own output", async () => {
    const request = connectorRequest(connectorFields(tenant));
    const { messages, stdout, stderr } = await runPlugin(built.plugin, request);
    expect([COMMANDS.test(stdout.replaceAll(/\u2028|\u2029|\u202e/g, "")), stderr]).toEqual([false, ""]);
    expect(messages.at(-1)).toMatchObject({ type: "result" });
  });
});
