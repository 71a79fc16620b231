import { beforeEach, describe, expect, test } from "@jest/globals";
import { HOUR, Host, Tenant } from "./tenant.ts";

describe("the job", () => {
  let tenant: Tenant;
  let host: Host;

  beforeEach(() => {
    tenant = new Tenant();
    host = new Host(tenant);
  });

  const runAfter = (hours: number) => host.runAfter(hours);

  async function fix(findingType: string, ...targets: string[]) {
    await host.run();
    for (const target of targets) tenant.listed.get(findingType)?.delete(target);
  }

  test("closes an alert by the second analysis after a day, and reads nothing twice", async () => {
    host.add("T0Owns", "A", "B");
    await fix("T0Owns", "A");
    expect((await runAfter(6)).counts).toMatchObject({ active: 1, missing: 1 });
    expect((await runAfter(23)).asked).toEqual([]);
    expect((await runAfter(1)).asked).toEqual(["close T0Owns-A"]);
    const { reads } = tenant;
    tenant.now += HOUR;
    await host.run();
    expect(tenant.reads).toBe(reads);
  });

  test.each([false, true])(
    "closes nothing that is missing only right after each analysis (one object: %s)",
    async (single) => {
      if (single) tenant.single.add("T0Owns");
      host.add("T0Owns", "A", "B");
      await host.run();
      for (let day = 0; day < 5; day++) {
        tenant.now += 12 * HOUR;
        tenant.analysis = tenant.now;
        tenant.now += HOUR / 6;
        tenant.listed.get("T0Owns")?.delete("A");
        expect((await host.run()).asked).toEqual([]);
        tenant.listed.get("T0Owns")?.add("A");
        for (let run = 0; run < 6; run++) {
          tenant.now += 2 * HOUR;
          expect((await host.run()).asked).toEqual([]);
        }
      }
    },
  );

  test.each([
    // Hours between two runs, hours between two analyses, how old one is when the job runs, and after how many days it has closed.
    [2, 24, 0.2, 3],
    [2, 0.5, 0.1, 2],
    [1, 1, 0.2, 2],
    [2, 2, 0.3, 2],
    [6, 6, 0.2, 2],
    [12, 12, 0.5, 3],
    [24, 24, 0.2, 6],
  ])("closes with a run every %d h and an analysis every %d h that is %d h old", async (every, interval, age, days) => {
    host.add("T0Owns", "A", "B");
    await fix("T0Owns", "A");
    const asked: string[] = [];
    for (let hours = 0; hours < days * 24; hours += every) {
      tenant.now += every * HOUR;
      const since = (tenant.now - age * HOUR) % (interval * HOUR);
      tenant.analysis = tenant.now - age * HOUR - (interval > every ? since : 0);
      asked.push(...(await host.run()).asked);
    }
    expect(new Set(asked)).toEqual(new Set(["close T0Owns-A"]));
  });

  test("does not say after each analysis that what is gone is back", async () => {
    host.settings = { ...host.settings, closes: false };
    host.add("T0Owns", "A", "B");
    await fix("T0Owns", "A");
    const asked: string[] = [];
    for (let hours = 0; hours < 6 * 24; hours += 1) {
      tenant.now += HOUR;
      if (hours % 24 === 0) tenant.analysis = tenant.now - HOUR / 6;
      asked.push(...(await host.run()).asked);
    }
    expect(asked).toEqual(["comment T0Owns-A"]);
  });

  test.each(["pauses", "runs on without an analysis"])(
    "does not say that what is gone is back after ten days in which it %s",
    async (how) => {
      host.settings = { ...host.settings, closes: false };
      host.add("T0Owns", "A", "B");
      await fix("T0Owns", "A");
      await runAfter(24);
      expect((await runAfter(24)).asked).toEqual(["comment T0Owns-A"]);
      for (let day = 0; day < 11; day++) {
        tenant.now += 24 * HOUR;
        if (how !== "pauses") expect((await host.run()).asked).toEqual([]);
      }
      const after = how === "pauses" ? { active: 1, missing: 1 } : { active: 1, gone: 1 };
      expect(await runAfter(24)).toMatchObject({ asked: [], counts: after });
      expect(await runAfter(24)).toMatchObject({ asked: [], counts: { active: 1, gone: 1 } });
      tenant.listed.get("T0Owns")?.add("A");
      expect((await runAfter(24)).asked).toEqual(["comment T0Owns-A"]);
    },
  );

  test("closes by a read an hour after the analysis what it read too early first", async () => {
    host.add("T0Owns", "A", "B");
    await fix("T0Owns", "A");
    await runAfter(6);
    tenant.now += 25 * HOUR;
    tenant.analysis = tenant.now - HOUR / 6;
    expect((await host.run()).asked).toEqual([]);
    tenant.now += HOUR;
    expect((await host.run()).asked).toEqual(["close T0Owns-A"]);
  });

  test("says which selected environments the token does not see, and fails when it sees none of them", async () => {
    host.add("T0Owns", "A", "B");
    await fix("T0Owns", "A");
    host.environments = ["CORP", "CORP.TSET"];
    const some = await runAfter(6);
    expect(some).toMatchObject({ status: "completed", value: false, counts: { active: 1, missing: 1 } });
    expect(some.message).toContain("Selected Environments names CORP.TSET, which the token cannot see. It sees: CORP.");
    host.environments = ["CORP.TSET"];
    expect(await runAfter(26)).toMatchObject({ status: "failed", value: null, asked: [] });
    tenant.unreadableEnvironments = 1;
    expect(await runAfter(6)).toMatchObject({ status: "completed", value: false });
    tenant.unreadableEnvironments = 0;
    host.environments = ["CORP"];
    expect(await runAfter(6)).toMatchObject({ status: "completed", value: true, asked: ["close T0Owns-A"] });
  });

  test("does not fail for an environment that is selected by its id and does not exist any more", async () => {
    host.add("T0Owns", "A");
    host.environments = ["E"];
    await host.run();
    tenant.environments.delete("E");
    expect(await runAfter(26)).toMatchObject({ status: "completed", value: false, counts: { unknown: 1 } });
    expect(await runAfter(8 * 24)).toMatchObject({ status: "completed", value: false, asked: ["comment T0Owns-A"] });
  });

  test("does not close about one object what was accepted when it was listed last", async () => {
    tenant.single.add("T0Owns");
    host.add("T0Owns", "A", "B");
    tenant.accepted.add("A");
    expect((await host.run()).asked).toEqual(["priority T0Owns-A"]);
    tenant.listed.get("T0Owns")?.delete("A");
    for (let day = 0; day < 12; day++) {
      const { asked, counts } = await runAfter(26);
      expect({ asked, missing: counts.missing }).toEqual({ asked: [], missing: 1 });
    }
  });

  test("does not close about one object what is marked as deleted and accepted, although no run has seen it before", async () => {
    tenant.single.add("T0Owns");
    host.add("T0Owns", "A", "B");
    tenant.accepted.add("A");
    tenant.deleted.set("A", new Date(tenant.now - 72 * HOUR).toISOString());
    for (let day = 0; day < 12; day++) expect((await runAfter(26)).asked).toEqual([]);
  });

  test("keeps an alert open that was delivered as low because its findings were accepted, if they are as severe as what is kept open", async () => {
    host.add("T0Owns", "A", "B");
    host.alerts = host.alerts.map((alert) => ({ ...alert, severity: "low", priority: 40 }));
    host.settings = { ...host.settings, keptOpen: "high" };
    tenant.accepted.add("A");
    await fix("T0Owns", "A");
    const asked: string[] = [];
    for (let day = 0; day < 12; day++) asked.push(...(await runAfter(26)).asked);
    expect(asked).toEqual(["comment T0Owns-A"]);
  });

  test("closes nothing after the data of an environment is hidden that is still listed", async () => {
    host.add("T0Owns", "A", "B");
    tenant.environments.set("F", [1]);
    await host.run();
    tenant.uncollected.add("F");
    tenant.listed.get("T0Owns")?.delete("A");
    const asked: string[] = [];
    for (let day = 0; day < 9; day++) asked.push(...(await runAfter(26)).asked);
    expect(asked).not.toContain("close T0Owns-A");
  });

  test("says why it cannot judge an alert whose finding may be hidden, and judges the others, also without a new analysis", async () => {
    host.add("T0Owns", "A", "B", "C");
    tenant.environments.set("F", [1]);
    await host.run();
    tenant.environments.delete("F");
    tenant.listed.get("T0Owns")?.delete("A");
    await runAfter(1);
    const judged = await runAfter(27);
    const why = [expect.stringContaining("nothing is concluded from that")];
    expect(judged).toMatchObject({ counts: { active: 2, unknown: 1 }, why, alerts: 3 });
    const again = await host.run();
    expect(again).toEqual(judged);
  });

  test("takes a finding for active that the graph still has, and waits from when the graph lacks it, too", async () => {
    host.add("T0Owns", "A", "B");
    tenant.joined.add("A");
    await fix("T0Owns", "A");
    expect((await runAfter(6)).counts).toMatchObject({ active: 2, missing: 0 });
    await runAfter(30);
    tenant.joined.delete("A");
    expect((await runAfter(30)).asked).toEqual([]);
    expect((await runAfter(23)).asked).toEqual([]);
    expect((await runAfter(1)).asked).toEqual(["close T0Owns-A"]);
  });

  test("concludes nothing from a list while an analysis runs, and does not read it", async () => {
    host.add("T0Owns", "A", "B");
    tenant.idle = false;
    const { counts, status } = await host.run();
    expect(counts).toMatchObject({ active: 0, unknown: 2 });
    expect(status).toBe("partial");
    expect(tenant.reads).toBe(0);
  });

  test("concludes nothing from a list when an analysis ends while it is read", async () => {
    host.add("T0Owns", "A", "B");
    await fix("T0Owns", "A");
    tenant.onRead = () => (tenant.analysis += 60_000);
    expect((await runAfter(6)).counts).toMatchObject({ missing: 0, unknown: 2 });
  });

  test("judges again without a new analysis once a parameter has changed", async () => {
    host.add("T0Owns", "A", "B");
    host.settings = { ...host.settings, closes: false };
    await fix("T0Owns", "A");
    await runAfter(6);
    expect((await runAfter(25)).asked).toEqual(["comment T0Owns-A"]);
    host.settings = { ...host.settings, closes: true };
    expect((await host.run()).asked).toEqual(["close T0Owns-A"]);
  });

  test("says in a test run what it would ask for", async () => {
    host.add("T0Owns", "A", "B");
    await fix("T0Owns", "A");
    await runAfter(6);
    tenant.now += 30 * HOUR;
    tenant.analysis = tenant.now - HOUR;
    const { message } = await host.run({ isTest: true });
    expect(message).toMatch(/^Test run: nothing was asked of the host .*Would ask to close 1 alert\./);
  });

  test("names what it will try again before the many alerts that persons have taken over", async () => {
    host.add("T0Owns", ...Array.from({ length: 120 }, (_, index) => `P${index}`));
    const person = { closedBy: "person", closedAt: tenant.now - HOUR, reopenedBy: "person" } as const;
    host.alerts = host.alerts.map((alert) => ({ ...alert, ...person }));
    host.add("T0GenericAll", "A");
    tenant.unreadable.add("T0GenericAll");
    const { status, message } = await host.runAfter(24);
    expect(status).toBe("partial");
    expect(message).toMatch(/^Judged 0 open alerts, could not judge 1 more\. Findings: /);
    expect(message).toMatch(
      /Not judged: CORP \/ T0GenericAll: broken\b.* T0Owns-P0 and 119 more: A person closed or reopened this alert, so the job leaves it alone\.$/,
    );
  });

  test.each<[string, (date: number) => void]>([
    ["was made", (createdAt) => (host.alerts[0]!.findings = [{ ...host.alerts[0]!.findings[0]!, createdAt }])],
    ["was deleted", (at) => tenant.deleted.set("A", new Date(at).toISOString())],
  ])("does not wait for a date to come at which a gone finding %s", async (_, dated) => {
    host.add("T0Owns", "A", "B");
    await host.run();
    tenant.lose("T0Owns", "A");
    dated(tenant.now + 365 * 24 * HOUR);
    const asked = [await host.runAfter(24), await host.runAfter(24)].flatMap((run) => run.asked);
    expect(asked).toEqual(["close T0Owns-A"]);
  });

  test.each([1, 2, 3])(
    "judges what is behind an environment at which an analysis always begins (for %i runs)",
    async (span) => {
      const ids = ["E1", "E2", "E3"];
      tenant.environments = new Map(ids.map((id) => [id, [1]]));
      for (const id of ids) {
        host.add(`T0${id}`, "A", "B");
        host.alerts = host.alerts.map((alert) =>
          alert.findingType === `T0${id}` ? { ...alert, environmentId: id } : alert,
        );
      }
      await host.runAfter(24);
      for (const id of ids) tenant.lose(`T0${id}`, "A");
      let analyses = 0;
      tenant.onRead = (type) => {
        if (type === "T0E2") analyses = span;
        if (type === "T0E2") tenant.idle = false;
      };
      const closed = new Set<string>();
      for (let hour = 0; hour < 72; hour++) {
        tenant.idle = (analyses -= 1) < 0;
        for (const change of (await host.runAfter(1)).asked) closed.add(change);
      }
      expect(closed).toEqual(new Set(["close T0E1-A", "close T0E3-A"]));
    },
  );

  describe("with as many findings as the pause lets pass", () => {
    const names = (count: number) => Array.from({ length: count }, (_, index) => `A${index}`);

    test("closes what vanished of one type while the others can be read", async () => {
      host.add("T0Owns", ...names(6));
      host.add("T0WriteDACL", ...names(9));
      await fix("T0Owns", ...names(6));
      await runAfter(6);
      expect((await runAfter(25)).asked).toHaveLength(6);
    });

    test("closes nothing while another type cannot be read that may have lost as many", async () => {
      host.add("T0Owns", ...names(6));
      host.add("T0WriteDACL", ...names(9));
      await fix("T0Owns", ...names(6));
      tenant.unreadable.add("T0WriteDACL");
      await runAfter(6);
      const { asked, closingPaused, why } = await runAfter(25);
      expect({ asked, closingPaused }).toEqual({ asked: [], closingPaused: [] });
      expect(why).toContainEqual(expect.stringContaining("could not be read or are missing"));
      tenant.unreadable.clear();
      expect((await runAfter(1)).asked).toHaveLength(6);
    });

    test("counts what is missing in a type that need not be read again", async () => {
      host.add("T0Owns", ...names(6));
      host.add("T0WriteDACL", ...names(9));
      await fix("T0WriteDACL", ...names(6));
      await runAfter(6);
      for (const name of names(6)) tenant.listed.get("T0Owns")?.delete(name);
      tenant.failOnce.add("T0Owns");
      await runAfter(6);
      expect(await host.run()).toMatchObject({ asked: [], closingPaused: ["E"] });
    });

    test("counts the findings of a type that vanished with them", async () => {
      host.add("T0Owns", ...names(6));
      host.add("T0WriteDACL", ...names(9));
      await fix("T0Owns", ...names(6));
      tenant.removed.add("T0WriteDACL");
      await runAfter(6);
      const { asked, closingPaused } = await runAfter(25);
      expect({ asked, closingPaused }).toEqual({ asked: [], closingPaused: ["E"] });
    });
  });
});
