import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "@jest/globals";
import { done } from "./fake-plugin.ts";
import { python } from "./installation.ts";
import { alertOf, eventOf, jobForEachTest, jobParameters } from "./job-runs.ts";
import { runJob } from "./run-script.ts";

python.describe("what the job script of Google SecOps reads of the platform", () => {
  const job = jobForEachTest();

  it("sends the alerts of this product with their findings, the parameters, and the last state", async () => {
    job().storeState('{"version":1}');
    const { stderr, exitCode } = await job().run([done({ message: "With a-secret-key.", checkpoint: { version: 2 } })]);
    expect([exitCode, stderr]).toEqual([0, expect.stringContaining("With [redacted].")]);
    const { alerts, ...rest } = await job().request();
    expect(rest).toMatchObject({
      kind: "job",
      name: "Follow Up Findings",
      state: { version: 1 },
      parameters: jobParameters,
    });
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
    expect(job().state).toEqual({ version: 2 });
  });

  it("reads the platform's alerts before it starts the plugin, which waits for its request only for so long", async () => {
    const NODE_BINARY = join(job().node.folder, "node-that-is-there-after-the-alerts");
    job().platform.beforeAnswer = async (operation) => {
      if (operation === "CaseFullDetails") await symlink(job().node.env.NODE_BINARY, NODE_BINARY);
    };
    await job().node.says([done()]);
    const { exitCode } = await runJob(job().node, job().platform, { parameters: jobParameters, env: { NODE_BINARY } });
    expect(exitCode).toBe(0);
    expect((await job().request()).alerts).toHaveLength(2);
  });

  it("fails with the platform's words when the platform fails before the job has begun", async () => {
    job().platform.broken.add("GetProxySettings");
    const { exitCode, stderr } = await runJob(job().node, job().platform, {
      env: job().node.env,
      context: { use_proxy_settings: true },
    });
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(
      /^The platform did not return what a script needs to start: .*bad day.*\. Nothing was run\./,
    );
  });

  it("says nothing about an alert of another tenant, and sends one that lost events without findings", async () => {
    job().alert("A1").events = [eventOf("1", 1, { finding_url: "https://other.test/ui/attack-paths" })];
    job().alert("A2").events = [eventOf("1", 2)];
    await job().run([done()]);
    expect((await job().request()).alerts).toMatchObject([{ alertId: "group-A2", findings: [] }]);
  });

  it("reads the case of another tenant's alert once only, and again with another Server", async () => {
    const other = { events: [eventOf("1", 1, { finding_url: "https://other.test/ui/attack-paths" })] };
    job().platform.cases.alerts.push(
      alertOf("B1", 20, other),
      ...["C1", "C2"].map((id, n) => alertOf(id, 30 + n, other)),
    );
    const casesRead = async (given: object = jobParameters) => {
      job().platform.cases.read.splice(0);
      const { stderr } = await job().run([done()], given);
      return [stderr.match(/\d of \d alerts/)?.[0], ...job().platform.cases.read];
    };
    expect(await casesRead()).toEqual(["3 of 5 alerts", 12, 20, 30, 31]);
    expect(await casesRead()).toEqual(["3 of 5 alerts", 12]);
    expect((await job().request()).alerts).toHaveLength(2);
    await casesRead({ ...jobParameters, Server: "https://other.test" });
    expect((await job().request()).alerts).toMatchObject([
      { alertId: "group-B1" },
      { alertId: "group-C1" },
      { alertId: "group-C2" },
    ]);
  });

  it("reads the case of an alert again whose links were cut short", async () => {
    const own = job().alert("A1");
    const { events } = own;
    own.events = [eventOf("1", 1, { finding_url: "https://tenant.te" })];
    await job().run([done()]);
    expect(await job().sent("A1")).toBeUndefined();
    own.events = events;
    await job().run([done()]);
    expect(await job().sent("A1")).toBeDefined();
  });

  it("does not count an alert of another tenant that is closed", async () => {
    for (const id of ["A1", "A2"])
      job().alert(id).events = [eventOf(id, 1, { finding_url: "https://other.test/ui/x" })];
    await job().run([done()]);
    for (const id of ["A1", "A2"]) job().platform.cases.byPerson(id, "closed");
    expect((await job().run([done()])).stderr).not.toContain("is followed up");
  });

  it("remembers the alerts of other tenants that it has read when a run fails", async () => {
    const other = { events: [eventOf("1", 1, { finding_url: "https://other.test/ui/attack-paths" })] };
    job().platform.cases.alerts.push(alertOf("B1", 5, other));
    job().platform.cases.alerts.push(...["C1", "C2", "C3", "C4"].map((id, index) => alertOf(id, 20 + index)));
    for (const caseId of [20, 21, 22, 23]) job().platform.cases.unreadable.add(caseId);
    expect((await job().run([done()])).exitCode).toBe(1);
    expect(job().platform.cases.read).toContain(5);
    job().platform.cases.unreadable.clear();
    job().platform.cases.read.splice(0);
    await job().run([done()]);
    expect(job().platform.cases.read).toEqual([12, 20, 21, 22, 23]);
  });

  it("leaves out an alert whose events lost a field that it needs, and takes a number for a text", async () => {
    job().alert("A1").events = [eventOf("1", 1, { finding_type: undefined })];
    job().alert("A2").events = [eventOf("", 1, { finding_id: 17 })];
    const { stderr } = await job().run([done()]);
    expect((await job().request()).alerts).toMatchObject([{ alertId: "group-A2", findings: [{ id: "17" }] }]);
    expect(stderr).toContain("1 of 2 alerts are left out");
  });

  it("warns when no alert is about the tenant in Server, since that is spelt in two ways then", async () => {
    for (const id of ["A1", "A2"])
      job().alert(id).events = [eventOf(id, 1, { finding_url: "https://alias.test/ui/x" })];
    const { stderr } = await job().run([done()]);
    expect(stderr).toMatch(/None of 2 alerts is followed up: .* Enter the same Server as in the connector\./);
  });

  it("says of an alert whose findings were accepted when it was delivered that its priority is low, and how severe they are", async () => {
    job().alert("A1").events = [eventOf("1", 1, { accepted: "true" })];
    await job().run([done()]);
    expect(await job().sent("A1")).toMatchObject({ priority: 40, severity: "high" });
  });

  it.each([
    ["https://host.test/tenant-a/ui/home", "https://host.test/tenant-a/ui/graphview?x", true],
    ["https://host.test/tenant-a", "https://host.test/tenant-b/ui/graphview?x", false],
    ["HOST.test.:443", "https://host.test/ui/graphview?x", true],
    ["bücher.test", "https://xn--bcher-kva.test/ui/graphview?x", true],
    ["https://host.test", "https://[host.test/ui/graphview?x", false],
  ])("knows for %s whether %s is of this tenant", async (server, link, isOwn) => {
    job().alert("A1").events = [eventOf("1", 1, { finding_url: link })];
    await job().run([done()], { ...jobParameters, Server: server });
    expect((await job().request()).alerts).toHaveLength(isOwn ? 1 : 0);
  });

  it.each([
    [5, 100],
    [4, 80],
    [3, 60],
    [2, 40],
    [0, -1],
    [1, undefined],
  ])("says which priority an alert has now: %j of the platform is %j", async (code, currentPriority) => {
    job().alert("A1").priority = code;
    await job().run([done()]);
    expect((await job().sent("A1"))?.currentPriority).toBe(currentPriority);
  });

  it("asks no more about alerts that were closed more than a month ago, until something happens to them", async () => {
    const old = Date.now() - 40 * 86_400_000;
    const closed = { isClosed: true, closeComment: "Done.", updatedAt: old };
    job().platform.cases.alerts.push(
      alertOf("B1", 12, closed),
      alertOf("B2", 12, { updatedAt: old }),
      alertOf("B3", 12, closed),
    );
    const ids = async () => (await job().request()).alerts.map(({ alertId }) => alertId);
    await job().run([done()]);
    expect(job().platform.cases.asked).toContain("group-B1");
    for (let later = 1; later <= 2; later++) {
      job().platform.cases.asked.splice(0);
      await job().run([done()]);
      expect(job().platform.cases.asked.sort()).toEqual(["group-A1", "group-A2", "group-B2"]);
      expect(await ids()).toContain("group-B2");
    }
    job().platform.cases.byPerson("B3", "open");
    await job().run([done()]);
    expect(await ids()).toContain("group-B3");
  });

  it("knows that a person reopens what was closed long before its first run, which failed", async () => {
    const old = { isClosed: true, closeComment: "Done.", updatedAt: Date.now() - 40 * 86_400_000 };
    job().platform.cases.alerts.push(alertOf("B1", 12, old));
    job().platform.broken.add("CaseFullDetails");
    job().platform.cases.alerts.push(...["C1", "C2", "C3"].map((id, index) => alertOf(id, 20 + index)));
    expect((await job().run([done()])).exitCode).toBe(1);
    job().platform.broken.clear();
    job().platform.cases.byPerson("B1", "open");
    await job().run([done()]);
    expect(await job().sent("B1")).toMatchObject({ status: "open", closedBy: "person", reopenedBy: "person" });
  });

  it("goes on listing new alerts after one that was updated in the future", async () => {
    job().platform.cases.alerts.push(alertOf("B1", 12, { updatedAt: Date.now() + 4_000 * 86_400_000 }));
    await job().run([done()]);
    job().platform.cases.alerts.push(alertOf("B2", 12));
    await job().run([done()]);
    expect(await job().sent("B2")).toBeDefined();
  });

  it("remembers what it has read of old alerts although the time ends before it has read their cases", async () => {
    const old = { isClosed: true, closeComment: "Done.", updatedAt: Date.now() - 40 * 86_400_000 };
    job().platform.cases.alerts.push(alertOf("B1", 12, old));
    job().platform.broken.add("CaseFullDetails");
    job().platform.cases.alerts.push(...["C1", "C2", "C3"].map((id, index) => alertOf(id, 20 + index)));
    expect((await job().run([done()])).exitCode).toBe(1);
    job().platform.cases.asked.splice(0);
    await job().run([done()]);
    expect(job().platform.cases.asked).not.toContain("group-B1");
  });

  it("leaves out a case that cannot be read, and judges nothing when that happens again and again", async () => {
    job().platform.cases.alerts.push(...["B1", "B2", "B3", "B4"].map((id, index) => alertOf(id, 20 + index)));
    job().platform.cases.unreadable.add(20);
    job().platform.cases.empty.add(21);
    expect((await job().run([done()])).stderr).toContain("Its alerts are not judged in this run.");
    const ids = (await job().request()).alerts.map(({ alertId }) => alertId);
    expect(ids).toEqual(["group-A1", "group-A2", "group-B3", "group-B4"]);
    job().platform.broken.add("CaseFullDetails");
    const { exitCode, stderr } = await job().run([done({ checkpoint: { n: 1 } })]);
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining("The platform did not return case 22")]);
    expect(job().state).toBeNull();
  });

  it("reads a list of alerts page by page, even when one page was updated at one moment", async () => {
    const updatedAt = Date.now();
    job().platform.cases.alerts.splice(0);
    job().platform.cases.alerts.push(...Array.from({ length: 1500 }, (_, n) => alertOf(`N${n}`, 12, { updatedAt })));
    await job().run([done()]);
    expect((await job().request()).alerts).toHaveLength(1500);
  });

  it("reads all pages of a platform that returns fewer than it is asked for", async () => {
    job().platform.cases.longestPage = 2;
    const more = ["B1", "B2", "B3"].map((id, index) => alertOf(id, 12, { updatedAt: Date.now() + index }));
    job().platform.cases.alerts.push(...more);
    await job().run([done()]);
    expect((await job().request()).alerts).toHaveLength(5);
  });
});
