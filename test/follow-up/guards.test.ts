import { beforeEach, describe, expect, test } from "@jest/globals";
import { HOUR, Host, Tenant } from "./tenant.ts";

const DAY = 24 * HOUR;

let tenant: Tenant;
let host: Host;

beforeEach(() => {
  tenant = new Tenant();
  host = new Host(tenant);
});

const runAfter = (hours: number) => host.runAfter(hours);

/** What the runs of some days asked for, each once. */
async function runFor(days: number): Promise<string[]> {
  const asked = new Set<string>();
  for (let hours = 0; hours < days * 24; hours += 6) for (const each of (await runAfter(6)).asked) asked.add(each);
  return [...asked];
}

/** Findings that name one object: no graph has them. */
function addSingles(...targets: string[]): void {
  tenant.single.add("Kerberoasting");
  host.add("Kerberoasting", ...targets);
}

function lose(...targets: string[]): void {
  for (const listed of tenant.listed.values()) for (const target of targets) listed.delete(target);
}

describe("a clock that jumps", () => {
  test.each(["tenant", "host"] as const)("shortens no wait when it is that of the %s", async (whose) => {
    addSingles("A", "B");
    await host.run();
    lose("A");
    await runAfter(6);
    const clock = { tenant, host }[whose];
    clock.ahead = 3 * DAY;
    expect((await runAfter(1)).asked).toEqual([]);
    expect((await runAfter(22)).asked).toEqual([]);
    expect((await runAfter(2)).asked).toEqual(["close Kerberoasting-A"]);
  });

  test("shortens no wait when an analysis ends while the tenant's is ahead, however often that is read", async () => {
    addSingles("A", "B");
    await host.run();
    lose("A");
    await runAfter(6);
    tenant.now += 23 * HOUR;
    tenant.analysis = tenant.now + 1.5 * HOUR;
    expect((await host.run()).asked).toEqual([]);
    tenant.now += 3 * HOUR;
    // Other parameters make the job read the same analysis again.
    host.settings = { ...host.settings, allowsMassClosing: true };
    expect((await host.run()).asked).toEqual([]);
    expect((await runAfter(2)).asked).toEqual(["close Kerberoasting-A"]);
  });

  test("shortens no wait of a deleted finding in a job without state, not even after a run that could not read it", async () => {
    addSingles("A", "B");
    tenant.deleted.set("A", new Date(tenant.now - 2 * HOUR).toISOString());
    tenant.ahead = DAY + HOUR;
    tenant.idle = false;
    expect((await host.run()).asked).toEqual([]);
    tenant.idle = true;
    expect((await runAfter(1)).asked).toEqual([]);
    expect((await runAfter(20)).asked).toEqual([]);
    expect((await runAfter(5)).asked).toEqual(["close Kerberoasting-A"]);
  });

  test("makes the wait longer when it is set back, and not endless", async () => {
    addSingles("A", "B");
    await host.run();
    lose("A");
    await runAfter(6);
    tenant.ahead = -2 * DAY;
    expect(await runFor(1)).toEqual([]);
    expect(await runFor(1)).toEqual(["close Kerberoasting-A"]);
  });
});

