import { beforeEach, describe, expect, test } from "@jest/globals";
import { Host, type HostRun, HOUR, named, Tenant } from "./tenant.ts";

const TYPE = "Kerberoasting";
const OTHER = "ASREPRoasting";

let tenant: Tenant;
let host: Host;

beforeEach(() => {
  tenant = new Tenant();
  host = new Host(tenant);
});

const nextDay = (days = 1) => host.runAfter(24 * days);

/** So many days in which the pause holds and nothing is asked for. */
async function paused(days: number): Promise<void> {
  for (let day = 0; day < days; day++) expect(await nextDay()).toMatchObject({ asked: [], closingPaused: ["E"] });
}

/** The host closes what it is asked to close. */
async function closing(run: Promise<HostRun>): Promise<void> {
  const asked = new Set((await run).asked);
  const closed = { status: "closed", closedBy: "job", closedAt: tenant.now } as const;
  host.alerts = host.alerts.map((alert) => (asked.has(`close ${alert.alertId}`) ? { ...alert, ...closed } : alert));
}

/** The admin allows mass closing for so many days. */
async function allowFor(days: number): Promise<void> {
  host.settings = { ...host.settings, allowsMassClosing: true };
  for (let day = 0; day < days; day++) await closing(nextDay());
  host.settings = { ...host.settings, allowsMassClosing: false };
}

const openAlerts = (): number => host.alerts.filter(({ status }) => status === "open").length;

