import { beforeEach, describe, expect, test } from "@jest/globals";
import { ServerError } from "../../src/service/errors/errors.ts";
import { Host, type HostRun, HOUR, named, Tenant } from "./tenant.ts";

const TYPE = "Kerberoasting";
const OTHER = "ASREPRoasting";

let tenant: Tenant;
let host: Host;

beforeEach(() => {
  tenant = new Tenant();
  host = new Host(tenant);
});

/** The host does what it is asked for. */
function obey({ asked }: HostRun): string[] {
  const closed = { status: "closed", closedBy: "job", closedAt: tenant.now } as const;
  host.alerts = host.alerts.map((alert) =>
    asked.includes(`close ${alert.alertId}`) ? { ...alert, ...closed } : alert,
  );
  return asked;
}

/** What daily runs ask for. */
async function runFor(days: number): Promise<string[]> {
  const asked: string[] = [];
  for (let day = 0; day < days; day++) asked.push(...obey(await host.runAfter(24)));
  return asked;
}

describe("a finding that is fixed closes its alert although", () => {
  test("a list was read while an analysis began, and lacked most of its findings", async () => {
    host.addSingles(TYPE, ...named("K", 40));
    await host.run();
    tenant.lose(TYPE, "K0");
    await host.runAfter(12);
    const whole = tenant.listed.get(TYPE)!;
    tenant.onRead = () => {
      tenant.idle = false;
      tenant.listed.set(TYPE, new Set([...whole].slice(0, 15)));
    };
    expect((await host.runAfter(12)).asked).toEqual([]);
    tenant.onRead = () => undefined;
    tenant.idle = true;
    tenant.listed.set(TYPE, whole);
    expect(await runFor(2)).toEqual([`close ${TYPE}-K0`]);
  });

  test("the service did not know another finding type for a while", async () => {
    host.addSingles(TYPE, ...named("K", 14));
    host.addSingles(OTHER, ...named("A", 14));
    await host.run();
    tenant.lose(TYPE, "K0");
    await host.runAfter(12);
    tenant.removed.add(OTHER);
    expect(await host.runAfter(6)).toMatchObject({ asked: [], closingPaused: ["E"] });
    tenant.removed.clear();
    expect(await runFor(2)).toEqual([`close ${TYPE}-K0`]);
  });

  test.each([
    ["a run missed the alerts", "alerts"],
    ["an environment was not listed for three hours", "environment"],
  ])("others were fixed one by one, and all waits begin anew because %s", async (_, what) => {
    host.addSingles(TYPE, ...named("K", 40));
    tenant.environments.set("F", [1]);
    await host.run();
    const closed: string[] = [];
    for (let day = 0; day < 24; day++) {
      tenant.lose(TYPE, `K${day}`);
      const { alerts } = host;
      if (day === 14 && what === "alerts") {
        host.alerts = alerts.slice(-1);
        await host.runAfter(1);
        host.alerts = alerts;
      } else if (day === 14) {
        tenant.environments.delete("F");
        await host.runAfter(1);
        tenant.environments.set("F", [1]);
        await host.runAfter(2);
      }
      closed.push(...(await runFor(1)));
    }
    closed.push(...(await runFor(10)));
    expect(new Set(closed)).toEqual(new Set(named(`close ${TYPE}-K`, 24)));
  });

  test("the graph could not be asked while many were fixed one by one", async () => {
    host.add("T0GenericAll", ...named("K", 40));
    await host.run();
    tenant.onCheck = () => {
      throw new ServerError("broken", { whoActs: "service" });
    };
    for (let fixed = 0; fixed < 20; fixed++) {
      tenant.lose("T0GenericAll", `K${fixed}`);
      expect(await runFor(2)).toEqual([]);
    }
    tenant.onCheck = () => undefined;
    expect(await runFor(2)).toHaveLength(20);
  });

  test("each run has time for some of the lists only, and their sparklines tell of an analysis in different seconds", async () => {
    const types = named("T0Type", 10);
    tenant.tellsAnalysis = false;
    for (const type of types) host.add(type, ...named("K", 5));
    const analyze = (): void => {
      for (const [second, type] of types.entries()) tenant.still.set(type, tenant.analysis + second * 1_000);
    };
    analyze();
    await host.run();
    for (const type of types) tenant.lose(type, "K0");
    tenant.pageMs = 10_000;
    const asked: string[] = [];
    for (let day = 0; day < 3; day++) {
      const start = tenant.now + 24 * HOUR;
      tenant.analysis = start - HOUR;
      analyze();
      for (let run = 0; run < 10; run++) {
        tenant.now = start + run * HOUR;
        asked.push(...obey(await host.run({ timeMs: 60_000 })));
      }
    }
    expect(asked).toHaveLength(10);
  });
});

describe("where an environment is gone for good, a finding that is fixed closes its alert although", () => {
  beforeEach(async () => {
    tenant.environments.set("OLD", [1]);
    host.addSingles(TYPE, ...named("K", 120));
    await host.run();
    tenant.environments.delete("OLD");
    await runFor(3);
  });

  test("no run has read its list before", async () => {
    const [first] = host.alerts;
    const finding = { ...first!.findings[0]!, id: "N", target: "N", createdAt: tenant.now - 2 * HOUR };
    host.alerts = [...host.alerts, { ...first!, alertId: "new", findings: [finding] }];
    expect(await runFor(2)).toEqual(["close new"]);
  });

  test("the service did not know its finding type for a day", async () => {
    tenant.removed.add(TYPE);
    await host.runAfter(24);
    tenant.removed.clear();
    tenant.lose(TYPE, "K0");
    expect(await runFor(2)).toEqual([`close ${TYPE}-K0`]);
  });

  test("a run missed most of the alerts", async () => {
    tenant.lose(TYPE, "K119", "K60");
    const { alerts } = host;
    host.alerts = alerts.slice(0, 30);
    await host.runAfter(1);
    host.alerts = alerts;
    expect(new Set(await runFor(2))).toEqual(new Set([`close ${TYPE}-K119`, `close ${TYPE}-K60`]));
  });

  test("another environment is added", async () => {
    tenant.lose(TYPE, "K0");
    await host.runAfter(24);
    tenant.environments.set("NEW", [1]);
    expect(await runFor(1)).toEqual([`close ${TYPE}-K0`]);
  });
});

describe("findings that vanished together keep their alerts open although", () => {
  beforeEach(async () => {
    host.addSingles(TYPE, ...named("K", 15));
    host.addSingles(OTHER, ...named("A", 15));
    await host.run();
    tenant.lose(TYPE, ...named("K", 8));
  });

  test("some were noticed more than a week later, because their list could not be read", async () => {
    tenant.lose(OTHER, ...named("A", 8));
    tenant.unreadable.add(OTHER);
    expect(await runFor(9)).toEqual([]);
    tenant.unreadable.clear();
    expect(await runFor(20)).toEqual([]);
  });

  test("some were noticed more than a week later, because the job did not run", async () => {
    await host.runAfter(12);
    tenant.lose(OTHER, ...named("A", 8));
    await host.runAfter(24 * 9);
    expect(await runFor(20)).toEqual([]);
  });
});
