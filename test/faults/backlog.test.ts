import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { startTenant, type Tenant } from "../../sandbox/tenant/index.ts";
import type { Json, ResultMessage } from "../../src/runtime/protocol.ts";
import { builtPackage } from "../support/built-package.ts";
import { connectorFields, connectorRequest } from "./host.ts";

const FINDINGS = 200_000;
const BUDGET = { maxAlerts: 100, maxEventsPerAlert: 500 };
/** Far less than the findings of one run take. */
const HEAP_MB = 96;

let tenant: Tenant;
beforeAll(async () => {
  tenant = await startTenant({ dataset: { environments: 4, findingTypes: 5, findingsPerPair: FINDINGS / 20 } });
});
afterAll(() => tenant.close());

interface BudgetedRun {
  result: ResultMessage;
  alerts: number;
  /** Environment and finding type of what was delivered. */
  pairs: Set<string>;
}

/** Alerts are large: what is asked of them is read from their text. */
async function run(plugin: string, state: Json, ids: Set<string>): Promise<BudgetedRun> {
  const env = { NODE_OPTIONS: `--max-old-space-size=${HEAP_MB}` };
  const child = spawn(process.execPath, [plugin], { env, stdio: ["pipe", "pipe", "inherit"] });
  const exit = once(child, "exit");
  child.stdin.end(JSON.stringify(connectorRequest(connectorFields(tenant), state, BUDGET)));
  let [alerts, last] = [0, "null"];
  const pairs = new Set<string>();
  for await (const line of createInterface({ input: child.stdout })) {
    last = line;
    if (!line.startsWith('{"type":"alert"')) continue;
    alerts += 1;
    const [, environment = "", type = ""] = /"environmentId":"([^"]+)".*?"findingType":"([^"]+)"/.exec(line) ?? [];
    pairs.add(`${environment} ${type}`);
    for (const [, id] of line.matchAll(/"finding_id":"(\d+)"/g)) {
      if (ids.has(`${type} ${id}`)) throw new Error(`Finding ${id} of ${type} came twice.`);
      ids.add(`${type} ${id}`);
    }
  }
  expect(await exit).toEqual([0, null]);
  return { result: JSON.parse(last) as ResultMessage, alerts, pairs };
}

it("a backlog of 200,000 findings is finished run by run under a small budget and a small heap, every pair in its turn", async () => {
  const plugin = join((await builtPackage()).folder, "plugin.mjs");
  const ids = new Set<string>();
  const runs: BudgetedRun[] = [];
  let state: Json = null;
  for (let complete = false; !complete && runs.length < 10;) {
    const done = await run(plugin, state, ids);
    runs.push(done);
    state = done.result.checkpoint ?? null;
    complete = done.result.status === "completed";
    expect(done.alerts).toBeLessThanOrEqual(BUDGET.maxAlerts);
    expect(done.result.status).toBe(ids.size < FINDINGS ? "partial" : "completed");
    expect(done.result.message).toMatch(ids.size < FINDINGS ? /Left for the next run: / : /^Delivered/);
    expect(JSON.stringify(state).length).toBeLessThan(64_000);
  }
  expect([ids.size, runs.length]).toEqual([FINDINGS, 4]);
  // Five alerts a pair and run would be an equal share; none waits longer than it takes to serve the others.
  expect(new Set(runs.slice(0, 3).flatMap(({ pairs }) => [...pairs])).size).toBe(20);
}, 180_000);