describe("what the token does not see any more", () => {
  test("is never gone when it vanishes with a zone, also after a clock was set back", async () => {
    addSingles("A", "B");
    await host.run();
    tenant.environments.set("E", [1]);
    lose("A");
    expect((await runAfter(6)).why).toEqual([expect.stringContaining("sees fewer zones of this environment")]);
    tenant.ahead = -3 * DAY;
    const asked = await runFor(12);
    expect(asked).toEqual(["comment Kerberoasting-A"]);
    expect((await runAfter(6)).counts).toMatchObject({ active: 1, withdrawn: 1, gone: 0 });
  });

  test("is a type that the service denies, not one that only a gateway does not know", async () => {
    addSingles("A", "B");
    await host.run();
    tenant.removed.add("Kerberoasting");
    tenant.isRemovedByGateway = true;
    expect(await runFor(9)).toEqual([]);
    tenant.isRemovedByGateway = false;
    expect(await runFor(9)).toEqual(["comment Kerberoasting-A", "comment Kerberoasting-B"]);
  });

  test("is a type that the service rejects and does not list", async () => {
    addSingles("A");
    await host.run();
    tenant.removed.add("Kerberoasting");
    tenant.rejectsRemoved = true;
    expect(await runFor(9)).toEqual(["comment Kerberoasting-A"]);
  });

  test("is a type that is gone, as each run says, also without a new analysis", async () => {
    host.add("T0Owns", "A", "B");
    host.add("T0Other", "C");
    await host.run();
    tenant.removed.add("T0Other");
    const first = await runAfter(24);
    expect(first).toMatchObject({ counts: { active: 2, unknown: 1 }, value: false });
    expect(first.why).toEqual([expect.stringContaining("does not know this finding type any more")]);
    tenant.now += HOUR;
    expect(await host.run()).toEqual(first);
  });

  test("is withdrawn after a week, and stays so, although no other analysis ends", async () => {
    host.add("T0Owns", "A", "B");
    host.add("T0Other", "C");
    await host.run();
    tenant.removed.add("T0Other");
    await runAfter(24);
    tenant.now += 7 * DAY - HOUR;
    expect(await host.run()).toMatchObject({ asked: [], counts: { unknown: 1 } });
    tenant.now += HOUR;
    const withdrawn = { why: [], value: true, counts: { active: 2, unknown: 0, withdrawn: 1 } };
    expect(await host.run()).toMatchObject({ ...withdrawn, asked: ["comment T0Other-C"] });
    expect(await host.run()).toMatchObject({ ...withdrawn, asked: [] });
  });

  test("is never gone when it was missing only once before", async () => {
    addSingles("A", "B");
    await host.run();
    lose("A");
    await runAfter(6);
    tenant.now += 7 * DAY;
    tenant.environments.set("E", [1]);
    tenant.now += HOUR;
    await host.run();
    expect(await runFor(4)).toEqual([]);
    expect(await runFor(4)).toEqual(["comment Kerberoasting-A"]);
  });

  test("is never gone when it vanishes with another environment", async () => {
    tenant.environments.set("F", [1]);
    addSingles("A", "B");
    await host.run();
    tenant.environments.delete("F");
    lose("A");
    expect((await runAfter(6)).why).toEqual([expect.stringContaining("sees fewer environments than before")]);
    expect(await runFor(12)).toEqual(["comment Kerberoasting-A"]);
  });

  test("is never gone when its alert is new, and the zone was lost before", async () => {
    addSingles("A", "B");
    await host.run();
    tenant.environments.set("E", [1]);
    await runFor(3);
    addSingles("A", "B", "C");
    host.alerts = [...new Map(host.alerts.map((alert) => [alert.alertId, alert])).values()];
    lose("C");
    expect(await runFor(4)).toEqual([]);
    expect((await runAfter(6)).counts).toMatchObject({ active: 2, unknown: 1 });
  });

  test("is noticed in an environment that had no alert yet", async () => {
    await host.run();
    tenant.environments.set("E", [1]);
    addSingles("A", "B");
    lose("A");
    expect(await runFor(4)).toEqual([]);
  });

  test.each(["zones", "environments"])("waits anew when it saw fewer %s for a moment", async (what) => {
    tenant.environments.set("F", [1]);
    addSingles("A", "B");
    await host.run();
    lose("A");
    await runAfter(6);
    if (what === "zones") tenant.environments.set("E", [1]);
    else tenant.environments.delete("F");
    await runAfter(17);
    tenant.environments.set("E", [1, 2]).set("F", [1]);
    expect((await runAfter(6)).counts).toMatchObject({ active: 1, missing: 1 });
    expect((await runAfter(23)).asked).toEqual([]);
    expect((await runAfter(1)).asked).toEqual(["close Kerberoasting-A"]);
  });

  test("is said to be the reason as long as nothing is concluded from it", async () => {
    addSingles("A", "B");
    await host.run();
    tenant.environments.set("E", [1]);
    lose("A");
    await runFor(3);
    expect((await runAfter(6)).why).toEqual([expect.stringContaining("when the token began to see fewer")]);
  });

  test("is judged anew once the token sees everything again", async () => {
    addSingles("A", "B");
    await host.run();
    tenant.environments.set("E", [1]);
    lose("A");
    expect(await runFor(3)).toEqual([]);
    tenant.environments.set("E", [1, 2]);
    expect((await runAfter(6)).counts).toMatchObject({ active: 1, missing: 1 });
    expect(await runFor(1)).toEqual(["close Kerberoasting-A"]);
  });
});

