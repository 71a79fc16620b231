/** The local host as a command that the conformance check can start: installs the plugin that it is given, and runs it once. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { lockFolder, openHost } from "../../../sandbox/soar/index.ts";
import type { Manifest } from "../../../src/manifest/manifest.ts";
import { withChecksums } from "../../../src/packaging/files.ts";
import { zip } from "../../../src/packaging/zip.ts";
import type { JsonObject } from "../../../src/runtime/protocol.ts";
import { withShortSchemas } from "../../support/light-package.ts";
import { rootDir } from "../../support/package.ts";

interface Order {
  kind: "action" | "connector";
  name: string;
  instance?: JsonObject;
  parameters: JsonObject;
}

const [plugin = "", data = ""] = process.argv.slice(2);
const order = JSON.parse(await text(process.stdin)) as Order;

const unlock = lockFolder(data);
const host = openHost({ data });
// A check starts the host several times with one data folder and one plugin.
const id = host.store.packages()[0]?.id ?? (await host.install(await packageOf(plugin))).id;
const { status } = await run(order);
console.log(JSON.stringify({ status, alerts: host.alerts.alerts().map((alert) => alert.id) }));
await host.close();
unlock();

function run({ kind, name, instance = {}, parameters }: Order) {
  if (kind === "action") return host.runAction(host.configureInstance(id, "check", instance).id, name, parameters);
  return host.runConnector(host.configureConnector(id, name, parameters).id);
}

/** The manifest with short schemas of results, what it names, and the plugin that is to be run. */
async function packageOf(program: string): Promise<string> {
  const text = withShortSchemas(await readFile(join(rootDir, "integration.json"), "utf8"));
  const manifest = JSON.parse(text) as Manifest;
  const paths = [...manifest.mappings, ...manifest.groupingRules, ...manifest.playbooks];
  const files = await Promise.all(paths.map(async (path) => ({ path, content: await readFile(join(rootDir, path)) })));
  const own = [
    { path: "integration.json", content: text },
    { path: "plugin.mjs", content: await readFile(program) },
  ];
  const archive = join(data, "package.zip");
  await writeFile(archive, await zip(withChecksums([...files, ...own])));
  return archive;
}
