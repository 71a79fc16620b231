import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { join } from "node:path";
import Libsql from "libsql";
import type { CasesQuery, EventsQuery } from "../../../../sandbox/console/contract/index.ts";
import { openHost, type Host } from "../../../../sandbox/soar/index.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";
import { FIELDS } from "../fake-package.ts";
import { IDENTIFIER, installed } from "../running.ts";

const folder = temporaryFolder();
let data: string;
let host: Host;
let connectorId: string;
let round = 0;
beforeEach(() => {
  data = join(folder, `host-${(round += 1)}`);
  host = openHost({ data });
});
afterEach(() => host.close());

async function poll(body: string): Promise<void> {
  await installed(host, folder, body);
  connectorId = host.connectors.add({ integration: IDENTIFIER, name: "Findings", parameters: FIELDS }).id;
  await host.runConnector(connectorId);
}

const THREE_CASES = `
  const one = (id, domain, severity, more = {}) => send({ type: "alert", alert: alert(id, { domain, severity, ...more }) });
  one("1", "A.LOCAL", "low"); one("2", "B.LOCAL", "critical", { priority: 100, findings: ["x", "y"] }); one("3", "C.LOCAL", "high");
  result();`;

describe("the list of cases", () => {
  beforeEach(() => poll(THREE_CASES));
  const environments = (query: CasesQuery) => host.cases.list(query).rows.map(({ environmentName }) => environmentName);

  it("has the worst first, or the busiest, or the latest", () => {
    expect(environments({})).toEqual(["B.LOCAL", "C.LOCAL", "A.LOCAL"]);
    expect(environments({ sort: "events" })).toEqual(["B.LOCAL", "C.LOCAL", "A.LOCAL"]);
    host.cases.change(1, { addTags: ["seen"] }, "Kim");
    expect(environments({ sort: "updated" })[0]).toBe("A.LOCAL");
  });

  it("is narrowed by status, severity, environment, tag and text", () => {
    host.cases.change(1, { status: "closed", addTags: ["seen"] }, "Kim");
    expect(environments({ status: "open" })).toEqual(["B.LOCAL", "C.LOCAL"]);
    expect(environments({ severity: "high" })).toEqual(["C.LOCAL"]);
    expect(environments({ environment: "A.LOCAL", status: "open" })).toEqual([]);
    expect(environments({ tag: "seen" })).toEqual(["A.LOCAL"]);
    expect(environments({ text: "c.loc" })).toEqual(["C.LOCAL"]);
    expect(environments({ text: "generic all s-1-b.local-512" })).toEqual(["B.LOCAL"]);
    expect(environments({ text: "generic nothing" })).toEqual([]);
    expect(environments({ text: " " })).toHaveLength(3);
    expect(environments({ text: `"%' OR *` })).toEqual([]);
    expect(environments({ text: "generic\0 c.loc" })).toEqual(["C.LOCAL"]);
    expect(host.cases.facets()).toEqual({
      severities: [
        { severity: "critical", cases: 1 },
        { severity: "high", cases: 1 },
        { severity: "low", cases: 1 },
      ],
      environments: ["A.LOCAL", "B.LOCAL", "C.LOCAL"].map((name) => ({ name, cases: 1 })),
      tags: [{ tag: "seen", cases: 1 }],
    });
    expect(host.cases.counts()).toEqual({ openCases: 2, cases: 3, alerts: 3, events: 4 });
  });

  it("offers the most frequent environments as a filter", () => {
    const database = new Libsql(join(data, "host.db"));
    database.exec(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 120)
      INSERT INTO cases (title, rule, source_grouping_identifier, environment_name, because, severity_rank, priority, opened_at, updated_at)
      SELECT 'Case', 'r', 's', CASE WHEN i > 118 THEN 'Z.LOCAL' ELSE 'E' || i END, 'b', 1, 40, 1, 1 FROM n`);
    database.close();
    const { environments: offered } = host.cases.facets();
    expect([offered.length, offered[0]]).toEqual([100, { name: "Z.LOCAL", cases: 2 }]);
  });

  it("gives every case once, page by page", () => {
    for (const sort of ["severity", "events", "updated"] as const) {
      const first = host.cases.list({ sort, limit: 2 });
      const second = host.cases.list({ sort, limit: 2, cursor: first.next! });
      expect([first.total, first.rows.length, second.rows.length, second.next]).toEqual([3, 2, 1, null]);
      expect(new Set([...first.rows, ...second.rows].map(({ id }) => id)).size).toBe(3);
    }
  });
});

describe("a case", () => {
  it("says why its alerts are together, what it is about, and what happened to it", async () => {
    await poll(`
      send({ type: "alert", alert: alert("1", { findings: ["x", "y"] }) });
      send({ type: "alert", alert: alert("2", { severity: "critical", priority: 100 }) });
      send({ type: "alert", alert: { ...alert("3"), events: [{ finding_id: "z" }] } });
      result();`);
    const grouped = host.cases.view(1);
    expect(grouped).toMatchObject({ alerts: 2, events: 3, entities: 3, priority: 100, severity: "critical" });
    expect(grouped.because).toBe(
      'The rule "Attack path findings by source domain" puts alerts of one environment into one case when they share SourceDomain: here CORP.LOCAL.',
    );
    expect(grouped.entityList.map(({ type, events }) => [type, events])).toEqual([
      ["GenericEntity", 3],
      ["SourceDomain", 3],
      ["SourceUserName", 3],
    ]);
    expect(grouped.history.map(({ text }) => text)).toEqual([
      'An alert with 1 event of "Generic All" joined.',
      'Opened by an alert with 2 events of "Generic All".',
    ]);
    expect(host.cases.view(2).because).toMatch(/found nothing that this alert shares/);
  });

  it("takes tags, comments and a priority, and remembers who did what", async () => {
    await poll(THREE_CASES);
    host.cases.change(1, { priority: 60, addTags: [" seen ", "open"] }, "Kim");
    host.cases.change(1, { priority: 60, removeTags: ["open", "never"] }, "Robin");
    const commented = host.cases.comment(1, " Looks bad. ", "Robin");
    expect(commented).toMatchObject({ priority: 60, tags: ["seen"], comments: [{ by: "Robin", text: "Looks bad." }] });
    expect(commented.history.map(({ by, text }) => `${by}: ${text}`).slice(0, 4)).toEqual([
      "Robin: Removed the tag open.",
      "Kim: Added the tag open.",
      "Kim: Added the tag seen.",
      "Kim: Set the priority to medium.",
    ]);
    expect(() => host.cases.change(1, { priority: 7 }, "Kim")).toThrow("no priority");
    expect(() => host.cases.change(1, { addTags: ["fine", ""] }, "Kim")).toThrow("A tag has 1 to");
    expect(host.cases.view(1).tags).toEqual(["seen"]);
    expect(() => host.cases.comment(1, " ", "Kim")).toThrow("empty");
    expect(() => host.cases.view(99)).toThrow('There is no case "99"');
  });

  it("that is closed is not joined, and is joined again once it is open", async () => {
    await poll(`
      const n = (request.state?.n ?? 0) + 1;
      send({ type: "alert", alert: alert("a-" + n) });
      result({ checkpoint: { n } });`);
    host.cases.change(1, { status: "closed" }, "Kim");
    expect(await host.runConnector(connectorId)).toMatchObject({ casesOpened: 1 });
    host.cases.change(2, { status: "closed" }, "Kim");
    expect(host.cases.change(1, { status: "open" }, "Kim").history[0]).toMatchObject({ text: "Reopened the case." });
    expect(await host.runConnector(connectorId)).toMatchObject({ casesOpened: 0, casesExtended: [1] });
  });

  it("that is reopened opens the alerts that were closed with it, and leaves the others to whoever closed them", async () => {
    await poll(`for (const id of ["1", "2", "3"]) send({ type: "alert", alert: alert(id) }); result();`);
    const closedBy = () =>
      host.alerts.alerts({ caseId: 1 }).map(({ status, closedBy, reopenedBy }) => [status, closedBy, reopenedBy]);
    host.alerts.close(1, "job", 1_000);
    host.cases.changeAlertStatus(2, "closed", "Kim");
    host.cases.change(1, { status: "closed" }, "Kim");
    expect(closedBy().map(([status]) => status)).toEqual(["closed", "closed", "closed"]);
    host.cases.change(1, { status: "open" }, "Kim");
    expect(closedBy()).toEqual([
      ["closed", "job", null],
      ["closed", "person", null],
      ["open", "person", "person"],
    ]);
    expect(host.alerts.reopen(1, "job")).toBe(true);
    host.cases.change(1, { status: "closed" }, "Kim");
    host.cases.changeAlertStatus(3, "open", "Kim");
    host.alerts.close(3, "job", 2_000);
    host.cases.change(1, { status: "open" }, "Kim");
    expect(closedBy().map(([status]) => status)).toEqual(["closed", "closed", "closed"]);
  });

  it("keeps the priority that a person has set, whatever that of its alerts becomes", async () => {
    await poll(`for (const id of ["1", "2"]) send({ type: "alert", alert: alert(id) }); result();`);
    expect(host.cases.changeAlert(1, 100, "Triage").priority).toBe(100);
    host.cases.change(1, { priority: 60 }, "Kim");
    expect(host.cases.changeAlert(2, 40, "Triage").priority).toBe(60);
    expect(host.cases.changeAlert(1, 40, "Triage").priority).toBe(60);
  });

  it("takes the priority of a new alert that is more urgent, when no person has set one", async () => {
    await poll(`
      const n = (request.state?.n ?? 0) + 1;
      send({ type: "alert", alert: alert("a-" + n, { severity: "high", priority: 80 }) });
      result({ checkpoint: { n } });`);
    expect(host.cases.changeAlert(1, 40, "Triage").priority).toBe(40);
    await host.runConnector(connectorId);
    expect(host.cases.view(1).priority).toBe(80);
  });

  it("keeps the priority that a person has set until a worse alert comes", async () => {
    await poll(`
      const n = (request.state?.n ?? 0) + 1;
      const severity = n < 3 ? "high" : "critical";
      send({ type: "alert", alert: alert("a-" + n, { severity, priority: n < 3 ? 80 : 100 }) });
      result({ checkpoint: { n } });`);
    host.cases.change(1, { priority: 40 }, "Kim");
    await host.runConnector(connectorId);
    expect(host.cases.view(1).priority).toBe(40);
    await host.runConnector(connectorId);
    expect(host.cases.view(1).priority).toBe(100);
  });
});

describe("the instance of a case", () => {
  const addInstance = (name: string, Server: string) =>
    host.instances.add({ integration: IDENTIFIER, name, parameters: { Server, "Token ID": name, "Token Key": name } })
      .id;

  it("is that of the tenant that its alerts came from, not the oldest", async () => {
    await poll(THREE_CASES);
    addInstance("Other", "https://other.test");
    expect(host.cases.view(1).instance).toBeNull();
    const id = addInstance("Own", FIELDS.Server);
    expect(host.cases.view(1).instance).toEqual({ id, name: "Own" });
    host.connectors.remove(connectorId);
    expect(host.cases.view(1).instance).toBeNull();
  });
});

describe("a case with more than can be listed", () => {
  it("shows the newest comments, the worst alerts and every finding type, and says how many there are", async () => {
    await poll(`
      send({ type: "alert", alert: alert("1", { severity: "critical" }) });
      send({ type: "alert", alert: alert("2", { severity: "low", findingType: "T0Rare" }) });
      result();`);
    const database = new Libsql(join(data, "host.db"));
    const numbers = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)";
    database.exec(`
      ${numbers} INSERT INTO case_notes (case_id, kind, by, at, text) SELECT 1, 'comment', 'Kim', i, 'Comment ' || i FROM n;
      CREATE TEMP TABLE copy AS SELECT * FROM alerts WHERE key = 1;
      UPDATE copy SET key = NULL;
      ${numbers} INSERT INTO alerts SELECT a.key, a.connector_id, 'copy ' || i,
        run_id, case_id, name, title, severity, severity_rank, priority, environment_id, environment_name, finding_type,
        start_time, end_time, events, alert_json, status, closed_by, closed_at, reopened_by, closed_with_case
        FROM copy a, n;
      UPDATE cases SET alerts = 502;`);
    database.close();
    const view = host.cases.comment(1, "The newest.", "Kim");
    expect(view.totals).toEqual({ comments: 501, actions: 0, playbookRuns: 0, history: 2 });
    expect(view.comments).toHaveLength(500);
    expect([view.comments[0]!.text, view.comments.at(-1)!.text]).toEqual(["Comment 2", "The newest."]);
    expect([view.alerts, view.alertList.length]).toEqual([502, 500]);
    expect(view.worstOfType.map(({ findingType, severity }) => [findingType, severity])).toEqual([
      ["T0GenericAll", "critical"],
      ["T0Rare", "low"],
    ]);
  });
});

describe("an alert that a job has closed or opened", () => {
  beforeEach(() => poll(THREE_CASES));
  const alert = () => host.alerts.alerts({ key: 1 })[0]!;

  it("is a person's once a person closes it, too", () => {
    host.alerts.close(1, "job", 5);
    host.cases.changeAlertStatus(1, "closed", "Kim");
    expect(alert()).toMatchObject({ status: "closed", closedBy: "person" });
    expect(host.alerts.reopen(1, "job")).toBe(false);
    expect(host.cases.view(alert().caseId).history[0]).toMatchObject({
      by: "Kim",
      text: 'Closed alert "Generic All".',
    });
  });

  it("is a person's once a person opens it, too", () => {
    host.alerts.close(1, "job", 5);
    host.alerts.reopen(1, "job");
    host.cases.changeAlertStatus(1, "open", "Kim");
    expect(alert()).toMatchObject({ status: "open", reopenedBy: "person" });
  });

  it("is left as it is by a person who does what nobody has undone", () => {
    host.cases.changeAlertStatus(1, "open", "Kim");
    expect(alert()).toMatchObject({ status: "open", reopenedBy: null });
  });
});

describe("the events of a case", () => {
  beforeEach(() =>
    poll(`
      const event = (n, more) => ({ finding_id: String(n), finding_type: "T0GenericAll", source_domain: "CORP.LOCAL",
        severity: n % 2 ? "high" : "low", source_principal_name: "USER" + n + "@CORP.LOCAL", source_object_id: "S-1-" + n,
        target_principal_name: "ADMINS@CORP.LOCAL", target_object_id: "S-1-512", impact_percentage: n,
        created_at: "2026-01-01T00:00:00Z", accepted: n === 1, relationship_weight: 3, odd: true, ...more });
      send({ type: "alert", alert: alert("a", { description: "Why.", extensions: { long: "Text." }, events: [1, 2, 3, 4, 5].map((n) => event(n)) }) });
      send({ type: "alert", alert: alert("b", { sourceGroupingIdentifier: "S-1-B", events: [6, 7].map((n) => event(n)) }) });
      result();`),
  );
  const sources = (query: EventsQuery) => host.events.list(1, query).rows.map(({ source }) => source);

  it("come page by page, the worst first", () => {
    const first = host.events.list(1, { limit: 3 });
    expect(first.rows.map(({ source, severity }) => [source, severity])).toEqual([
      ["USER5@CORP.LOCAL", "high"],
      ["USER3@CORP.LOCAL", "high"],
      ["USER1@CORP.LOCAL", "high"],
    ]);
    expect(first).toMatchObject({
      total: 5,
      rows: [{}, {}, { accepted: true, riskPercentage: 1, target: "ADMINS@CORP.LOCAL" }],
    });
    expect(sources({ limit: 3, cursor: first.next! })).toEqual(["USER4@CORP.LOCAL", "USER2@CORP.LOCAL"]);
  });

  it("come page by page, in the same order, when a word is searched for that another case has too", () => {
    const pages: (string | null)[][] = [];
    for (let cursor: string | undefined, more = true; more;) {
      const page = host.events.list(1, { text: "corp", limit: 2, ...(cursor !== undefined && { cursor }) });
      expect(page.total).toBe(5);
      pages.push(page.rows.map(({ source }) => source?.slice(0, 5) ?? null));
      more = page.next !== null;
      cursor = page.next ?? undefined;
    }
    expect(pages).toEqual([["USER5", "USER3"], ["USER1", "USER4"], ["USER2"]]);
  });

  it("are narrowed by severity, alert and text", () => {
    expect(sources({ severity: "low" })).toEqual(["USER4@CORP.LOCAL", "USER2@CORP.LOCAL"]);
    expect(sources({ text: "user3@corp" })).toEqual(["USER3@CORP.LOCAL"]);
    expect(sources({ text: "s-1-4" })).toEqual(["USER4@CORP.LOCAL"]);
    expect(sources({ text: "user", severity: "low" })).toEqual(["USER4@CORP.LOCAL", "USER2@CORP.LOCAL"]);
    expect(sources({ text: "user2", severity: "high" })).toEqual([]);
    expect(sources({ text: "user", alertKey: 1 })).toHaveLength(5);
    for (const text of ["", "user"]) expect(sources({ text, alertKey: 99 })).toEqual([]);
    expect(() => host.events.list(99)).toThrow('no case "99"');
  });

  it("show every field in exactly one group, and the alert its long texts", () => {
    const view = host.events.view(1, 0);
    expect(view).toMatchObject({ caseId: 1, alertId: "a", ends: { source: "S-1-1", target: "S-1-512" } });
    expect(view.groups.map(({ title }) => title)).toEqual([
      "Source",
      "Target",
      "Relationship",
      "Risk",
      "Environment",
      "Time",
      "Finding",
      "Other",
    ]);
    const fields = view.groups.flatMap(({ fields: own }) => own.map(({ name }) => name));
    expect(fields.toSorted()).toEqual(Object.keys(view.event).toSorted());
    expect(host.events.alert(1)).toMatchObject({
      key: 1,
      description: "Why.",
      extensions: { long: "Text." },
      events: 5,
    });
    expect(() => host.events.view(1, 9)).toThrow('no event "1/9"');
    expect(() => host.events.alert(9)).toThrow('no alert "9"');
  });
});
