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
  for (let day = 0; day < days; day++) {
    tenant.now += 24 * HOUR;
    tenant.analysis = tenant.now - HOUR;
    asked.push(...(await host.run()).asked);
  }
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