describe("the closing pause", () => {
  test("holds while a type of the loss cannot be read, or is not known any more", async () => {
    for (const trouble of ["unreadable", "removed"] as const) {
      tenant = new Tenant();
      host = new Host(tenant);
      host.addSingles(TYPE, ...named("K", 10));
      host.addSingles(OTHER, ...named("A", 10));
      await host.run();
      tenant.lose(TYPE, ...named("K", 6));
      tenant.lose(OTHER, ...named("A", 6));
      await paused(9);
      tenant[trouble].add(TYPE);
      await paused(3);
    }
  });

  test("holds when new alerts make the loss a smaller share", async () => {
    host.addSingles(TYPE, ...named("K", 30));
    await host.run();
    tenant.lose(TYPE, ...named("K", 12));
    await paused(3);
    const left = [...tenant.listed.get(TYPE)!];
    host.add(TYPE, ...named("new", 10));
    for (const target of left) tenant.listed.get(TYPE)!.add(target);
    await paused(3);
  });

  test("holds when a person closes some of the alerts", async () => {
    host.addSingles(TYPE, ...named("K", 30));
    await host.run();
    tenant.lose(TYPE, ...named("K", 12));
    await paused(3);
    host.alerts = host.alerts.map((alert, at) =>
      at < 3 ? { ...alert, status: "closed", closedBy: "person", closedAt: tenant.now } : alert,
    );
    await paused(3);
  });

  test("holds while the findings come back one after the other, and lets go when all are back", async () => {
    host.addSingles(TYPE, ...named("K", 30));
    await host.run();
    tenant.lose(TYPE, ...named("K", 12));
    await paused(3);
    for (let back = 0; back < 11; back++) {
      tenant.listed.get(TYPE)!.add(`K${back}`);
      await paused(1);
    }
    tenant.listed.get(TYPE)!.add("K11");
    expect(await nextDay()).toMatchObject({ asked: [], closingPaused: [] });
    tenant.lose(TYPE, "K3");
    await nextDay();
    expect(await nextDay()).toMatchObject({ asked: [`close ${TYPE}-K3`], closingPaused: [] });
  });

  test("lets go of what vanishes later once most is back, and keeps the rest until the admin allows it", async () => {
    host.addSingles(TYPE, ...named("K", 30));
    await host.run();
    tenant.lose(TYPE, ...named("K", 12));
    await paused(3);
    for (const target of named("K", 9)) tenant.listed.get(TYPE)!.add(target);
    tenant.lose(TYPE, "K20");
    await paused(1);
    expect(await nextDay()).toMatchObject({ asked: [`close ${TYPE}-K20`], closingPaused: ["E"] });
    host.alerts = host.alerts.filter(({ alertId }) => alertId !== `${TYPE}-K20`);
    await paused(20);
    host.settings = { ...host.settings, allowsMassClosing: true };
    expect((await nextDay()).asked).toEqual(["K9", "K10", "K11"].map((target) => `close ${TYPE}-${target}`));
  });

  test("is not mentioned when all that is left of the loss is what was closed before it", async () => {
    host.addSingles(TYPE, ...named("K", 30));
    await host.run();
    tenant.lose(TYPE, "K20");
    await nextDay();
    expect((await nextDay()).asked).toEqual([`close ${TYPE}-K20`]);
    host.alerts = host.alerts.map((alert) =>
      alert.alertId === `${TYPE}-K20` ? { ...alert, status: "closed", closedBy: "job", closedAt: tenant.now } : alert,
    );
    tenant.lose(TYPE, ...named("K", 12));
    await paused(3);
    for (const target of named("K", 12)) tenant.listed.get(TYPE)!.add(target);
    expect(await nextDay()).toMatchObject({ asked: [], closingPaused: [] });
  });

  test("holds while it is not known what else is missing in a list that was never read", async () => {
    host.addSingles(TYPE, ...named("K", 10));
    host.addSingles(OTHER, ...named("A", 10));
    tenant.unreadable.add(OTHER);
    await host.run();
    tenant.lose(TYPE, ...named("K", 6));
    for (let day = 0; day < 3; day++) expect((await nextDay()).asked).toEqual([]);
  });

  test("is kept for findings of a list that needs no read", async () => {
    host.addSingles(TYPE, ...named("K", 30));
    host.addSingles(OTHER, ...named("A", 3));
    await host.run();
    tenant.lose(TYPE, ...named("K", 12));
    await paused(3);
    for (const target of named("K", 9)) tenant.listed.get(TYPE)!.add(target);
    await paused(1);
    tenant.failOnce.add(OTHER);
    await paused(1);
    const read = new Set<string>();
    tenant.onRead = (findingType) => read.add(findingType);
    expect(await host.run()).toMatchObject({ asked: [], closingPaused: ["E"] });
    expect([...read]).toEqual([OTHER]);
  });

  test("keeps what was missing in a list that could not be read when the rest vanished", async () => {
    host.addSingles(TYPE, ...named("K", 15));
    host.addSingles(OTHER, ...named("A", 15));
    await host.run();
    tenant.lose(TYPE, ...named("K", 7));
    await nextDay();
    tenant.lose(OTHER, ...named("A", 6));
    tenant.unreadable.add(TYPE);
    await paused(1);
    tenant.unreadable.clear();
    for (const target of named("A", 6)) tenant.listed.get(OTHER)!.add(target);
    await paused(12);
  });

  test("lets go of what is left once a type that vanished counts as withdrawn", async () => {
    host.addSingles(TYPE, ...named("K", 12));
    host.addSingles(OTHER, ...named("A", 12));
    await host.run();
    tenant.removed.add(TYPE);
    await paused(7);
    await nextDay();
    tenant.lose(OTHER, "A3");
    await nextDay();
    expect((await nextDay()).asked).toEqual([`close ${OTHER}-A3`]);
  });

  describe("while a type is gone, in runs after the same analysis,", () => {
    /** The finding Y0 was deleted more than a day ago, and could be closed by its list alone. */
    async function goneAndDeleted(findings: readonly { type: string; targets: string[] }[]): Promise<void> {
      for (const { type, targets } of findings) host.add(type, ...targets);
      await host.run();
      tenant.removed.add("T0X");
      tenant.deleted.set("Y0", new Date(tenant.now + HOUR).toISOString());
    }

    test("holds when another list can be read again", async () => {
      const [x, y] = [named("X", 20), named("Y", 10)];
      await goneAndDeleted([
        { type: "T0X", targets: x },
        { type: "T0Y", targets: y },
      ]);
      tenant.failOnce.add("T0Y");
      expect(await host.runAfter(30)).toMatchObject({ asked: [], closingPaused: ["E"] });
      for (let run = 0; run < 3; run++) {
        tenant.now += HOUR;
        expect(await host.run()).toMatchObject({ asked: [], closingPaused: ["E"] });
      }
      expect(await nextDay()).toMatchObject({ asked: [], closingPaused: ["E"] });
    });

    test("holds when there is no time to look at that type", async () => {
      await goneAndDeleted([
        { type: "T0A", targets: named("Y", 10) },
        { type: "T0B", targets: ["B0"] },
        { type: "T0X", targets: named("X", 20) },
      ]);
      tenant.failOnce.add("T0A").add("T0B");
      expect(await host.runAfter(30)).toMatchObject({ asked: [], closingPaused: ["E"] });
      tenant.pageMs = 10_000;
      expect(await host.run({ timeMs: 12_000 })).toMatchObject({ asked: [], closingPaused: ["E"] });
    });
  });

  test("is named by each run while it holds, also by those that judge nothing", async () => {
    host.addSingles(TYPE, ...named("K", 30));
    await host.run();
    tenant.lose(TYPE, ...named("K", 12));
    await paused(1);
    const stillNamed = async (): Promise<void> => {
      tenant.now += HOUR;
      expect(await host.run()).toMatchObject({ asked: [], closingPaused: ["E"] });
    };
    await stillNamed();
    tenant.idle = false;
    await stillNamed();
    tenant.idle = true;
    tenant.unreadableEnvironments = 1;
    await stillNamed();
    tenant.unreadableEnvironments = 0;
    tenant.requestsLeft = 0;
    await stillNamed();
    tenant.requestsLeft = Infinity;
    host.settings = { ...host.settings, allowsMassClosing: true };
    tenant.unreadable.add(TYPE);
    expect(await host.run()).toMatchObject({ asked: [], closingPaused: [] });
    tenant.unreadable.clear();
    host.settings = { ...host.settings, allowsMassClosing: false };
    for (const target of named("K", 12)) tenant.listed.get(TYPE)!.add(target);
    expect(await nextDay()).toMatchObject({ asked: [], closingPaused: [] });
    expect(await host.run()).toMatchObject({ asked: [], closingPaused: [] });
  });

  test("lets go when the admin allows it", async () => {
    host.addSingles(TYPE, ...named("K", 30));
    await host.run();
    tenant.lose(TYPE, ...named("K", 12));
    await paused(3);
    await allowFor(1);
    expect(openAlerts()).toBe(18);
    expect(await nextDay()).toMatchObject({ asked: [], closingPaused: [] });
    tenant.lose(TYPE, ...named("K", 13).slice(12));
    expect(await nextDay()).toMatchObject({ asked: [], closingPaused: [] });
    expect(await nextDay()).toMatchObject({ asked: [`close ${TYPE}-K12`], closingPaused: [] });
    tenant.lose(TYPE, ...named("K", 24).slice(13));
    await paused(3);
  });

  test.each([
    ["the risk of its findings is accepted, and the service leaves them out", null],
    ["the admin keeps alerts of their severity open", "critical"],
  ] as const)(
    "counts no loss that the admin has allowed, although alerts stay open because %s",
    async (_, keptOpen) => {
      host.addSingles(TYPE, ...named("K", 40));
      if (keptOpen !== null)
        host.alerts = host.alerts.map((alert, n) => (n < 15 ? { ...alert, severity: "critical" } : alert));
      host.settings = { ...host.settings, keptOpen };
      await host.run();
      if (keptOpen === null) for (const target of named("K", 15)) tenant.accepted.add(target);
      await nextDay();
      tenant.lose(TYPE, ...named("K", 15));
      await paused(3);
      await allowFor(3);
      expect(openAlerts()).toBe(40);
      tenant.lose(TYPE, "K30");
      await nextDay();
      expect(await nextDay()).toMatchObject({ asked: [`close ${TYPE}-K30`], closingPaused: [] });
    },
  );

  test("does not take back what the admin has allowed when others vanish before its wait is over", async () => {
    host.addSingles(TYPE, ...named("K", 40));
    await host.run();
    tenant.lose(TYPE, ...named("K", 13));
    await allowFor(1);
    const others = named("K", 26).slice(13);
    tenant.lose(TYPE, ...others);
    await nextDay();
    for (const target of others) tenant.listed.get(TYPE)!.add(target);
    await closing(nextDay());
    await closing(nextDay());
    expect(openAlerts()).toBe(27);
  });

  test("is not said to hold because of what vanished with many others of an alert that is closed", async () => {
    host.addSingles(TYPE, ...named("A", 30));
    host.addSingles(OTHER, ...named("B", 30));
    await host.run();
    tenant.lose(TYPE, "A0");
    await nextDay();
    await closing(nextDay());
    const all = [...tenant.listed.get(OTHER)!];
    tenant.lose(OTHER, ...all.slice(0, 25));
    await paused(1);
    for (const target of all) tenant.listed.get(OTHER)!.add(target);
    await nextDay();
    tenant.lose(OTHER, "B3");
    const soonAfterAnalysis = async () => {
      tenant.now += 24 * HOUR;
      tenant.analysis = tenant.now - HOUR / 10;
      await host.run();
    };
    await soonAfterAnalysis();
    await soonAfterAnalysis();
    tenant.now += HOUR;
    expect(await host.run()).toMatchObject({ asked: [`close ${OTHER}-B3`], closingPaused: [] });
  });
});