describe("the list of environments", () => {
  const fixA = async () => {
    addSingles("A", "B");
    await host.run();
    lose("A");
  };

  test("proves nothing when it is incomplete", async () => {
    await fixA();
    tenant.unreadableEnvironments = 1;
    expect(await runFor(2)).toEqual([]);
    const { why, status } = await runAfter(6);
    expect([why, status]).toEqual([[expect.stringContaining("did not list all environments")], "partial"]);
  });

  test("says which environment has no data, and that one is not judged", async () => {
    await fixA();
    tenant.collected = false;
    expect(await runFor(2)).toEqual([]);
    expect((await runAfter(6)).why).toEqual([expect.stringContaining("no collected data")]);
  });

  test("has to lack an environment for a week until its alerts are told so, and none of them is closed", async () => {
    await fixA();
    tenant.environments.delete("E");
    expect(await runFor(7)).toEqual([]);
    expect(await runFor(2)).toEqual(["comment Kerberoasting-A", "comment Kerberoasting-B"]);
  });

  test("has to lack an environment for as long that is selected by its name", async () => {
    host.environments = ["corp"];
    await fixA();
    tenant.environments.delete("E");
    expect(await runFor(9)).toEqual(["comment Kerberoasting-A", "comment Kerberoasting-B"]);
  });

  test("has to lack an environment for as long whose id the host has stored in another letter case", async () => {
    host.environments = ["corp"];
    addSingles("A");
    host.alerts = host.alerts.map((alert) => ({ ...alert, environmentId: "e" }));
    await host.run();
    tenant.environments.delete("E");
    expect(await runFor(9)).toEqual(["comment Kerberoasting-A"]);
  });

  test("may have environments whose ids differ only in letter case", async () => {
    tenant.environments.set("e", [1, 2]);
    host.add("Kerberoasting", "A", "B");
    await host.run();
    expect(
      Object.keys((host.state as { environments: Record<string, { streams: object }> }).environments.E!.streams),
    ).toEqual(["Kerberoasting"]);
  });

  test("may write the id of an environment in another letter case", async () => {
    host.add("Kerberoasting", "A", "B");
    host.alerts = host.alerts.map((alert) => ({ ...alert, environmentId: "e" }));
    expect(await runFor(9)).toEqual([]);
    lose("A");
    expect(await runFor(3)).toEqual(["close Kerberoasting-A"]);
  });
});

describe("findings that rest on sessions", () => {
  test("are gone after three days while other sessions stay", async () => {
    host.add("T0Logins", "A", "B");
    await host.run();
    lose("A");
    expect(await runFor(3)).toEqual([]);
    expect(await runFor(0.25)).toEqual(["close T0Logins-A"]);
  });

  test("are gone after eight days when they were the last ones, also where nothing else is followed up", async () => {
    host.add("T0Logins", "A");
    await host.run();
    lose("A");
    expect(await runFor(8)).toEqual([]);
    expect(await runFor(0.25)).toEqual(["close T0Logins-A"]);
  });
});

test.each(["Kerberoasting", "T0Owns"])(
  "the only finding of an environment is gone after eight days (%s), since nothing shows that its data is current",
  async (type) => {
    tenant.single.add("Kerberoasting");
    host.add(type, "A");
    await host.run();
    lose("A");
    expect(await runFor(8)).toEqual([]);
    expect(await runFor(0.25)).toEqual([`close ${type}-A`]);
  },
);

test("a finding that joins two objects is gone after a day while the list of another type has findings", async () => {
  host.add("T0Owns", "A");
  host.add("T0Other", "B");
  await host.run();
  lose("A");
  expect(await runFor(1)).toEqual([]);
  expect(await runFor(0.25)).toEqual(["close T0Owns-A"]);
});

test("a reopening that the host says is remembered, although the state that knew of it was lost", async () => {
  addSingles("A", "B");
  await host.run();
  host.alerts = host.alerts.map((alert) => ({ ...alert, closedBy: "job", closedAt: tenant.now, reopenedBy: "job" }));
  lose("A");
  expect(await runFor(2)).toEqual([]);
  expect(await runFor(0.25)).toEqual(["close Kerberoasting-A"]);
});

test("an alert without findings, as of a platform that has lost them, is counted as not judged", async () => {
  addSingles("A", "B");
  host.alerts = host.alerts.map((alert, index) => (index === 0 ? { ...alert, findings: [] } : alert));
  const { message, value, why } = await host.run();
  expect([message, value]).toEqual([expect.stringContaining("Judged 1 open alert, could not judge 1 more."), false]);
  expect(why).toEqual([expect.stringContaining("no findings")]);
});

test("an alert with a finding that does not name its objects is left alone, and the others are judged", async () => {
  addSingles("A", "B", "C");
  host.alerts = host.alerts.map((alert) =>
    alert.alertId === "Kerberoasting-C" ? { ...alert, findings: [{ ...alert.findings[0]!, target: "" }] } : alert,
  );
  await host.run();
  lose("A", "C");
  expect(await runFor(2)).toEqual(["close Kerberoasting-A"]);
  expect((await host.run()).why).toEqual([expect.stringContaining("does not name its objects")]);
});
