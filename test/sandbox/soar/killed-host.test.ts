import { expect, it } from "@jest/globals";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { openHost } from "../../../sandbox/soar/index.ts";
import { seededRandom } from "../../../sandbox/tenant/dataset/random.ts";
import { bundledScript } from "../../support/bundled-script.ts";
import { lightPackage } from "../../support/light-package.ts";
import { connectorFields } from "../../support/requests.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { startTenant } from "../../support/tenant.ts";
import { FIELDS, fakePackage, plugin } from "./fake-package.ts";

const CONNECTOR = "Attack Path Findings";
const KILLS = 6;
const script = await bundledScript("test/sandbox/soar/host-process.ts");

/** Runs the connector in a host process that is killed once `isTime` says so of all that it has written. */
async function runUntil(data: string, connectorId: string, isTime: (written: string) => boolean): Promise<void> {
  const child = spawn(process.execPath, [script, data, connectorId], { stdio: ["ignore", "pipe", "inherit"] });
  const exit = once(child, "exit");
  let written = "";
  for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
    written += chunk.toString();
    if (isTime(written)) child.kill("SIGKILL");
  }
  await exit;
}

it("the local host, killed in the middle of a run, goes on behind the last alert that it has stored", async () => {
  const data = temporaryFolder();
  let host = openHost({ data });
  const endless = plugin(`
    const first = request.state?.next ?? 0;
    for (let next = first; next < 40; next++) {
      send({ type: "alert", alert: alert("a-" + next, { findings: ["f-" + next] }), checkpoint: { next: next + 1 } });
      if (first === 0 && next === 24) { send({ type: "progress", done: 25, total: 40, label: "" }); setInterval(() => {}, 1000); break; }
      if (next === 39) result({ checkpoint: { next: 40 } });
    }
  `);
  const installed = await host.install(await fakePackage(temporaryFolder(), endless));
  const { id } = host.configureConnector(installed.id, CONNECTOR, FIELDS);
  await host.close();
  await runUntil(data, id, (written) => written.includes("25"));
  host = openHost({ data });
  expect(host.store.state(id)).toEqual({ next: 25 });
  expect(host.alerts.alerts()).toHaveLength(25);
  expect(await host.runConnector(id)).toMatchObject({ status: "completed", alerts: 15, repeated: 0 });
  expect(host.alerts.findings().size).toBe(40);
  expect(new Set(host.alerts.findings().values())).toEqual(new Set([1]));
  expect(host.records.list().rows.map(({ status }) => status)).toEqual(["completed", "interrupted"]);
  await host.close();
});

it("the local host, killed in run after run of the built plugin, holds each finding exactly once in the end", async () => {
  const tenant = await startTenant({
    dataset: { environments: 2, findingTypes: 3, findingsPerPair: 150 },
    maxPageSize: 10,
  });
  const random = seededRandom(11);
  const data = temporaryFolder();
  let host = openHost({ data });
  const { id } = await host.install(await lightPackage());
  const connector = host.configureConnector(id, CONNECTOR, connectorFields(tenant));
  await host.close();

  for (let kills = 0; kills < KILLS; kills++) {
    const alerts = 4 + random.below(12);
    await runUntil(data, connector.id, (written) => written.split(".").length > alerts);
    tenant.control.analyse(random.pick(tenant.data.environments).id, { findings: 1 + random.below(5) });
  }
  host = openHost({ data });
  const interrupted = host.records.list().rows.filter(({ status }) => status === "interrupted").length;
  const report = await host.runConnector(connector.id);
  const findings = host.alerts.findings();
  await host.close();

  const served = tenant.data.environments.flatMap((environment) =>
    tenant.data.findingTypes(environment.id).map((type) => tenant.data.findings(environment.id, type)?.size ?? 0),
  );
  expect(interrupted).toBeGreaterThan(KILLS / 2);
  expect(report.status).toBe("completed");
  expect(findings.size).toBe(served.reduce((sum, size) => sum + size, 0));
  expect([...findings].filter(([, times]) => times > 1)).toEqual([]);
}, 120_000);