test("what the admin has allowed to close does not make a later loss a smaller share", async () => {
  host.addSingles(TYPE, ...named("K", 200));
  for (const target of named("L", 800)) tenant.listed.get(TYPE)?.add(target);
  await host.run();
  tenant.lose(TYPE, ...named("K", 150));
  await allowFor(3);
  expect(openAlerts()).toBe(50);
  tenant.lose(TYPE, ...named("K", 195));
  await paused(3);
});

test("a finding that was absent before a long pause of the job and after it has to be absent anew", async () => {
  host.addSingles(TYPE, "A", "B", "C");
  await host.run();
  tenant.lose(TYPE, "A");
  await nextDay();
  expect((await nextDay(20)).asked).toEqual([]);
  expect((await nextDay(2)).asked).toEqual([`close ${TYPE}-A`]);
});

test("a finding that was confirmed as gone counts as hidden once the token sees less", async () => {
  tenant.single.add(TYPE);
  host.add(TYPE, "F1", "F2", "F3");
  const [first, second] = host.alerts;
  host.alerts = [{ ...first!, findings: [...first!.findings, ...second!.findings] }, host.alerts[2]!];
  await host.run();
  tenant.lose(TYPE, "F1");
  for (let day = 0; day < 4; day++) await nextDay();
  tenant.environments.set("E", [1]);
  for (let day = 0; day < 4; day++) await nextDay();
  tenant.lose(TYPE, "F2");
  const asked: string[] = [];
  for (let day = 0; day < 6; day++) asked.push(...(await nextDay()).asked);
  expect(asked.filter((each) => each.startsWith("close"))).toEqual([]);
});
