import { beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import type { Tenant } from "../../sandbox/tenant/index.ts";
import type { Item } from "../../src/packaging/n8n/node/n8n.ts";
import type { Alert, JsonObject } from "../../src/runtime/protocol.ts";
import { executeFunctions, loadN8nPackage, movableClock, type N8nPackage } from "../support/n8n.ts";
import { startTenant } from "../support/tenant.ts";

const HOUR = 3_600_000;

/** What a workflow keeps of an alert in its table. */
interface Row {
  alert: string;
  status?: unknown;
  closedBy?: unknown;
  closedAt?: unknown;
  reopenedBy?: unknown;
  /** A setting that an expression takes from the row. */
  [setting: string]: unknown;
}

let built: N8nPackage;
const clock = movableClock();

beforeAll(async () => {
  built = await loadN8nPackage();
});

describe("Follow Up Findings in n8n", () => {
  let tenant: Tenant;
  /** The table, by the id of the alert. */
  let rows: Map<string, Row>;
  /** The alerts, one for each finding type, with two findings. */
  let alerts: Alert[];
  let checkpoint: string;

  beforeEach(async () => {
    const dataset = { environments: 1, findingTypes: 2, findingsPerPair: 2 };
    tenant = await startTenant({ dataset, dialect: "bloodhound-enterprise", pathPrefix: "/tenant-a" });
    checkpoint = "";
    const [found = []] = await execute([{}], () => ({ operation: "getNewFindings" }));
    alerts = found.map(({ json }) => json as unknown as Alert);
    rows = new Map(alerts.map((alert) => [alert.id, { alert: JSON.stringify(alert) }]));
  });

  function execute(
    input: JsonObject[],
    parameters: (item: number) => Record<string, unknown>,
    more: Partial<Parameters<typeof executeFunctions>[1]> = {},
  ): Promise<Item[][]> {
    const credential = { server: tenant.url, tokenId: tenant.tokenId, tokenKey: tenant.tokenKey };
    const items = input.map((json) => ({ json }));
    return built.node.execute.call(
      executeFunctions(built.node.description, { credential, parameters, input: items, ...more }),
    );
  }

  /** Runs the operation on rows of the table, as the example workflow does. */
  function followUp(
    given: readonly Row[],
    settings: Record<string, unknown> = {},
    more: Partial<Parameters<typeof executeFunctions>[1]> = {},
  ): Promise<Item[][]> {
    const common = { operation: "followUpFindings", checkpoint, closeAlerts: true, ...settings };
    return execute(
      given.map(() => ({})),
      (item) => ({ ...common, ...given[item] }),
      more,
    );
  }

  /** One execution of the example workflow: it makes the changes, and then stores the checkpoint. A kill comes in between. */
  async function workflow({ killed = false, settings = {} } = {}) {
    const [changes = [], [place] = []] = await followUp([...rows.values()], settings);
    const asked = changes.map(({ json }) => {
      const { alertId, change, status, closedBy, closedAt, reopenedBy } = json as JsonObject & Record<string, string>;
      rows.set(alertId!, { ...rows.get(alertId!)!, status, closedBy, closedAt, reopenedBy });
      return `${change} ${alerts[0]!.id === alertId ? "first" : "second"}`;
    });
    if (!killed) checkpoint = place!.json["checkpoint"] as string;
    return { asked, place: place!.json };
  }

  /** An analysis of the environment, so many hours later, an hour before the next run. */
  function analyseAfter(hours: number): void {
    clock.aheadMs += hours * HOUR;
    tenant.control.analyse(alerts[0]!.environmentId, { findings: {} });
    clock.aheadMs += HOUR;
  }

  function remediate({ environmentId, findingType, events }: Alert): void {
    for (const { finding_id: id } of events) tenant.control.remediateFinding(environmentId, findingType, Number(id));
  }

  function bringBack({ environmentId, findingType, events: [event] }: Alert): void {
    tenant.control.bringFindingBack(environmentId, findingType, Number(event!["finding_id"]));
  }

  /** The first alert is gone for long enough. */
  async function closeFirst(settings = {}): Promise<string[]> {
    await workflow({ settings });
    remediate(alerts[0]!);
    analyseAfter(1);
    await workflow({ settings });
    analyseAfter(25);
    return (await workflow({ settings })).asked;
  }

  it("takes all alerts in one run, and says in its checkpoint what became of their findings", async () => {
    const { asked, place } = await workflow();
    expect(asked).toEqual([]);
    expect(place).toMatchObject({
      status: "completed",
      message: expect.stringContaining("Judged 2 open alerts."),
      changes: 0,
      findings: { active: 4, gone: 0 },
      alerts: { judged: 2 },
      closingPaused: [],
    });
  });

  it("closes an alert on proof, opens it again when a finding is back, and says what to store with it", async () => {
    expect(await closeFirst()).toEqual(["close first"]);
    expect(rows.get(alerts[0]!.id)).toMatchObject({
      status: "closed",
      closedBy: "job",
      closedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      reopenedBy: null,
    });
    analyseAfter(1);
    expect((await workflow()).asked).toEqual([]);
    bringBack(alerts[0]!);
    analyseAfter(1);
    expect((await workflow()).asked).toEqual(["reopen first"]);
    expect(rows.get(alerts[0]!.id)).toMatchObject({ status: "open", closedBy: "job", reopenedBy: "job" });
    analyseAfter(1);
    expect((await workflow()).asked).toEqual([]);
  });

  it("names the input item that a change is about, its reason and its evidence", async () => {
    await closeFirst({ closeAlerts: false });
    const order = [rows.get(alerts[1]!.id)!, rows.get(alerts[0]!.id)!];
    analyseAfter(1);
    const [changes] = await followUp(order);
    expect(changes).toEqual([
      {
        json: {
          alertId: alerts[0]!.id,
          change: "close",
          reason: "remediated",
          text: expect.any(String),
          evidence: { analyses: [expect.any(String), expect.any(String)], gone: 2, open: 0 },
          status: "closed",
          closedBy: "job",
          closedAt: expect.any(String),
          reopenedBy: null,
        },
        pairedItem: { item: 1 },
      },
    ]);
  });

  it("only comments until Close Alerts is switched on, and leaves the status as it is", async () => {
    expect(await closeFirst({ closeAlerts: false })).toEqual(["comment first"]);
    expect(rows.get(alerts[0]!.id)).toMatchObject({ status: "open", closedBy: null, closedAt: null });
    analyseAfter(1);
    expect((await workflow({ settings: { lowestSeverityKeptOpen: "Low" } })).asked).toEqual([]);
    analyseAfter(1);
    expect((await workflow()).asked).toEqual(["close first"]);
  });

  it("takes no change of its own for a person's after a kill between the changes and the checkpoint", async () => {
    await workflow();
    remediate(alerts[0]!);
    analyseAfter(1);
    await workflow();
    analyseAfter(25);
    expect((await workflow({ killed: true })).asked).toEqual(["close first"]);
    expect((await workflow()).asked).toEqual([]);
    bringBack(alerts[0]!);
    analyseAfter(1);
    expect((await workflow({ killed: true })).asked).toEqual(["reopen first"]);
    expect((await workflow()).place).toMatchObject({ notJudged: [], alerts: { judged: 2 } });
  });

  it("leaves alone what a person has closed or opened again, whoever changes the status", async () => {
    await closeFirst();
    rows.get(alerts[1]!.id)!.status = "closed";
    analyseAfter(1);
    await workflow();
    rows.get(alerts[0]!.id)!.status = "Open";
    analyseAfter(1);
    expect((await workflow()).place).toMatchObject({
      notJudged: [{ what: alerts[0]!.id, why: expect.stringContaining("A person closed or reopened this alert") }],
    });
    // A finding of both is back.
    bringBack(alerts[0]!);
    rows.get(alerts[0]!.id)!.status = "closed";
    analyseAfter(1);
    expect((await workflow()).asked).toEqual([]);
  });

  it("takes an alert that the job has reopened, and that is closed again, for closed by a person", async () => {
    await closeFirst();
    bringBack(alerts[0]!);
    analyseAfter(1);
    expect((await workflow()).asked).toEqual(["reopen first"]);
    rows.get(alerts[0]!.id)!.status = "closed";
    analyseAfter(1);
    expect((await workflow()).asked).toEqual([]);
  });

  it("leaves out alerts of other tenants, and judges an alert in two rows once", async () => {
    const foreign = {
      ...alerts[0]!,
      id: "foreign",
      events: [{ finding_id: "1", finding_url: "https://other.test/x" }],
    };
    const given = [JSON.stringify(foreign), ...[...alerts, alerts[0]].map((alert) => JSON.stringify(alert))];
    const [, [place] = []] = await followUp(given.map((alert) => ({ alert })));
    expect(place!.json).toMatchObject({
      alerts: { judged: 2 },
      message: expect.stringContaining("Left out 1 alert of another tenant."),
    });
  });

  it.each([
    [{ alert: "" }, 'Parameter "Alert" is not an alert.'],
    [{ alert: "{" }, 'Parameter "Alert" is not an alert.'],
    [{ alert: { id: "1", environmentId: "E", events: [] } }, 'Parameter "Alert" is not an alert.'],
    [{ status: "Done" }, 'Parameter "Status" is done.'],
    [{ status: "closed", closedAt: "yesterday" }, 'Parameter "Closed At" is yesterday, which is not a time.'],
    [{ closedAt: 9e15 }, 'Parameter "Closed At" is 9000000000000000, which is not a time.'],
    [{ closedAt: "9000000000000000" }, 'Parameter "Closed At" is 9000000000000000, which is not a time.'],
    [
      { status: "closed", closedBy: "job", closedAt: -9e15 },
      'Parameter "Closed At" is -9000000000000000, which is not a time.',
    ],
    [{ closedAt: true }, 'Parameter "Closed At" is true, which is not a time.'],
    [{ checkpoint: "not json" }, 'Parameter "Checkpoint" is not JSON (8 characters).'],
  ])("refuses %j before it asks the tenant anything, and names the item", async (wrong, message) => {
    const [first, second] = [...rows.values()];
    const before = tenant.requests.length;
    const item = "checkpoint" in wrong ? 0 : 1;
    await expect(
      followUp([first!, { ...second!, ...wrong } as Row], "checkpoint" in wrong ? wrong : {}),
    ).rejects.toMatchObject({
      name: "NodeOperationError",
      message,
      itemIndex: item,
    });
    expect(tenant.requests).toHaveLength(before);
  });

  it.each<[string, string, readonly [unknown, unknown]]>([
    ["closeAlerts", "Close Alerts", [true, false]],
    ["lowestSeverityKeptOpen", "Lowest Severity Kept Open", ["", "Low"]],
    ["allowMassClosing", "Allow Mass Closing", [true, undefined]],
    ["selectedEnvironments", "Selected Environments", [["A"], ["B"]]],
  ])("closes nothing by a setting of another item: %s", async (setting, label, values) => {
    const given = [...rows.values()].map((row, index) => ({ ...row, [setting]: values[index] }));
    const before = tenant.requests.length;
    await expect(followUp(given)).rejects.toMatchObject({
      name: "NodeOperationError",
      message: `${label} differs between the input items.`,
      description: "No alert was judged. One run judges all of them: enter one value.",
      itemIndex: 1,
    });
    expect(tenant.requests).toHaveLength(before);
  });

  it("refuses two rows of an alert that say different things", async () => {
    const [row] = [...rows.values()];
    await expect(followUp([row!, { ...row!, status: "closed" }])).rejects.toMatchObject({
      message: expect.stringMatching(/^Two items are about the alert .*, and differ in Status/),
      description: expect.stringContaining("Delete the row that is wrong."),
    });
  });

  it("takes the time of a closing as a text, a number or a date", async () => {
    const at = new Date(Date.now() - HOUR);
    const [first] = [...rows.values()];
    for (const closedAt of [at.toISOString(), at.getTime(), String(at.getTime()), at]) {
      const [changes] = await followUp([{ ...first!, status: "closed", closedBy: "job", closedAt }]);
      expect(changes).toMatchObject([{ json: { change: "reopen", closedAt: at.toISOString() } }]);
    }
    const longAgo = Date.now() - 31 * 24 * HOUR;
    expect((await followUp([{ ...first!, status: "closed", closedBy: "job", closedAt: longAgo }]))[0]).toEqual([]);
  });

  it("hands the checkpoint of a run that the service refused to the workflow", async () => {
    tenant.control.fault({ path: "details", effect: { kind: "status", status: 429 } });
    const { asked, place } = await workflow();
    expect(asked).toEqual([]);
    expect(place).toMatchObject({ status: "failed", changes: 0, message: expect.stringContaining("429") });
    expect(JSON.parse(checkpoint)).toMatchObject({ next: expect.anything() });
    tenant.control.clearFaults();
    expect((await workflow()).place).toMatchObject({ status: "completed", alerts: { judged: 2 } });
  });

  it("keeps the checkpoint where it was when it fails and goes on", async () => {
    const wrong = { server: tenant.url, tokenId: tenant.tokenId, tokenKey: "wrong" };
    const outputs = await followUp([...rows.values()], {}, { credential: wrong, continueOnFail: true });
    expect(outputs).toEqual([[{ json: { error: expect.stringContaining("Token Key") }, pairedItem: { item: 0 } }], []]);
  });
});
