import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import type { Tenant } from "../../sandbox/tenant/index.ts";
import { tracesIn } from "../support/canary.ts";
import { N8nApi, TYPE } from "./api.ts";
import { assertNoCanary, writtenBy } from "./canary.ts";
import { N8nInstance } from "./instance.ts";
import { credentialData, exampleWorkflow, type Trial, withTenant } from "./trial.ts";

const run = promisify(execFile);
const DATASET = { environments: 2, findingTypes: 3, findingsPerPair: 20 };
const START = "Every 10 Minutes";

/** Tests a credential, polls, upgrades the package, and searches what n8n has written for the token key. */
export async function tryFirstSteps({ installed, tarball, say }: Trial): Promise<void> {
  await withTenant(DATASET, async (tenant) => {
    const instance = await N8nInstance.start({ installed, tarball, args: ["start"] });
    const api = new N8nApi(instance.url);
    try {
      await api.signUp();
      await testCredential(api, tenant, say);
      const workflow = await api.addWorkflow(
        await exampleWorkflow("poll-into-table"),
        await api.addCredential(credentialData(tenant)),
      );
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

      await instance.halt();
      await instance.install(await nextVersion(tarball));
      instance.restart();
      await api.ready();
      const [environment] = tenant.data.environments;
      tenant.control.analyse(environment?.id ?? "", { findings: 1 });
      assert.equal(await poll(true), all + DATASET.findingTypes);
      say("After an upgrade of the package, it uses the same credential, and goes on from its checkpoint.");

      assertNoCanary(await writtenBy([instance]));
      const decrypted = join(instance.folder, "decrypted.json");
      await instance.command("export:credentials", "--all", "--decrypted", `--output=${decrypted}`);
      assert.notDeepEqual(tracesIn(await readFile(decrypted)), [], "the search does not find the token key anywhere");
      say("The token key is in clear only in an export that asks for it.");
    } finally {
      await instance.stop();
    }
  });
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

/** The same package under a higher version. */
async function nextVersion(tarball: string): Promise<string> {
  const folder = dirname(tarball);
  await run("tar", ["-xzf", tarball, "-C", folder]);
  const path = join(folder, "package/package.json");
  const manifest = JSON.parse(await readFile(path, "utf8")) as { version: string };
  await writeFile(path, JSON.stringify({ ...manifest, version: "99.0.0" }));
  const { stdout } = await run("npm", ["pack", "--silent", join(folder, "package")], { cwd: folder });
  return join(folder, stdout.trim());
}
