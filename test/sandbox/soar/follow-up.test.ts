import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { join } from "node:path";
import type { AlertRow, ConnectorView, RunView } from "../../../sandbox/console/contract/index.ts";
import { openHost, type Host } from "../../../sandbox/soar/index.ts";
import type { Tenant } from "../../../sandbox/tenant/index.ts";
import type { JobRequest } from "../../../src/runtime/protocol.ts";
import { builtPackage } from "../../support/package.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { startTenant } from "../../support/tenant.ts";

const integration = "attack_path_analysis";
const HOUR = 3_600_000;

describe("the job Follow Up Findings in the host", () => {
  let host: Host;
  let tenant: Tenant;
  let job: ConnectorView;
  beforeAll(async () => {
    tenant = await startTenant({ dataset: { environments: 1, findingTypes: 3, findingsPerPair: 2 } });
    host = openHost({ data: join(temporaryFolder(), "host") });
    await host.install((await builtPackage()).zip);
    const parameters = { Server: tenant.url, "Token ID": tenant.tokenId, "Token Key": tenant.tokenKey };
    const connector = host.connectors.add({ integration, name: "Findings", parameters });
    await host.runConnector(connector.id);
    const settings = { ...parameters, "Close Alerts": true };
    job = host.connectors.add({
      integration,
      name: "Follow up",
      connector: "Follow Up Findings",
      parameters: settings,
    });
  });
  afterAll(() => host.close());

  const alerts = (): AlertRow[] => host.alerts.alerts().sort((a, b) => a.key - b.key);
  const alert = (index: number): AlertRow => alerts()[index]!;
  const run = async (): Promise<RunView> => host.runView((await host.runConnector(job.id)).runId);
  const view = () => host.cases.view(alert(0).caseId);
  const requested = ({ request }: RunView) => (request as unknown as JobRequest).alerts;
  function remediate({ environmentId, findingType, key }: AlertRow): void {
    for (const { finding_id: id } of host.alerts.alert(key)!.events)
      tenant.control.remediateFinding(environmentId, findingType, Number(id));
  }
  /** For the service and for the host. */
  function pass(hours: number): void {
    tenant.control.passTime(hours * HOUR);
    host.setAhead(host.aheadMs + hours * HOUR);
  }
  function analyseAfter(hours: number): void {
    pass(hours);
    tenant.control.analyse(alert(0).environmentId, { findings: {} });
    // A read right after an analysis proves nothing.
    pass(1);
  }

  it("is a thing that runs on a schedule, beside the connectors", () => {
    expect(host.connectors.list().map(({ kind, connector }) => [kind, connector])).toEqual([
      ["connector", "Attack Path Findings"],
      ["job", "Follow Up Findings"],
    ]);
    expect(job).toMatchObject({ enabled: false, runEveryMs: HOUR });
  });

  it("closes an alert itself once its findings are gone, and says why in the case", async () => {
    const first = await run();
    expect(first).toMatchObject({ kind: "job", status: "completed", value: true });
    expect(requested(first)).toHaveLength(3);
    expect(requested(first)[0]).toMatchObject({ alertId: String(alert(0).key), status: "open", closedBy: null });
    remediate(alert(0));
    analyseAfter(1);
    await run();
    analyseAfter(25);
    await run();
    expect(alerts().map(({ status, closedBy }) => [status, closedBy])).toEqual([
      ["closed", "job"],
      ["open", null],
      ["open", null],
    ]);
    const { history, comments, status } = view();
    expect(history[0]).toMatchObject({ by: "Follow Up Findings", text: expect.stringMatching(/^Closed alert ".+"\./) });
    expect(history[0]!.text).toMatch(/2 findings gone, absent after the analyses of .+ UTC and .+ UTC; 0 not gone\./);
    expect(comments.at(-1)!.text).toContain("The alert is closed as remediated.");
    expect(status).toBe("open");
  });

  it("reopens it when a finding is back", async () => {
    const { environmentId, findingType, key } = alert(0);
    const [{ finding_id: id } = {}] = host.alerts.alert(key)!.events;
    tenant.control.bringFindingBack(environmentId, findingType, Number(id));
    analyseAfter(1);
    await run();
    expect(alert(0)).toMatchObject({ status: "open", closedBy: "job", reopenedBy: "job" });
    expect(view().history[0]!.text).toMatch(/^Reopened alert/);
  });

  it("leaves alone what a person closes or reopens", async () => {
    const { key } = alert(1);
    host.cases.changeAlertStatus(key, "closed", "Analyst");
    expect(alert(1)).toMatchObject({ status: "closed", closedBy: "person" });
    host.cases.changeAlertStatus(key, "open", "Analyst");
    remediate(alert(1));
    analyseAfter(1);
    await run();
    analyseAfter(25);
    const last = await run();
    expect(alert(1)).toMatchObject({ status: "open", closedBy: "person", reopenedBy: "person" });
    expect(last.message).toContain("A person closed or reopened this alert");
  });

  it("closes nothing when ids are renewed, when a collector is silent for 8 days, and when the environment is dropped", async () => {
    const { environmentId } = alert(2);
    const runTwice = async (): Promise<void> => {
      for (const hours of [1, 25]) {
        analyseAfter(hours);
        await run();
      }
    };
    tenant.control.analyse(environmentId, { findings: {}, renumber: true });
    await runTwice();
    expect(alert(2)).toMatchObject({ status: "open", closedBy: null });
    tenant.control.stopCollector(environmentId, 8);
    host.setAhead(host.aheadMs + 8 * 24 * HOUR);
    await runTwice();
    expect(alert(2)).toMatchObject({ status: "open", closedBy: null });
    tenant.control.removeEnvironment(environmentId);
    for (const hours of [1, 8 * 24]) {
      pass(hours);
      await run();
    }
    expect(alert(2)).toMatchObject({ status: "open", closedBy: null });
  });

  it("closes the case with its last alert, and a person who closes a case closes its alerts", () => {
    for (const { key } of alerts()) host.cases.changeAlertStatus(key, "closed", "Analyst");
    expect(view().status).toBe("closed");
    for (const { key } of alerts()) host.cases.changeAlertStatus(key, "open", "Analyst");
    expect(view().status).toBe("open");
    host.cases.change(alert(0).caseId, { status: "closed" }, "Analyst");
    expect(new Set(alerts().map(({ status }) => status))).toEqual(new Set(["closed"]));
    expect(new Set(alerts().map(({ closedBy }) => closedBy))).toEqual(new Set(["person"]));
  });

  it.each(["/", "//ui//explore", "/UI/attack-paths?from=https://elsewhere.test", "?next=/ui"])(
    "is given the alerts of a tenant whose address ends with %s in Server",
    async (end) => {
      const parameters = { ...job.parameters, Server: `${tenant.url}${end}`, "Token Key": tenant.tokenKey };
      const other = host.connectors.add({
        ...{ integration, name: `Other ${end}`, connector: "Follow Up Findings", parameters },
      });
      const { runId } = await host.runConnector(other.id, { test: true });
      expect(requested(host.runView(runId))).toHaveLength(alerts().length);
    },
  );

  it("asks for nothing in a test run", async () => {
    const { runId } = await host.runConnector(job.id, { test: true });
    expect(host.runView(runId)).toMatchObject({ status: "completed", message: expect.stringContaining("Test run") });
  });
});
