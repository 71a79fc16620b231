import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, beforeEach, expect, it } from "@jest/globals";
import type { AlertChangeMessage, JobRequest } from "../../src/runtime/protocol.ts";
import { done } from "./fake-plugin.ts";
import { installStandInNode, python, type StandInNode } from "./installation.ts";
import { StandInPlatform } from "./platform.ts";
import type { CaseAlert } from "./platform-cases.ts";
import { type JobAnswer, jobIdentifier, runJob } from "./run-script.ts";

const VENDOR = "Attack Path Analysis Service";
const TAG = "Attack Path Remediated";
const MARK = "Follow Up Findings: ";
const parameters = {
  Server: "https://tenant.test/ui/attack-paths",
  "Token Key": "a-secret-key",
  "Close Alerts": "true",
};

python.describe("the job script of Google SecOps", () => {
  let platform: StandInPlatform;
  let node: StandInNode;

  beforeAll(async () => {
    node = await installStandInNode();
  });
  beforeEach(async () => {
    platform = await StandInPlatform.start();
    platform.cases.alerts.push(alertOf("A1", 12), alertOf("A2", 12), alertOf("A3", 13, { vendor: "Somebody Else" }));
  });

  function alertOf(id: string, caseId: number, overrides: Partial<CaseAlert> = {}): CaseAlert {
    const events = [eventOf(`${id}-f1`, 2), eventOf(`${id}-f2`, 2)];
    const name = `Paths of ${id}`;
    const groupId = `group-${id}`;
    const fixed = { isClosed: false, priority: 4, closeComment: null, updatedAt: Date.now() - 1000 };
    return { id, groupId, vendor: VENDOR, name, caseId, events, ...fixed, ...overrides };
  }

  /** The platform keeps every field as text. */
  function eventOf(id: string, count: number, overrides: object = {}): Record<string, unknown> {
    return {
      finding_id: id,
      environment_id: "S-1-5-21-1",
      finding_type: "T0GenericAll",
      finding_url: "https://tenant.test/ui/attack-paths?type=T0GenericAll",
      source_object_id: "S-1-5-21-1-513",
      target_object_id: "S-1-5-21-1-500",
      severity: "high",
      accepted: "false",
      created_at: "2026-11-20T02:00:00Z",
      start_time: "1790000000000",
      findings_in_alert: String(count),
      ...overrides,
    };
  }

  const changeOf = (change: AlertChangeMessage["change"], alert = "A1", given: object = {}) => ({
    type: "alert_change",
    alertId: `group-${alert}`,
    change,
    reason: "remediated",
    text: `Text of ${change} ${alert}.`,
    evidence: { analyses: [], gone: 2, open: 0 },
    checkpoint: { alerts: { [alert]: { asked: change } } },
    ...given,
  });

  async function run(messages: readonly object[], given: object = parameters): Promise<JobAnswer> {
    await node.says(messages);
    return runJob(node, platform, { parameters: { ...given }, env: node.env });
  }
  /** One run in which the plugin asks for changes, and remembers that it did. */
  const runWith = (...changes: ReturnType<typeof changeOf>[]): Promise<JobAnswer> =>
    run([
      ...changes,
      done({
        checkpoint: {
          n: 1,
          alerts: Object.fromEntries(changes.flatMap(({ checkpoint }) => Object.entries(checkpoint.alerts))),
        },
      }),
    ]);
  const request = async () => (await node.heard()) as unknown as JobRequest;
  const sent = async (id: string) => (await request()).alerts.find(({ alertId }) => alertId === `group-${id}`);
  const state = (): unknown => JSON.parse(platform.properties.get(`3/${jobIdentifier}/checkpoint`) ?? "null");
  const alert = (id: string): CaseAlert => platform.cases.alerts.find((candidate) => candidate.id === id)!;
  const texts = () => platform.cases.comments.map(({ text }) => text);

  it("sends the alerts of this product with their findings, the parameters, and the last state", async () => {
    platform.properties.set(`3/${jobIdentifier}/checkpoint`, '{"version":1}');
    const { stderr, exitCode } = await run([done({ message: "With a-secret-key.", checkpoint: { version: 2 } })]);
    expect([exitCode, stderr]).toEqual([0, expect.stringContaining("With [redacted].")]);
    const { alerts, ...rest } = await request();
    expect(rest).toMatchObject({ kind: "job", name: "Follow Up Findings", state: { version: 1 }, parameters });
    expect(alerts.map(({ alertId }) => alertId)).toEqual(["group-A1", "group-A2"]);
    const finding = { source: "S-1-5-21-1-513", target: "S-1-5-21-1-500", createdAt: 1_790_000_000_000 };
    expect(alerts[0]).toEqual({
      alertId: "group-A1",
      environmentId: "S-1-5-21-1",
      findingType: "T0GenericAll",
      status: "open",
      closedBy: null,
      closedAt: null,
      reopenedBy: null,
      severity: "high",
      priority: 80,
      currentPriority: 80,
      findings: [
        { id: "A1-f1", ...finding },
        { id: "A1-f2", ...finding },
      ],
    });
    expect(state()).toEqual({ version: 2 });
  });

  it("reads the platform's alerts before it starts the plugin, which waits for its request only for so long", async () => {
    const NODE_BINARY = join(node.folder, "node-that-is-there-after-the-alerts");
    platform.beforeAnswer = async (operation) => {
      if (operation === "CaseFullDetails") await symlink(node.env.NODE_BINARY, NODE_BINARY);
    };
    await node.says([done()]);
    const { exitCode } = await runJob(node, platform, { parameters, env: { NODE_BINARY } });
    expect(exitCode).toBe(0);
    expect((await request()).alerts).toHaveLength(2);
  });

  it("fails with the platform's words when the platform fails before the job has begun", async () => {
    platform.broken.add("GetProxySettings");
    const { exitCode, stderr } = await runJob(node, platform, { env: node.env, context: { use_proxy_settings: true } });
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(
      /^The platform did not return what a script needs to start: .*bad day.*\. Nothing was run\./,
    );
  });

  it("says nothing about an alert of another tenant, and sends one that lost events without findings", async () => {
    alert("A1").events = [eventOf("1", 1, { finding_url: "https://other.test/ui/attack-paths" })];
    alert("A2").events = [eventOf("1", 2)];
    await run([done()]);
    expect((await request()).alerts).toMatchObject([{ alertId: "group-A2", findings: [] }]);
  });

  it("leaves out an alert whose events lost a field that it needs, and takes a number for a text", async () => {
    alert("A1").events = [eventOf("1", 1, { finding_type: undefined })];
    alert("A2").events = [eventOf("", 1, { finding_id: 17 })];
    const { stderr } = await run([done()]);
    expect((await request()).alerts).toMatchObject([{ alertId: "group-A2", findings: [{ id: "17" }] }]);
    expect(stderr).toContain("1 of 2 alerts are left out");
  });

  it("says of an alert whose findings were accepted when it was delivered that its priority is low, and how severe they are", async () => {
    alert("A1").events = [eventOf("1", 1, { accepted: "true" })];
    await run([done()]);
    expect(await sent("A1")).toMatchObject({ priority: 40, severity: "high" });
  });

  it.each([
    ["https://host.test/tenant-a/ui/home", "https://host.test/tenant-a/ui/graphview?x", true],
    ["https://host.test/tenant-a", "https://host.test/tenant-b/ui/graphview?x", false],
    ["HOST.test.:443", "https://host.test/ui/graphview?x", true],
    ["bücher.test", "https://xn--bcher-kva.test/ui/graphview?x", true],
    ["https://host.test", "https://[host.test/ui/graphview?x", false],
  ])("knows for %s whether %s is of this tenant", async (server, link, isOwn) => {
    alert("A1").events = [eventOf("1", 1, { finding_url: link })];
    await run([done()], { ...parameters, Server: server });
    expect((await request()).alerts).toHaveLength(isOwn ? 1 : 0);
  });

  it("closes an alert with a tag, the reason, and a comment, and confirms it in the next run", async () => {
    const before = Date.now();
    await runWith(changeOf("close"));
    expect(platform.cases.closings).toEqual([
      {
        source_case_id: "12",
        alert_identifier: "A1",
        reason: "Maintenance",
        root_cause: "Other",
        comment: `${MARK}Text of close A1.`,
      },
    ]);
    expect(platform.cases.tags).toEqual(new Map([[12, new Set([TAG])]]));
    await run([done()]);
    const closed = await sent("A1");
    expect(closed).toMatchObject({ status: "closed", closedBy: "job", reopenedBy: null });
    expect(closed?.closedAt).toBeGreaterThanOrEqual(before);
    expect(await sent("A2")).toMatchObject({ status: "open", closedBy: null });
  });

  it("closes with another reason and root cause where the platform has others", async () => {
    await run([changeOf("close"), done()], {
      ...parameters,
      "Close Reason": "NotMalicious",
      "Close Root Cause": "Fixed",
    });
    expect(platform.cases.closings).toMatchObject([{ reason: "NotMalicious", root_cause: "Fixed" }]);
  });

  it("finds the alert again that the platform moved to a case of its own when it was closed", async () => {
    platform.cases.closesInto = 99;
    await runWith(changeOf("close"));
    expect(platform.cases.tags.get(99)).toEqual(new Set([TAG]));
    await run([done()]);
    expect(await sent("A1")).toMatchObject({ status: "closed", closedBy: "job" });
  });

  it("does not take an alert for closed that the platform left open, and keeps no memory of having asked", async () => {
    platform.properties.set(`3/${jobIdentifier}/checkpoint`, '{"n":0,"alerts":{}}');
    platform.cases.ignored.add("sdk/CloseAlert");
    const { exitCode, stderr } = await runWith(changeOf("close"), changeOf("comment", "A2"));
    expect([exitCode, stderr]).toEqual([0, expect.stringContaining("left alert Paths of A1 in case 12 open")]);
    expect(state()).toEqual({ n: 1, alerts: { A1: {}, A2: { asked: "comment" } } });
    await run([done()]);
    expect(await sent("A1")).toMatchObject({ status: "open", closedBy: null });
  });

  it.each([
    ["there is none yet", null],
    ["that of another tenant", '{"version":1,"tenant":"https://old.test","alerts":{"A0":{"gone":1}}}'],
    ["a damaged one", '{"version":1,"alerts":{"A1":7}}'],
    ["one that was cut short", '{"version":1,"alerts":{"A'],
  ])("keeps a state that begins anew although the platform refuses a change: %s", async (_, before) => {
    if (before !== null) platform.properties.set(`3/${jobIdentifier}/checkpoint`, before);
    platform.broken.add("UpdateAlertPriority");
    const whole = { version: 1, tenant: "https://tenant.test", environments: {} };
    const asked = { A1: { accepted: true }, A0: null };
    await run([
      changeOf("priority", "A1", { priority: 40, checkpoint: { ...whole, alerts: asked } }),
      done({ checkpoint: { ...whole, alerts: { A1: { accepted: true }, A2: { gone: 1 } } } }),
    ]);
    expect(state()).toEqual({ ...whole, alerts: { A1: {}, A2: { gone: 1 } } });
  });

  it("does not close what it cannot tag, since it could never reopen that", async () => {
    platform.broken.add("AddTag");
    await runWith(changeOf("close"));
    expect(alert("A1").isClosed).toBe(false);
  });

  it("leaves an alert alone that a person closes during the run, and says so of it afterwards", async () => {
    // Between the list of alerts and the change.
    platform.beforeStore = (key) => {
      if (key === "closed alerts") platform.cases.byPerson("A1", "closed");
      return Promise.resolve();
    };
    await runWith(changeOf("close"));
    expect([platform.cases.closings, texts()]).toEqual([[], []]);
  });

  it("never sends what a person closed as its own, and remembers who it was when it is open again", async () => {
    platform.cases.byPerson("A1", "closed");
    await run([done()]);
    expect(await sent("A1")).toBeUndefined();
    platform.cases.byPerson("A1", "open");
    await run([done()]);
    expect(await sent("A1")).toMatchObject({ status: "open", closedBy: "person", reopenedBy: "person" });
  });

  it("sends an alert as reopened by a person that it had closed", async () => {
    await runWith(changeOf("close"));
    platform.cases.byPerson("A1", "open");
    await run([done()]);
    expect(await sent("A1")).toMatchObject({ status: "open", closedBy: "job", reopenedBy: "person" });
  });

  it("remembers who reopened an alert that the platform leaves out for a while", async () => {
    await runWith(changeOf("close"));
    const { alerts } = platform.cases;
    const hidden = alerts.splice(0);
    await run([done()]);
    alerts.push(...hidden);
    platform.cases.byPerson("A1", "open");
    await run([done()]);
    expect(await sent("A1")).toMatchObject({ status: "open", closedBy: "job", reopenedBy: "person" });
  });

  it("knows its own closing by a comment that the platform has wrapped", async () => {
    await runWith(changeOf("close"));
    alert("A1").closeComment = `<p>Comment: ${MARK}Text of close A1.</p>`;
    await run([done()]);
    expect(await sent("A1")).toMatchObject({ status: "closed", closedBy: "job" });
  });

  it("does not touch what its own tag does not mark", async () => {
    await runWith(changeOf("close"));
    platform.cases.tags.clear();
    await run([done()]);
    expect(await sent("A1")).toBeUndefined();
  });

  it("knows its own closing by the comment when the list of them is lost", async () => {
    await runWith(changeOf("close"));
    platform.properties.delete(`3/${jobIdentifier}/closed alerts`);
    await run([done()]);
    expect(await sent("A1")).toMatchObject({ status: "closed", closedBy: "job" });
  });

  it("reopens an alert, says why, and closes it again later", async () => {
    await runWith(changeOf("close"));
    await runWith(changeOf("reopen"));
    expect([alert("A1").isClosed, texts()]).toEqual([false, [`${MARK}Text of reopen A1.`]]);
    await run([done()]);
    expect(await sent("A1")).toMatchObject({ status: "open", closedBy: "job", reopenedBy: "job" });
    await runWith(changeOf("close"));
    await run([done()]);
    expect(await sent("A1")).toMatchObject({ status: "closed", closedBy: "job", reopenedBy: null });
  });

  it("asks a person once where the platform does not reopen an alert", async () => {
    await runWith(changeOf("close"));
    platform.cases.ignored.add("dynamic-cases/ReopenAlert");
    await runWith(changeOf("reopen"));
    await runWith(changeOf("reopen"));
    expect(texts()).toEqual([expect.stringContaining("reopen it by hand.")]);
    expect(alert("A1").isClosed).toBe(true);
  });

  it.each([
    ["says so later", () => platform.cases.ignored.add("dynamic-cases/ReopenAlert")],
    ["answers with an error", () => platform.broken.add("dynamic-cases")],
  ])("takes no person for the one who reopened an alert when the platform does it and %s", async (_, failing) => {
    await runWith(changeOf("close"));
    failing();
    await runWith(changeOf("reopen"));
    expect(texts()).toEqual([expect.stringContaining("If it is closed, reopen it by hand.")]);
    alert("A1").isClosed = false;
    await run([done()]);
    expect(await sent("A1")).toMatchObject({ status: "open", closedBy: "job", reopenedBy: "job" });
  });

  it.each(["the job", "a person"])(
    "leaves an alert alone that a person closes without a comment after %s has reopened it",
    async (who) => {
      await runWith(changeOf("close"));
      if (who === "the job") await runWith(changeOf("reopen"));
      else platform.cases.byPerson("A1", "open");
      await run([done()]);
      platform.cases.byPerson("A1", "closed", null);
      await run([done()]);
      expect(await sent("A1")).toBeUndefined();
    },
  );

  it("does not reopen what a person has reopened and closed again during the run", async () => {
    await runWith(changeOf("close"));
    platform.beforeStore = (key) => {
      if (key === "closed alerts") platform.cases.byPerson("A1", "closed");
      return Promise.resolve();
    };
    await runWith(changeOf("reopen"));
    expect([alert("A1").isClosed, texts()]).toEqual([true, []]);
  });

  it("closes an alert in the case that it was moved to during the run, and marks no other", async () => {
    await run([done()]);
    platform.beforeStore = () => {
      alert("A1").caseId = 40;
      return Promise.resolve();
    };
    await runWith(changeOf("close"));
    expect(platform.cases.closings).toMatchObject([{ source_case_id: "40" }]);
    expect([...platform.cases.tags.keys()]).toEqual([40]);
  });

  it("comments on an alert whose findings are only partly gone", async () => {
    await runWith(changeOf("comment"));
    expect(platform.cases.comments).toEqual([
      { caseId: 12, alert: "A1", text: `${MARK}Text of comment A1.`, at: expect.any(Number) },
    ]);
    expect(alert("A1").isClosed).toBe(false);
  });

  it("changes the priority of the one alert, and comments on it", async () => {
    await runWith(changeOf("priority", "A1", { priority: 40 }));
    expect([alert("A1").priority, alert("A2").priority, texts()]).toEqual([2, 4, [`${MARK}Text of priority A1.`]]);
  });

  it.each([
    [5, 100],
    [4, 80],
    [3, 60],
    [2, 40],
    [0, -1],
    [1, undefined],
  ])("says which priority an alert has now: %j of the platform is %j", async (code, currentPriority) => {
    alert("A1").priority = code;
    await run([done()]);
    expect((await sent("A1"))?.currentPriority).toBe(currentPriority);
  });

  it("leaves a priority alone that somebody else changes while the job runs", async () => {
    const critical = 5;
    platform.beforeAnswer = (operation) => {
      // The alerts have been read by then.
      if (operation === "CaseFullDetails") alert("A1").priority = critical;
      return Promise.resolve();
    };
    const { stderr } = await runWith(changeOf("priority", "A1", { priority: 40, reason: "accepted" }));
    expect([alert("A1").priority, texts()]).toEqual([critical, []]);
    expect(stderr).toContain("The priority of alert Paths of A1 in case 12 was changed meanwhile, so the job left it.");
  });

  it("takes a priority for changed if only the comment fails, so that the job remembers the one before", async () => {
    platform.broken.add("cases");
    const { stderr } = await runWith(changeOf("priority", "A1", { priority: 40, reason: "accepted" }));
    expect([alert("A1").priority, texts()]).toEqual([2, []]);
    expect(stderr).toContain("WARNING] The platform did not return a comment of alert Paths of A1");
    expect(state()).toHaveProperty("alerts");
  });

  it("gives an alert its priority back that has the one that the job gave it", async () => {
    alert("A1").priority = 2;
    await runWith(changeOf("priority", "A1", { priority: 80, reason: "acceptance_ended" }));
    expect([alert("A1").priority, texts()]).toEqual([4, [`${MARK}Text of priority A1.`]]);
  });

  /** A run that makes its changes, and does not live to store its state. */
  async function cutShort(...changes: ReturnType<typeof changeOf>[]): Promise<void> {
    platform.beforeStore = (key) => (key === "checkpoint" ? Promise.reject(new Error("killed")) : Promise.resolve());
    expect((await runWith(...changes)).exitCode).toBe(1);
    platform.beforeStore = () => Promise.resolve();
  }

  it("does not repeat a comment after a run that was killed among its changes", async () => {
    await cutShort(changeOf("comment"));
    expect(texts()).toHaveLength(1);
    await runWith(changeOf("comment"));
    expect(texts()).toHaveLength(1);
    await runWith(changeOf("comment"));
    expect(texts()).toHaveLength(2);
  });

  it.each([true, false])(
    "makes the same comment for another alert of the case that a killed run did not come to (names alerts: %s)",
    async (names) => {
      platform.cases.namesAlertOfComment = names;
      const text = "The finding of this alert is gone.";
      const comments = ["A1", "A2"].map((id) => changeOf("comment", id, { text }));
      await cutShort(...comments.slice(0, 1));
      await runWith(...comments);
      expect(platform.cases.comments.map((comment) => comment.alert)).toEqual(["A1", "A2"]);
    },
  );

  it("takes no comment of long ago for that of a killed run", async () => {
    platform.cases.comments.push({
      caseId: 12,
      alert: "A1",
      text: `${MARK}Text of comment A1.`,
      at: Date.now() - 86_400_000,
    });
    await cutShort(changeOf("comment", "A2"));
    await runWith(changeOf("comment"), changeOf("comment", "A2"));
    expect(texts().slice(1)).toEqual([`${MARK}Text of comment A2.`, `${MARK}Text of comment A1.`]);
  });

  it("asks no more about alerts that were closed more than a month ago, until something happens to them", async () => {
    const old = Date.now() - 40 * 86_400_000;
    const closed = { isClosed: true, closeComment: "Done.", updatedAt: old };
    platform.cases.alerts.push(
      alertOf("B1", 12, closed),
      alertOf("B2", 12, { updatedAt: old }),
      alertOf("B3", 12, closed),
    );
    const ids = async () => (await request()).alerts.map(({ alertId }) => alertId);
    await run([done()]);
    expect(platform.cases.asked).toContain("group-B1");
    for (let later = 1; later <= 2; later++) {
      platform.cases.asked.splice(0);
      await run([done()]);
      expect(platform.cases.asked.sort()).toEqual(["group-A1", "group-A2", "group-B2"]);
      expect(await ids()).toContain("group-B2");
    }
    platform.cases.byPerson("B3", "open");
    await run([done()]);
    expect(await ids()).toContain("group-B3");
  });

  it("remembers what it has read of old alerts although the time ends before it has read their cases", async () => {
    const old = { isClosed: true, closeComment: "Done.", updatedAt: Date.now() - 40 * 86_400_000 };
    platform.cases.alerts.push(alertOf("B1", 12, old));
    platform.broken.add("CaseFullDetails");
    platform.cases.alerts.push(...["C1", "C2", "C3"].map((id, index) => alertOf(id, 20 + index)));
    expect((await run([done()])).exitCode).toBe(1);
    platform.cases.asked.splice(0);
    await run([done()]);
    expect(platform.cases.asked).not.toContain("group-B1");
  });

  it("takes an answer without any tagged case for one that failed, once", async () => {
    await runWith(changeOf("close"));
    const tags = new Map(platform.cases.tags);
    platform.cases.tags.clear();
    await run([done()]);
    for (const [id, own] of tags) platform.cases.tags.set(id, own);
    await run([done()]);
    expect(await sent("A1")).toMatchObject({ status: "closed", closedBy: "job" });
  });

  it("leaves an alert alone whose tag a person has removed, although its case gets the tag again", async () => {
    await runWith(changeOf("close"));
    platform.cases.tags.clear();
    await run([done()]);
    await runWith(changeOf("close", "A2"));
    await run([done()]);
    expect([await sent("A1"), (await sent("A2"))?.closedBy]).toEqual([undefined, "job"]);
  });

  it("knows of a killed run until it has a new state", async () => {
    await cutShort(changeOf("comment"));
    await run([done({ status: "failed" })]);
    await runWith(changeOf("comment"));
    expect(texts()).toHaveLength(1);
  });

  it("leaves out a case that cannot be read, and judges nothing when that happens again and again", async () => {
    platform.cases.alerts.push(...["B1", "B2", "B3", "B4"].map((id, index) => alertOf(id, 20 + index)));
    platform.cases.unreadable.add(20);
    platform.cases.empty.add(21);
    expect((await run([done()])).stderr).toContain("Its alerts are not judged in this run.");
    const ids = (await request()).alerts.map(({ alertId }) => alertId);
    expect(ids).toEqual(["group-A1", "group-A2", "group-B3", "group-B4"]);
    platform.broken.add("CaseFullDetails");
    const { exitCode, stderr } = await run([done({ checkpoint: { n: 1 } })]);
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining("The platform did not return case 22")]);
    expect(state()).toBeNull();
  });

  it("changes nothing when the plugin ends without a result, and fails with its reason", async () => {
    const { exitCode, stderr } = await run([changeOf("close")]);
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining("ended without a result")]);
    expect([platform.cases.closings, state()]).toEqual([[], null]);
  });

  it("reads a list of alerts page by page, even when one page was updated at one moment", async () => {
    const updatedAt = Date.now();
    platform.cases.alerts.splice(0);
    platform.cases.alerts.push(...Array.from({ length: 1500 }, (_, n) => alertOf(`N${n}`, 12, { updatedAt })));
    await run([done()]);
    expect((await request()).alerts).toHaveLength(1500);
  });

  it("reads all pages of a platform that returns fewer than it is asked for", async () => {
    platform.cases.longestPage = 2;
    const more = ["B1", "B2", "B3"].map((id, index) => alertOf(id, 12, { updatedAt: Date.now() + index }));
    platform.cases.alerts.push(...more);
    await run([done()]);
    expect((await request()).alerts).toHaveLength(5);
  });
});
