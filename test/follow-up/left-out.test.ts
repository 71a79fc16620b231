import { beforeEach, describe, expect, test } from "@jest/globals";
import type { JobAlert } from "../../src/runtime/protocol.ts";
import { HOUR, Host, Tenant } from "./tenant.ts";

const TYPE = "Kerberoasting";
const OTHER = "ASREPRoasting";

let tenant: Tenant;
let host: Host;

beforeEach(() => {
  tenant = new Tenant();
  host = new Host(tenant);
});

const nextDay = () => host.runAfter(24);

/** A run to which the host does not send some of its alerts. */
async function withoutAlerts(isLeftOut: (alert: JobAlert) => boolean): Promise<void> {
  const all = host.alerts;
  host.alerts = all.filter((alert) => !isLeftOut(alert));
  await nextDay();
  host.alerts = all;
}

/** What the host is asked for in so many days; whatever it is asked for again, since it does not do it, counts once. */
async function inDays(days: number): Promise<string[]> {
  const asked = new Set<string>();
  for (let day = 0; day < days; day++) for (const each of (await nextDay()).asked) asked.add(each);
  return [...asked];
}

describe("alerts that the host leaves out once", () => {
  /** Of a hundred findings, the alerts name three, and all vanish at once. */
  async function loseHundred(): Promise<void> {
    tenant.single.add(TYPE).add(OTHER);
    host.add(OTHER, "B");
    host.add(TYPE, "K0", "K1", "K2");
    for (let i = 3; i < 100; i++) tenant.listed.get(TYPE)?.add(`K${i}`);
    await host.run();
    tenant.listed.get(TYPE)?.clear();
    await nextDay();
  }

  test("stay open when a list lost most of its findings, if they are all of its finding type", async () => {
    await loseHundred();
    await withoutAlerts(({ findingType }) => findingType === TYPE);
    expect(await inDays(14)).toEqual([]);
  });

  test("stay open then, too, if they are some of its finding type, long after the loss", async () => {
    await loseHundred();
    expect(await inDays(9)).toEqual([]);
    await withoutAlerts(({ alertId }) => alertId === `${TYPE}-K1`);
    expect(await inDays(14)).toEqual([]);
  });

  test("stay open when their findings vanished with a zone", async () => {
    host.add(TYPE, "A", "B", "C");
    await host.run();
    tenant.environments.set("E", [1]);
    tenant.listed.get(TYPE)?.delete("A");
    await nextDay();
    await nextDay();
    await withoutAlerts(({ alertId }) => alertId === `${TYPE}-A`);
    const asked = await inDays(14);
    expect(asked.filter((each) => each.startsWith("close"))).toEqual([]);
  });

  test("stay open when their finding was accepted before the service left it out of its list", async () => {
    tenant.single.add(TYPE);
    tenant.accepted.add("A");
    host.add(TYPE, "A", "B", "C");
    const [first, second, third] = host.alerts;
    host.alerts = [{ ...first!, findings: [...first!.findings, ...second!.findings] }, third!];
    await host.run();
    await withoutAlerts(({ alertId }) => alertId === `${TYPE}-A`);
    tenant.listed.get(TYPE)?.delete("A");
    tenant.listed.get(TYPE)?.delete("B");
    expect(await inDays(5)).toEqual([`comment ${TYPE}-A`]);
    await withoutAlerts(({ alertId }) => alertId === `${TYPE}-A`);
    expect(await inDays(14)).toEqual([]);
  });

  test("stay open when the tenant begins to report its analyses long after a list lost most of its findings", async () => {
    tenant.tellsAnalysis = false;
    await loseHundred();
    expect(await inDays(35)).toEqual([]);
    tenant.tellsAnalysis = true;
    await withoutAlerts(({ alertId }) => alertId === `${TYPE}-K1`);
    expect(await inDays(14)).toEqual([]);
  });

  test("do not pause closing when their list became shorter step by step meanwhile", async () => {
    const many = Array.from({ length: 40 }, (_, i) => `K${i}`);
    host.add(OTHER, "A", "B");
    host.add(TYPE, ...many);
    host.alerts = host.alerts.filter(({ alertId, findingType }) => findingType === OTHER || alertId === `${TYPE}-K39`);
    await host.run();
    for (let day = 0; day < 20; day++) {
      tenant.listed.get(TYPE)?.delete(`K${day}`);
      await withoutAlerts(({ findingType }) => findingType === TYPE);
    }
    tenant.listed.get(OTHER)?.delete("A");
    await withoutAlerts(({ findingType }) => findingType === TYPE);
    expect(await inDays(3)).toEqual([`close ${OTHER}-A`]);
  });

  test("are closed as usual when nothing speaks against it", async () => {
    host.add(TYPE, "A", "B");
    await host.run();
    tenant.listed.get(TYPE)?.delete("A");
    await nextDay();
    await withoutAlerts(({ alertId }) => alertId === `${TYPE}-A`);
    expect(await inDays(14)).toEqual([`close ${TYPE}-A`]);
  });
});

