import { expect, it } from "@jest/globals";
import { done } from "./fake-plugin.ts";
import { python } from "./installation.ts";
import { changeOf, CLOSING_MARK, JOB_MARK, JOB_TAG, jobForEachTest, jobParameters } from "./job-runs.ts";
import { jobIdentifier } from "./run-script.ts";

python.describe("what the job script of Google SecOps changes in cases", () => {
  const job = jobForEachTest();

  it("closes an alert with a tag, the reason, and a comment, and confirms it in the next run", async () => {
    const before = Date.now();
    await job().runWith(changeOf("close"));
    expect(job().platform.cases.closings).toEqual([
      {
        source_case_id: "12",
        alert_identifier: "A1",
        reason: "Maintenance",
        root_cause: "Other",
        comment: `${CLOSING_MARK}Text of close A1.`,
      },
    ]);
    expect(job().platform.cases.tags).toEqual(new Map([[12, new Set([JOB_TAG])]]));
    await job().run([done()]);
    const closed = await job().sent("A1");
    expect(closed).toMatchObject({ status: "closed", closedBy: "job", reopenedBy: null });
    expect(closed?.closedAt).toBeGreaterThanOrEqual(before);
    expect(await job().sent("A2")).toMatchObject({ status: "open", closedBy: null });
  });

  it("closes with another reason and root cause where the platform has others", async () => {
    await job().run([changeOf("close"), done()], {
      ...jobParameters,
      "Close Reason": "NotMalicious",
      "Close Root Cause": "Fixed",
    });
    expect(job().platform.cases.closings).toMatchObject([{ reason: "NotMalicious", root_cause: "Fixed" }]);
  });

  it("finds the alert again that the platform moved to a case of its own when it was closed", async () => {
    job().platform.cases.closesInto = 99;
    await job().runWith(changeOf("close"));
    expect(job().platform.cases.tags.get(99)).toEqual(new Set([JOB_TAG]));
    await job().run([done()]);
    expect(await job().sent("A1")).toMatchObject({ status: "closed", closedBy: "job" });
  });

  it("does not take an alert for closed that the platform left open, and keeps no memory of having asked", async () => {
    job().storeState('{"n":0,"alerts":{}}');
    job().platform.cases.ignored.add("sdk/CloseAlert");
    const { exitCode, stderr } = await job().runWith(changeOf("close"), changeOf("comment", "A2"));
    expect([exitCode, stderr]).toEqual([0, expect.stringContaining("left alert Paths of A1 in case 12 open")]);
    expect(job().state).toEqual({ n: 1, alerts: { A1: {}, A2: { asked: "comment" } } });
    await job().run([done()]);
    expect(await job().sent("A1")).toMatchObject({ status: "open", closedBy: null });
  });

  it.each([
    ["there is none yet", null],
    ["that of another tenant", '{"version":1,"tenant":"https://old.test","alerts":{"A0":{"gone":1}}}'],
    ["a damaged one", '{"version":1,"alerts":{"A1":7}}'],
    ["one that was cut short", '{"version":1,"alerts":{"A'],
  ])("keeps a state that begins anew although the platform refuses a change: %s", async (_, before) => {
    if (before !== null) job().storeState(before);
    job().platform.broken.add("UpdateAlertPriority");
    const whole = { version: 1, tenant: "https://tenant.test", environments: {} };
    const asked = { A1: { accepted: true }, A0: null };
    await job().run([
      changeOf("priority", "A1", { priority: 40, checkpoint: { ...whole, alerts: asked } }),
      done({ checkpoint: { ...whole, alerts: { A1: { accepted: true }, A2: { gone: 1 } } } }),
    ]);
    expect(job().state).toEqual({ ...whole, alerts: { A1: {}, A2: { gone: 1 } } });
  });

  it("does not close what it cannot tag, since it could never reopen that", async () => {
    job().platform.broken.add("AddTag");
    await job().runWith(changeOf("close"));
    expect(job().alert("A1").isClosed).toBe(false);
  });

  it("leaves an alert alone that a person closes during the run, and says so of it afterwards", async () => {
    // Between the list of alerts and the change.
    job().platform.beforeStore = (key) => {
      if (key === "closed alerts") job().platform.cases.byPerson("A1", "closed");
      return Promise.resolve();
    };
    await job().runWith(changeOf("close"));
    expect([job().platform.cases.closings, job().texts]).toEqual([[], []]);
  });

  it("never sends what a person closed as its own, and remembers who it was when it is open again", async () => {
    job().platform.cases.byPerson("A1", "closed");
    await job().run([done()]);
    expect(await job().sent("A1")).toBeUndefined();
    job().platform.cases.byPerson("A1", "open");
    await job().run([done()]);
    expect(await job().sent("A1")).toMatchObject({ status: "open", closedBy: "person", reopenedBy: "person" });
  });

  it("sends an alert as reopened by a person that it had closed", async () => {
    await job().runWith(changeOf("close"));
    job().platform.cases.byPerson("A1", "open");
    await job().run([done()]);
    expect(await job().sent("A1")).toMatchObject({ status: "open", closedBy: "job", reopenedBy: "person" });
  });

  it("remembers who reopened an alert that the platform leaves out for a while", async () => {
    await job().runWith(changeOf("close"));
    const { alerts } = job().platform.cases;
    const hidden = alerts.splice(0);
    await job().run([done()]);
    alerts.push(...hidden);
    job().platform.cases.byPerson("A1", "open");
    await job().run([done()]);
    expect(await job().sent("A1")).toMatchObject({ status: "open", closedBy: "job", reopenedBy: "person" });
  });

  it("knows its own closing by a comment that the platform has wrapped", async () => {
    await job().runWith(changeOf("close"));
    job().alert("A1").closeComment = `<p>Comment: ${CLOSING_MARK}Text of close A1.</p>`;
    await job().run([done()]);
    expect(await job().sent("A1")).toMatchObject({ status: "closed", closedBy: "job" });
  });

  it("takes what a person closes with the words of its comment for closed by a person", async () => {
    await job().runWith(changeOf("close", "A2"));
    await job().runWith(changeOf("comment"));
    job().platform.cases.byPerson("A1", "closed", `Agreed: "${job().texts.at(-1)!}"`);
    await job().run([done()]);
    expect(await job().sent("A1")).toBeUndefined();
  });

  it("does not touch what its own tag does not mark", async () => {
    await job().runWith(changeOf("close"));
    job().platform.cases.tags.clear();
    await job().run([done()]);
    expect(await job().sent("A1")).toBeUndefined();
  });

  it("knows its own closing by the comment when the list of them is lost", async () => {
    await job().runWith(changeOf("close"));
    job().platform.properties.delete(`3/${jobIdentifier}/closed alerts`);
    await job().run([done()]);
    expect(await job().sent("A1")).toMatchObject({ status: "closed", closedBy: "job" });
  });

  it("reopens an alert, says why, and closes it again later", async () => {
    await job().runWith(changeOf("close"));
    await job().runWith(changeOf("reopen"));
    expect([job().alert("A1").isClosed, job().texts]).toEqual([false, [`${JOB_MARK}Text of reopen A1.`]]);
    await job().run([done()]);
    expect(await job().sent("A1")).toMatchObject({ status: "open", closedBy: "job", reopenedBy: "job" });
    await job().runWith(changeOf("close"));
    await job().run([done()]);
    expect(await job().sent("A1")).toMatchObject({ status: "closed", closedBy: "job", reopenedBy: null });
  });

  it("asks a person once where the platform does not reopen an alert", async () => {
    await job().runWith(changeOf("close"));
    job().platform.cases.ignored.add("dynamic-cases/ReopenAlert");
    await job().runWith(changeOf("reopen"));
    await job().runWith(changeOf("reopen"));
    expect(job().texts).toEqual([expect.stringContaining("reopen it by hand.")]);
    expect(job().alert("A1").isClosed).toBe(true);
  });

  it.each([
    ["says so later", () => job().platform.cases.ignored.add("dynamic-cases/ReopenAlert")],
    ["answers with an error", () => job().platform.broken.add("dynamic-cases")],
  ])("takes no person for the one who reopened an alert when the platform does it and %s", async (_, failing) => {
    await job().runWith(changeOf("close"));
    failing();
    await job().runWith(changeOf("reopen"));
    expect(job().texts).toEqual([expect.stringContaining("If it is closed, reopen it by hand.")]);
    job().alert("A1").isClosed = false;
    await job().run([done()]);
    expect(await job().sent("A1")).toMatchObject({ status: "open", closedBy: "job", reopenedBy: "job" });
  });

  it.each(["the job", "a person"])(
    "leaves an alert alone that a person closes without a comment after %s has reopened it",
    async (who) => {
      await job().runWith(changeOf("close"));
      if (who === "the job") await job().runWith(changeOf("reopen"));
      else job().platform.cases.byPerson("A1", "open");
      await job().run([done()]);
      job().platform.cases.byPerson("A1", "closed", null);
      await job().run([done()]);
      expect(await job().sent("A1")).toBeUndefined();
    },
  );

  it("does not reopen what a person has reopened and closed again during the run", async () => {
    await job().runWith(changeOf("close"));
    job().platform.beforeStore = (key) => {
      if (key === "closed alerts") job().platform.cases.byPerson("A1", "closed");
      return Promise.resolve();
    };
    await job().runWith(changeOf("reopen"));
    expect([job().alert("A1").isClosed, job().texts]).toEqual([true, []]);
  });

  it("closes an alert in the case that it was moved to during the run, and marks no other", async () => {
    await job().run([done()]);
    job().platform.beforeStore = () => {
      job().alert("A1").caseId = 40;
      return Promise.resolve();
    };
    await job().runWith(changeOf("close"));
    expect(job().platform.cases.closings).toMatchObject([{ source_case_id: "40" }]);
    expect([...job().platform.cases.tags.keys()]).toEqual([40]);
  });

  it("comments on an alert whose findings are only partly gone", async () => {
    await job().runWith(changeOf("comment"));
    expect(job().platform.cases.comments).toEqual([
      { caseId: 12, alert: "A1", text: `${JOB_MARK}Text of comment A1.`, at: expect.any(Number) },
    ]);
    expect(job().alert("A1").isClosed).toBe(false);
  });

  it("changes the priority of the one alert, and comments on it", async () => {
    await job().runWith(changeOf("priority", "A1", { priority: 40 }));
    expect([job().alert("A1").priority, job().alert("A2").priority, job().texts]).toEqual([
      2,
      4,
      [`${JOB_MARK}Text of priority A1.`],
    ]);
  });

  it("leaves a priority alone that somebody else changes while the job runs", async () => {
    const critical = 5;
    job().platform.beforeAnswer = (operation) => {
      // The alerts have been read by then.
      if (operation === "CaseFullDetails") job().alert("A1").priority = critical;
      return Promise.resolve();
    };
    const { stderr } = await job().runWith(changeOf("priority", "A1", { priority: 40, reason: "accepted" }));
    expect([job().alert("A1").priority, job().texts]).toEqual([critical, []]);
    expect(stderr).toContain("The priority of alert Paths of A1 in case 12 was changed meanwhile, so the job left it.");
  });

  it("takes a priority for changed if only the comment fails, so that the job remembers the one before", async () => {
    job().platform.broken.add("cases");
    const { stderr } = await job().runWith(changeOf("priority", "A1", { priority: 40, reason: "accepted" }));
    expect([job().alert("A1").priority, job().texts]).toEqual([2, []]);
    expect(stderr).toContain("WARNING] The platform did not return a comment of alert Paths of A1");
    expect(job().state).toHaveProperty("alerts");
  });

  it("gives an alert its priority back that has the one that the job gave it", async () => {
    job().alert("A1").priority = 2;
    await job().runWith(changeOf("priority", "A1", { priority: 80, reason: "acceptance_ended" }));
    expect([job().alert("A1").priority, job().texts]).toEqual([4, [`${JOB_MARK}Text of priority A1.`]]);
  });

  it("does not repeat a comment after a run that was killed among its changes", async () => {
    await job().cutShort(changeOf("comment"));
    expect(job().texts).toHaveLength(1);
    await job().runWith(changeOf("comment"));
    expect(job().texts).toHaveLength(1);
    await job().runWith(changeOf("comment"));
    expect(job().texts).toHaveLength(2);
  });

  it("does not repeat a comment after runs that failed without a state", async () => {
    const failed = done({ status: "failed" });
    for (let time = 1; time <= 3; time++) {
      await job().run([changeOf("comment"), failed]);
      expect(job().texts).toHaveLength(1);
    }
  });

  it.each([true, false])(
    "makes the same comment for another alert of the case that a killed run did not come to (names alerts: %s)",
    async (names) => {
      job().platform.cases.namesAlertOfComment = names;
      const text = "The finding of this alert is gone.";
      const comments = ["A1", "A2"].map((id) => changeOf("comment", id, { text }));
      await job().cutShort(...comments.slice(0, 1));
      await job().runWith(...comments);
      expect(job().platform.cases.comments.map((comment) => comment.alert)).toEqual(["A1", "A2"]);
    },
  );

  it("takes no comment of long ago for that of a killed run", async () => {
    job().platform.cases.comments.push({
      caseId: 12,
      alert: "A1",
      text: `${JOB_MARK}Text of comment A1.`,
      at: Date.now() - 86_400_000,
    });
    await job().cutShort(changeOf("comment", "A2"));
    await job().runWith(changeOf("comment"), changeOf("comment", "A2"));
    expect(job().texts.slice(1)).toEqual([`${JOB_MARK}Text of comment A2.`, `${JOB_MARK}Text of comment A1.`]);
  });

  it("takes an answer without any tagged case for one that failed, each time that the next one has it again", async () => {
    await job().runWith(changeOf("close"));
    const tags = new Map(job().platform.cases.tags);
    for (let time = 1; time <= 2; time++) {
      job().platform.cases.tags.clear();
      await job().run([done()]);
      for (const [id, own] of tags) job().platform.cases.tags.set(id, own);
      await job().run([done()]);
      expect(await job().sent("A1")).toMatchObject({ status: "closed", closedBy: "job" });
    }
  });

  it("leaves an alert alone whose tag a person has removed, although its case gets the tag again", async () => {
    await job().runWith(changeOf("close"));
    job().platform.cases.tags.clear();
    await job().run([done()]);
    await job().runWith(changeOf("close", "A2"));
    await job().run([done()]);
    expect([await job().sent("A1"), (await job().sent("A2"))?.closedBy]).toEqual([undefined, "job"]);
  });

  it("knows of a killed run until it has a new state", async () => {
    await job().cutShort(changeOf("comment"));
    await job().run([done({ status: "failed" })]);
    await job().runWith(changeOf("comment"));
    expect(job().texts).toHaveLength(1);
  });

  it("changes nothing when the plugin ends without a result, and fails with its reason", async () => {
    const { exitCode, stderr } = await job().run([changeOf("close")]);
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining("ended without a result")]);
    expect([job().platform.cases.closings, job().state]).toEqual([[], null]);
  });
});
