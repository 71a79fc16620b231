import { beforeEach, expect, test } from "@jest/globals";
import { HOUR, Host, Tenant } from "./tenant.ts";

let tenant: Tenant;
let host: Host;

beforeEach(() => {
  tenant = new Tenant();
  host = new Host(tenant);
});

/** What the runs of some days asked for, one run a day, each after an analysis. */
async function runFor(days: number): Promise<string[]> {
  const asked: string[] = [];
  for (let day = 0; day < days; day++) asked.push(...(await host.runAfter(24)).asked);
  return asked;
}

test("two findings that only their direction tells apart stay while the graph has one of them", async () => {
  host.add("T0GenericAll", "X");
  const common = {
    environmentId: "E",
    findingType: "T0GenericAll",
    status: "open",
    closedBy: null,
    closedAt: null,
  } as const;
  const finding = { id: "1", createdAt: 0 };
  host.alerts = [
    { ...common, alertId: "there", findings: [{ ...finding, source: "A", target: "B" }] },
    { ...common, alertId: "back", findings: [{ ...finding, source: "B", target: "A" }] },
  ];
  tenant.joined.add("A");
  await host.run();
  expect(await runFor(4)).toEqual([]);
  tenant.joined.clear();
  expect(await runFor(4)).toContain("close back");
});

test("a finding that comes back to the graph alone keeps an alert open, however long it was gone before", async () => {
  host.add("T0GenericAll", "X", "Y", "Z");
  const [first, second, third] = host.alerts;
  host.alerts = [{ ...first!, findings: [...first!.findings, ...second!.findings] }, third!];
  await host.run();
  tenant.listed.get("T0GenericAll")?.delete("X");
  expect(await runFor(4)).toEqual(["comment T0GenericAll-X"]);
  tenant.listed.get("T0GenericAll")?.delete("Y");
  tenant.joined.add("X");
  await runFor(1);
  tenant.joined.clear();
  expect(await runFor(1)).not.toContain("close T0GenericAll-X");
  expect(await runFor(2)).toContain("close T0GenericAll-X");
});

test("a graph that has a finding in any analysis since the list has lost it makes the wait begin anew", async () => {
  const runsUntilClosed = async (runInGraph: number): Promise<number> => {
    tenant = new Tenant();
    host = new Host(tenant);
    host.add("T0GenericAll", "X", "Y");
    await host.run();
    tenant.listed.get("T0GenericAll")?.delete("X");
    for (let run = 1; run < 20; run++) {
      if (run === runInGraph) tenant.joined.add("X");
      if ((await host.runAfter(8)).asked.includes("close T0GenericAll-X")) return run;
      tenant.joined.clear();
    }
    return Infinity;
  };
  const wait = await runsUntilClosed(0);
  for (const run of [1, 2, 3]) expect(await runsUntilClosed(run)).toBe(run + wait);
});

test("runs whose time is up while the graph is asked ask about all in the end, and close only what it has answered for", async () => {
  const targets = Array.from({ length: 600 }, (_, at) => `U${at}`);
  host.add("T0GenericAll", ...targets);
  await host.run();
  const fixed = targets.slice(0, 150);
  for (const target of fixed) tenant.listed.get("T0GenericAll")?.delete(target);
  tenant.joined.add("U149");
  const closed = new Set<string>();
  for (let day = 0; day < 8; day++) {
    tenant.checksLeft = 100;
    for (const change of await runFor(1)) closed.add(change);
    host.alerts = host.alerts.filter(({ alertId }) => !closed.has(`close ${alertId}`));
  }
  expect(closed).toEqual(new Set(fixed.slice(0, -1).map((target) => `close T0GenericAll-${target}`)));
});

test("runs that can ask about some of the findings only ask about all of an alert, and close one after the other", async () => {
  const targets = Array.from({ length: 100 }, (_, at) => `U${at}`);
  host.settings = { ...host.settings, allowsMassClosing: true };
  host.add("T0GenericAll", ...targets, "stays");
  const findings = host.alerts.flatMap((alert) => alert.findings).slice(0, 100);
  host.alerts = [0, 20, 40, 60, 80].map((at) => ({ ...host.alerts[at]!, findings: findings.slice(at, at + 20) }));
  await host.run();
  for (const target of targets) tenant.listed.get("T0GenericAll")?.delete(target);
  const closed = new Set<string>();
  await host.runAfter(24);
  await host.runAfter(24);
  for (let day = 0; day < 12 && closed.size < 5; day++) {
    tenant.checksLeft = 45;
    for (const change of (await host.runAfter(24)).asked) closed.add(change);
    host.alerts = host.alerts.filter(({ alertId }) => !closed.has(`close ${alertId}`));
  }
  expect(closed.size).toBe(5);
});

test("an analysis that ends while the graph is asked undoes all answers, however many", async () => {
  const targets = Array.from({ length: 600 }, (_, at) => `U${at}`);
  host.add("T0GenericAll", ...targets);
  await host.run();
  for (const target of targets.slice(0, 150)) tenant.listed.get("T0GenericAll")?.delete(target);
  await runFor(1);
  tenant.now += 24 * HOUR;
  tenant.analysis = tenant.now - HOUR;
  tenant.onCheck = () => (tenant.analysis = tenant.now);
  expect((await host.run()).asked).toEqual([]);
});