describe("accepted findings that the service begins to leave out", () => {
  beforeEach(() => {
    tenant.accepted.add("A");
  });

  test("stay accepted while the graph has them, so that their alert keeps its low priority", async () => {
    host.add(TYPE, "A", "B");
    host.alerts = host.alerts.map((alert) => ({ ...alert, priority: 80 }));
    tenant.joined.add("A");
    expect((await host.run()).asked).toEqual([`priority ${TYPE}-A`]);
    tenant.listed.get(TYPE)?.delete("A");
    expect(await inDays(14)).toEqual([]);
  });

  test("keep an alert about single objects open, even if another of its findings was fixed", async () => {
    tenant.single.add(TYPE);
    host.add(TYPE, "A", "B", "C");
    const [first, second] = host.alerts;
    host.alerts = [{ ...first!, findings: [...first!.findings, ...second!.findings] }, ...host.alerts.slice(2)];
    await host.run();
    tenant.listed.get(TYPE)?.delete("A");
    await nextDay();
    tenant.listed.get(TYPE)?.delete("B");
    const asked = await inDays(14);
    expect(asked).toEqual([`comment ${TYPE}-A`]);
  });
});

test("an alert of an accepted finding stays open although a full state has forgotten what is known of its list", async () => {
  tenant.single.add(TYPE);
  host.add(TYPE, "A", "B", "C");
  tenant.accepted.add("A");
  await host.run();
  tenant.listed.get(TYPE)?.delete("A");
  await nextDay();
  const { environments, ...rest } = host.state as { environments: object };
  host.state = { ...rest, environments: {} };
  expect(environments).not.toEqual({});
  expect(await inDays(14)).toEqual([]);
});

test("an alert is closed when its acceptance ended before its finding was fixed, although no list says how severe it is", async () => {
  tenant.severity = "";
  tenant.single.add(TYPE);
  host.add(TYPE, "A", "B");
  host.alerts = host.alerts.map((alert) => ({ ...alert, priority: 40 }));
  await host.run();
  tenant.accepted.add("A");
  await nextDay();
  tenant.accepted.delete("A");
  await nextDay();
  tenant.listed.get(TYPE)?.delete("A");
  expect(await inDays(3)).toEqual([`close ${TYPE}-A`]);
});

test("analyses that are more than ten days apart prove an absence to a job that looked in between", async () => {
  host.add(TYPE, "A", "B");
  await host.run();
  tenant.listed.get(TYPE)?.delete("A");
  const asked = new Set<string>();
  for (let cycle = 0; cycle < 3; cycle++) {
    for (const each of (await nextDay()).asked) asked.add(each);
    for (let day = 0; day < 28; day++) {
      tenant.now += 24 * HOUR;
      for (const each of (await host.run()).asked) asked.add(each);
    }
  }
  expect([...asked]).toEqual([`close ${TYPE}-A`]);
});

