import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Command } from "commander";
import { startTenant } from "../../sandbox/tenant/index.ts";
import { buildPackages } from "../../src/packaging/build.ts";
import { n8n } from "../../src/packaging/n8n/index.ts";
import { N8nHost } from "./host.ts";
import { installN8n } from "./install.ts";

const rootDir = resolve(import.meta.dirname, "../..");
const command = new Command("npm run test:n8n --")
  .description("Installs a pinned n8n, starts it with the package, and tries the package against the simulated tenant.")
  .option("--cache <folder>", "keeps n8n between the runs", join(homedir(), ".cache/attack-path-analysis/n8n"));
const { cache } = command.parse().opts<{ cache: string }>();
const say = (line: string): void => {
  console.log(line);
};

const outDir = await mkdtemp(join(tmpdir(), "n8n-package-"));
const tenant = await startTenant({ dataset: { environments: 2, findingTypes: 3, findingsPerPair: 20 } });
const [artefact] = await buildPackages({ rootDir, outDir, targets: [n8n] });
assert(artefact !== undefined);
const host = await N8nHost.start(await installN8n(resolve(cache), say), artefact.path);
try {
  const type = "attackPathAnalysisApi";
  const data = { server: tenant.url, tokenId: tenant.tokenId, tokenKey: tenant.tokenKey };
  const test = (values: object) =>
    host.call("POST", "/rest/credentials/test", { credentials: { id: "", name: "Tenant", type, data: values } });
  assert.match(JSON.stringify(await test(data)), /"OK".*can see 2 environments/);
  say("The test of the credential passes.");
  assert.match(JSON.stringify(await test({ ...data, tokenKey: "wrong" })), /"Error".*Check Token Key first/);
  say("It fails with a wrong key, and says what to check.");

  const { id } = (await host.call("POST", "/rest/credentials", { name: "Tenant", type, data })) as { id: string };
  const workflow = await readFile(join(rootDir, "src/packaging/n8n/workflows/poll-into-table.json"), "utf8");
  const withCredential = (text: string) => {
    const { nodes, ...rest } = JSON.parse(text) as { nodes: { type: string }[] };
    const credentials = { [type]: { id, name: "Tenant" } };
    return {
      ...rest,
      nodes: nodes.map((node) => (node.type.includes("attackPath") ? { ...node, credentials } : node)),
    };
  };
  for (const hasNew of [true, false]) {
    const { status, data: text } = await host.execute(withCredential(workflow), "Every 10 Minutes");
    assert.equal(status, "success", text.slice(0, 2_000));
    assert.equal(/"Store Alert":"\d+"/.test(text), hasNew);
    assert.match(text, /"Store Checkpoint":"\d+"/);
    assert.equal(text.includes(tenant.tokenKey), false, "the token key is in the data of the execution");
    say(hasNew ? "The example workflow stores alerts and a checkpoint." : "Started again, it finds nothing new.");
  }
  say("Done.");
} finally {
  await host.stop();
  await tenant.close();
  await rm(outDir, { recursive: true });
}
