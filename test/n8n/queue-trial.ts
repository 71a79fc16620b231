import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import type { Tenant } from "../../sandbox/tenant/index.ts";
import { assertNoCanary, writtenBy } from "./canary.ts";
import { Kills, type Toll } from "./kills.ts";
import { QueueMode } from "./queue-mode.ts";
import { credentialData, exampleWorkflow, nextVersion, type Trial, withTenant } from "./trial.ts";
import { until } from "./until.ts";

const EVERY_SECONDS = 8;
const QUIET_EXECUTIONS = 3;
const RECOVERY_MS = 300_000;
const DATASET = { environments: 2, findingTypes: 8, findingsPerPair: 2 };
const LATENCY_MS = 40;

/** Polls in queue mode while its parts are killed, looks for findings that are lost, and upgrades the package. */
export async function tryQueueMode({ installed, tarball, say }: Trial, kills: number) {
  await withTenant(DATASET, async (tenant) => {
    tenant.control.setLatency(LATENCY_MS);
    const queue = await QueueMode.start(installed, tarball);
    try {
      say("n8n runs in queue mode, with two workers, PostgreSQL and Redis.");
      const example = await exampleWorkflow("poll-into-table");
      for (const node of example.nodes.filter(({ type }) => type.endsWith("scheduleTrigger"))) {
        node.parameters = { rule: { interval: [{ field: "seconds", secondsInterval: EVERY_SECONDS }] } };
      }
      const { id, versionId } = await queue.api.addWorkflow(
        example,
        await queue.api.addCredential(credentialData(tenant)),
      );
      await queue.api.call("POST", `/rest/workflows/${id}/activate`, { versionId });
      await queue.watchTables();
      await quietExecutions(queue);
      const executionMs = await queue.executionMs();
      say(`An execution takes ${(executionMs / 1_000).toFixed(1)} s.`);

      const trial = new Kills(queue, tenant, { seed: 1, executionMs });
      for (const [index, kind] of trial.kinds(kills).entries()) {
        await trial.once(kind);
        say(`Kill ${index + 1} of ${kills}: ${kind}`);
      }
      await quietExecutions(queue);
      const { repeatedAlerts } = await queue.arrived();
      await queue.upgrade(await nextVersion(tarball));
      await quietExecutions(queue);
      assert.equal((await queue.arrived()).repeatedAlerts, repeatedAlerts, "the place was lost");
      say(
        "After an upgrade of the package on main and on the workers, they use the same credential, and go on from the checkpoint.",
      );
      await report(queue, trial, tenant, say);
      await assertNoCanaryIn(queue);
      say("The token key is in no database, log, file or export of n8n, and not in Redis.");
    } finally {
      await queue.stop();
    }
  });
}

/** Waits for executions that nothing happens to. */
async function quietExecutions(queue: QueueMode): Promise<void> {
  for (let done = 0; done < QUIET_EXECUTIONS; done += 1) {
    const now = Date.now() / 1_000;
    await until("an execution ends well", RECOVERY_MS, () => queue.successAfter(now));
  }
}

async function report(queue: QueueMode, trial: Kills, tenant: Tenant, say: Trial["say"]): Promise<void> {
  const { stored, alerts, rowsTwice } = await queue.arrived();
  for (const [kind, toll] of trial.tolls) say(lineOf(kind, toll));
  const missing = stored.missing(tenant);
  const restarts = queue.instances.reduce((sum, { crashes }) => sum + crashes, 0);
  say(
    `${stored.size} findings in ${alerts} alerts; ${missing} lost, ${rowsTwice} rows twice. ` +
      `${trial.betweenAlertsAndCheckpoint} executions ended between their first alert and the checkpoint. ${restarts} restarts, ${await queue.overlaps()} executions beside an older one.`,
  );
  assert.equal(missing, 0, "findings were lost");
}

function lineOf(kind: string, { kills, ended, repeatedAlerts, repeatedFindings, rowsTwice, recovery }: Toll): string {
  const sorted = recovery.toSorted((one, other) => one - other);
  const seconds = (value: number | undefined): string => `${(value ?? 0).toFixed(0)} s`;
  const median = sorted[Math.floor(sorted.length / 2)];
  return (
    `| ${kind} | ${kills} | ${ended} | ${repeatedAlerts} | ${repeatedFindings} | ${rowsTwice} | ` +
    `${seconds(median)}, at most ${seconds(sorted.at(-1))} |`
  );
}

async function assertNoCanaryIn(queue: QueueMode): Promise<void> {
  const { services } = queue;
  await services.redis("save");
  const written = await writtenBy(queue.instances);
  written.set("PostgreSQL", await services.dump());
  written.set("Redis", await readFile(services.redisDump));
  assertNoCanary(written);
}
