import { beforeEach, describe, expect, test } from "@jest/globals";
import { HOUR, Host, Tenant } from "./tenant.ts";

const TYPE = "Kerberoasting";
const OTHER = "ASREPRoasting";

let tenant: Tenant;
let host: Host;

beforeEach(() => {
  tenant = new Tenant();
  host = new Host(tenant);
});

const nextDay = (days = 1) => host.runAfter(24 * days);

const named = (prefix: string, count: number): string[] => Array.from({ length: count }, (_, i) => `${prefix}${i}`);

function addSingles(type: string, targets: string[]): void {
  tenant.single.add(type);
  host.add(type, ...targets);
}

function lose(type: string, targets: string[]): void {
  for (const target of targets) tenant.listed.get(type)?.delete(target);
}

/** So many days in which the pause holds and nothing is asked for. */
async function paused(days: number): Promise<void> {
  for (let day = 0; day < days; day++) expect(await nextDay()).toMatchObject({ asked: [], closingPaused: ["E"] });
}

describe("the closing pause", () => {
  test("holds while a type of the loss cannot be read, or is not known any more", async () => {
    for (const trouble of ["unreadable", "removed"] as const) {
      tenant = new Tenant();
      host = new Host(tenant);
      addSingles(TYPE, named("K", 10));
      addSingles(OTHER, named("A", 10));
      await host.run();
      lose(TYPE, named("K", 6));
      lose(OTHER, named("A", 6));
      await paused(9);
      tenant[trouble].add(TYPE);
      await paused(3);
    }
  });

  test("holds when new alerts make the loss a smaller share", async () => {
    addSingles(TYPE, named("K", 30));
    await host.run();
    lose(TYPE, named("K", 12));
    await paused(3);
    const left = [...tenant.listed.get(TYPE)!];
    host.add(TYPE, ...named("new", 10));
    for (const target of left) tenant.listed.get(TYPE)!.add(target);
    await paused(3);
  });

  test("holds when a person closes some of the alerts", async () => {
    addSingles(TYPE, named("K", 30));
    await host.run();
    lose(TYPE, named("K", 12));
    await paused(3);
    host.alerts = host.alerts.map((alert, at) =>
      at < 3 ? { ...alert, status: "closed", closedBy: "person", closedAt: tenant.now } : alert,
    );
    await paused(3);
  });

  test("holds while the findings come back one after the other, and lets go when all are back", async () => {
    addSingles(TYPE, named("K", 30));
    await host.run();
    lose(TYPE, named("K", 12));
    await paused(3);
    for (let back = 0; back < 11; back++) {
      tenant.listed.get(TYPE)!.add(`K${back}`);
      await paused(1);
    }
    tenant.listed.get(TYPE)!.add("K11");
    expect(await nextDay()).toMatchObject({ asked: [], closingPaused: [] });
    lose(TYPE, ["K3"]);
    await nextDay();
    expect(await nextDay()).toMatchObject({ asked: [`close ${TYPE}-K3`], closingPaused: [] });
  });

  test("lets go of what vanishes later once most is back, and keeps the rest until the admin allows it", async () => {
    addSingles(TYPE, named("K", 30));
    await host.run();
    lose(TYPE, named("K", 12));
    await paused(3);
    for (const target of named("K", 9)) tenant.listed.get(TYPE)!.add(target);
    lose(TYPE, ["K20"]);
    await paused(1);
    expect(await nextDay()).toMatchObject({ asked: [`close ${TYPE}-K20`], closingPaused: ["E"] });
    host.alerts = host.alerts.filter(({ alertId }) => alertId !== `${TYPE}-K20`);
    await paused(20);
    host.settings = { ...host.settings, allowsMassClosing: true };
    expect((await nextDay()).asked).toEqual(["K9", "K10", "K11"].map((target) => `close ${TYPE}-${target}`));
  });

  test("is not mentioned when all that is left of the loss is what was closed before it", async () => {
    addSingles(TYPE, named("K", 30));
    await host.run();
    lose(TYPE, ["K20"]);
    await nextDay();
    expect((await nextDay()).asked).toEqual([`close ${TYPE}-K20`]);
    host.alerts = host.alerts.map((alert) =>
      alert.alertId === `${TYPE}-K20` ? { ...alert, status: "closed", closedBy: "job", closedAt: tenant.now } : alert,
    );
    lose(TYPE, named("K", 12));
    await paused(3);
    for (const target of named("K", 12)) tenant.listed.get(TYPE)!.add(target);
    expect(await nextDay()).toMatchObject({ asked: [], closingPaused: [] });
  });

  test("keeps what was missing in a list that could not be read when the rest vanished", async () => {
    addSingles(TYPE, named("K", 15));
    addSingles(OTHER, named("A", 15));
    await host.run();
    lose(TYPE, named("K", 7));
    await nextDay();
    lose(OTHER, named("A", 6));
    tenant.unreadable.add(TYPE);
    await paused(1);
    tenant.unreadable.clear();
    for (const target of named("A", 6)) tenant.listed.get(OTHER)!.add(target);
    await paused(12);
  });

  test("lets go of what is left once a type that vanished counts as withdrawn", async () => {
    addSingles(TYPE, named("K", 12));
    addSingles(OTHER, named("A", 12));
    await host.run();
    tenant.removed.add(TYPE);
    await paused(7);
    await nextDay();
    lose(OTHER, ["A3"]);
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
    addSingles(TYPE, named("K", 30));
    await host.run();
    lose(TYPE, named("K", 12));
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
    addSingles(TYPE, named("K", 30));
    await host.run();
    lose(TYPE, named("K", 12));
    await paused(3);
    host.settings = { ...host.settings, allowsMassClosing: true };
    expect((await nextDay()).asked).toHaveLength(12);
    host.settings = { ...host.settings, allowsMassClosing: false };
    const closedAt = tenant.now;
    host.alerts = host.alerts.map((alert, index) =>
      index < 12 ? { ...alert, status: "closed", closedBy: "job", closedAt } : alert,
    );
    expect(await nextDay()).toMatchObject({ asked: [], closingPaused: [] });
    lose(TYPE, named("K", 13).slice(12));
    await paused(2);
  });
});

test("a finding that was absent before a long pause of the job and after it has to be absent anew", async () => {
  addSingles(TYPE, ["A", "B", "C"]);
  await host.run();
  lose(TYPE, ["A"]);
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
  lose(TYPE, ["F1"]);
  for (let day = 0; day < 4; day++) await nextDay();
  tenant.environments.set("E", [1]);
  for (let day = 0; day < 4; day++) await nextDay();
  lose(TYPE, ["F2"]);
  const asked: string[] = [];
  for (let day = 0; day < 6; day++) asked.push(...(await nextDay()).asked);
  expect(asked.filter((each) => each.startsWith("close"))).toEqual([]);
});