describe("findings that vanished one by one, long ago", () => {
  /** An alert of thirty findings, of which one is fixed each day until five are left, and one of ten others. */
  async function fixOneByOne(eachDay: (day: number) => Promise<void> = () => Promise.resolve()): Promise<void> {
    tenant.environments.set("F", [1]);
    host.add(TYPE, ...Array.from({ length: 40 }, (_, index) => `K${index}`));
    const findings = host.alerts.map((alert) => alert.findings[0]!);
    const [first] = host.alerts as [JobAlert];
    host.alerts = [
      { ...first, alertId: "X", findings: findings.slice(0, 30) },
      { ...first, alertId: "Y", findings: findings.slice(30) },
    ];
    await host.run();
    for (let day = 0; day < 29; day++) {
      if (day < 25) tenant.listed.get(TYPE)?.delete(`K${day}`);
      await nextDay();
      await eachDay(day);
    }
  }

  /** Runs an hour apart, with something missing in the first. */
  async function missOnce(miss: () => () => void): Promise<void> {
    const undo = miss();
    tenant.now += HOUR;
    await host.run();
    undo();
    tenant.now += HOUR;
    await host.run();
  }

  const TROUBLES: [string, () => () => void][] = [
    [
      "their alert",
      () => {
        const all = host.alerts;
        host.alerts = all.slice(1);
        return () => (host.alerts = all);
      },
    ],
    [
      "another environment",
      () => {
        tenant.environments.delete("F");
        return () => tenant.environments.set("F", [1]);
      },
    ],
    [
      "data of another environment",
      () => {
        tenant.uncollected.add("F");
        return () => tenant.uncollected.delete("F");
      },
    ],
    [
      "a zone",
      () => {
        tenant.environments.set("E", [1]);
        return () => tenant.environments.set("E", [1, 2]);
      },
    ],
  ];

  test.each(TROUBLES)("pause nothing although one run in three days missed %s", async (_, miss) => {
    await fixOneByOne(async (day) => {
      if (day % 3 === 2) await missOnce(miss);
    });
    expect(await nextDay()).toMatchObject({ closingPaused: [] });
    for (let index = 25; index < 30; index++) tenant.listed.get(TYPE)?.delete(`K${index}`);
    expect(await inDays(12)).toContain("close X");
  });

  test.each(TROUBLES)("pause nothing after a run that missed %s, and are gone after another wait", async (_, miss) => {
    await fixOneByOne();
    await missOnce(miss);
    expect(await nextDay()).toMatchObject({ closingPaused: [] });
    for (let index = 25; index < 30; index++) tenant.listed.get(TYPE)?.delete(`K${index}`);
    expect(await inDays(12)).toContain("close X");
  });

  test("do not count as many of a few when a run misses other alerts", async () => {
    host.add(TYPE, ...Array.from({ length: 45 }, (_, index) => `K${index}`));
    await host.run();
    for (let index = 0; index < 12; index++) tenant.listed.get(TYPE)?.delete(`K${index}`);
    await nextDay();
    await missOnce(() => {
      const all = host.alerts;
      host.alerts = all.slice(0, 35);
      return () => (host.alerts = all);
    });
    expect(await inDays(3)).toHaveLength(12);
  });

  test("pause closing when others vanish during a long pause of the job, before which they were seen missing only shortly", async () => {
    host.add(TYPE, ...Array.from({ length: 30 }, (_, index) => `K${index}`));
    await host.run();
    for (let index = 0; index < 8; index++) tenant.listed.get(TYPE)?.delete(`K${index}`);
    await nextDay();
    for (let index = 8; index < 11; index++) tenant.listed.get(TYPE)?.delete(`K${index}`);
    await host.runAfter(11 * 24);
    expect(await inDays(12)).toEqual([]);
  });

  test("are not withdrawn after a run that missed their alert, long after an environment has gone for good", async () => {
    tenant.environments.set("F", [1]);
    host.add(TYPE, "A", "B", "C");
    await host.run();
    tenant.environments.delete("F");
    for (let day = 0; day < 60; day++) await nextDay();
    tenant.listed.get(TYPE)?.delete("A");
    await host.runAfter(22);
    await missOnce(() => {
      const all = host.alerts;
      host.alerts = all.slice(1);
      return () => (host.alerts = all);
    });
    expect(await inDays(9)).toEqual([`close ${TYPE}-A`]);
  });

  test("are withdrawn only a week after the token began to see less", async () => {
    tenant.environments.set("F", [1]);
    host.add(TYPE, "A", "B");
    host.settings = { ...host.settings, closes: false };
    await host.run();
    tenant.listed.get(TYPE)?.delete("A");
    expect(await inDays(20)).toEqual([`comment ${TYPE}-A`]);
    tenant.environments.delete("F");
    expect(await inDays(7)).toEqual([]);
    expect(await inDays(2)).toEqual([`comment ${TYPE}-A`]);
  });
});

test("an alert of an environment that is not selected is another job's: who reopened it is neither said nor remembered", async () => {
  tenant.environments.set("F", [1]);
  host.add(TYPE, "A", "B");
  const [first, second] = host.alerts as [JobAlert, JobAlert];
  const reopened = { closedBy: "job", closedAt: tenant.now - HOUR, reopenedBy: "person" } as const;
  host.alerts = [first, { ...second, environmentId: "F", ...reopened }];
  host.environments = ["E"];
  const { why } = await host.run();
  expect([why, Object.values((host.state as { alerts: object }).alerts)]).toEqual([
    [],
    [expect.not.objectContaining({ person: true })],
  ]);
});
