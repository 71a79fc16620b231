import { expect, it } from "@jest/globals";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { openHost } from "../../../sandbox/soar/index.ts";
import { seededRandom } from "../../../sandbox/tenant/dataset/random.ts";
import { bundledScript } from "../../support/bundled-script.ts";
import { builtPackage } from "../../support/package.ts";
import { connectorFields } from "../../support/requests.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { startTenant } from "../../support/tenant.ts";

const KILLS = 10;
const script = await bundledScript("test/sandbox/soar/host-process.ts");
const folder = temporaryFolder();

/** Runs the connector in a host process that is killed while it stores one of its alerts. */
async function runUntil(alerts: number, connectorId: string): Promise<void> {
  const child = spawn(process.execPath, [script, folder, connectorId], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exit = once(child, "exit");
  let taken = 0;
  for await (const written of child.stdout as AsyncIterable<Buffer>) {
    taken += written.toString().split(".").length - 1;
    if (taken >= alerts) child.kill("SIGKILL");
  }
  await exit;
}

it("the local host, killed in the middle of run after run, holds each finding exactly once in the end", async () => {
  const tenant = await startTenant({
    dataset: { environments: 2, findingTypes: 3, findingsPerPair: 150 },
    maxPageSize: 10,
  });
  const random = seededRandom(11);
  let host = openHost({ data: folder });
  const { zip } = await builtPackage();
  const { id } = await host.install(zip);
  const connector = host.configureConnector(id, "Attack Path Findings", connectorFields(tenant));
  await host.close();

  for (let kills = 0; kills < KILLS; kills++) {
    await runUntil(4 + random.below(12), connector.id);
    tenant.control.analyse(random.pick(tenant.data.environments).id, { findings: 1 + random.below(5) });
  }
  host = openHost({ data: folder });
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
