import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Tenant } from "../../sandbox/tenant/index.ts";
import { tracesIn } from "../support/canary.ts";
import { SETTLED_AFTER_MS } from "../../src/follow-up/proof/waits.ts";
import { movableClock } from "../support/fake-clock.ts";
import { N8nApi, TYPE } from "./api.ts";
import { assertNoCanary, writtenBy } from "./canary.ts";
import { FollowUpTrial } from "./follow-up.ts";
import { N8nInstance } from "./instance.ts";
import { credentialData, exampleWorkflow, nextVersion, type Trial, withTenant } from "./trial.ts";

const DATASET = { environments: 2, findingTypes: 3, findingsPerPair: 5 };
const START = "Every 10 Minutes";
const LATER_MS = 25 * 3_600_000;

/** Tests a credential, polls, follows up, upgrades the package, and searches what n8n has written for the token key. */
export async function tryFirstSteps({ installed, tarball, say }: Trial): Promise<void> {
  const clock = movableClock();
  const use = async (tenant: Tenant): Promise<void> => {
    const instance = await N8nInstance.start({ installed, tarball, args: ["start"] });
    const api = new N8nApi(instance.url);
    try {
      await api.signUp();
      await testCredential(api, tenant, say);
      const credential = await api.addCredential(credentialData(tenant));
      const workflow = await api.addWorkflow(await exampleWorkflow("poll-into-table"), credential);
      const poll = async (hasNew: boolean): Promise<number> => {
        const { status, data } = await api.execute(workflow, START);
        assert.equal(status, "success", data.slice(0, 2_000));
        assert.equal(/"Store Alert":"\d+"/.test(data), hasNew);
        assert.match(data, /"Store Checkpoint":"\d+"/);
        const rows = await api.rows("attack_path_alerts");
        return rows.reduce((sum, { findings }) => sum + Number(findings), 0);
      };
      const all = DATASET.environments * DATASET.findingTypes * DATASET.findingsPerPair;
      assert.equal(await poll(true), all);
      say("The example workflow stores alerts and a checkpoint.");
      assert.equal(await poll(false), all);
      say("Started again, it finds nothing new.");

      const followUp = await FollowUpTrial.begin(api, tenant, credential);
      await instance.halt();
      await instance.install(await nextVersion(tarball));
      let aheadMs = 0;
      const restartAfter = async (ms: number): Promise<void> => {
        aheadMs += ms;
        clock.moveOn(ms);
        instance.restart(aheadMs);
        await api.ready();
      };
      await restartAfter(LATER_MS);
      const [environment] = tenant.data.environments;
      tenant.control.analyse(environment?.id ?? "", { findings: 1 });
      assert.equal(await poll(true), all + DATASET.findingTypes);
      say("After an upgrade of the package, it uses the same credential, and goes on from its checkpoint.");
      await instance.halt();
      await restartAfter(SETTLED_AFTER_MS);
      await followUp.end(say);

      assertNoCanary(await writtenBy([instance]));
      const decrypted = join(instance.folder, "decrypted.json");
      await instance.command("export:credentials", "--all", "--decrypted", `--output=${decrypted}`);
      assert.notDeepEqual(tracesIn(await readFile(decrypted)), [], "the search does not find the token key anywhere");
      say("The token key is in clear only in an export that asks for it.");
    } finally {
      await instance.stop();
    }
  };
  await withTenant(DATASET, use, clock);
}

async function testCredential(api: N8nApi, tenant: Tenant, say: Trial["say"]): Promise<void> {
  const data = credentialData(tenant);
  const test = (values: object) =>
    api.call("POST", "/rest/credentials/test", { credentials: { id: "", name: "Tenant", type: TYPE, data: values } });
  assert.match(JSON.stringify(await test(data)), /"OK".*can see 2 environments/);
  say("The test of the credential passes.");
  assert.match(JSON.stringify(await test({ ...data, tokenKey: "wrong" })), /"Error".*Check Token Key first/);
  say("It fails with a wrong key, and says what to check.");
}
