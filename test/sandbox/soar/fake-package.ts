import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Alert, JsonObject } from "../../../src/runtime/protocol.ts";
import { withShortSchemas } from "../../support/light-package.ts";
import { zipOf } from "../../support/zip.ts";

export const TOKEN_KEY = "canary+key/that=nobody-may-see-0123456789";
export const FIELDS = { Server: "https://tenant.example.test", "Token ID": "id", "Token Key": TOKEN_KEY };

const root = new URL("../../../", import.meta.url);

/** The files of a small package: the real manifest with short schemas, mapping and grouping rule, and a plugin of the test's own. */
export async function packageFiles(plugin: string): Promise<Map<string, string>> {
  const paths = [
    "integration.json",
    "mappings/attack-path-findings.json",
    "grouping-rules/source-domain.json",
    "grouping-rules/source-grouping-identifier.json",
  ];
  const files = new Map<string, string>();
  for (const path of paths) files.set(path, await readFile(new URL(path, root), "utf8"));
  const manifest = JSON.parse(withShortSchemas(files.get("integration.json")!)) as JsonObject;
  files.set("integration.json", JSON.stringify({ ...manifest, playbooks: [] }));
  files.set("plugin.mjs", plugin);
  return files;
}

/** Writes an installable package whose plugin is the given program. */
export async function fakePackage(folder: string, plugin: string): Promise<string> {
  const archive = join(folder, "fake.zip");
  await writeFile(archive, zipOf(await packageFiles(plugin)));
  return archive;
}

/** A plugin that reads its request, and then does what `body` says: `request`, `send(message)`, `alert(id, more)`. */
export function plugin(body: string): string {
  return `
    import { readFileSync, writeSync } from "node:fs";
    const request = JSON.parse(readFileSync(0, "utf8"));
    const write = (text) => { const bytes = Buffer.from(text); let at = 0; while (at < bytes.length) {
      try { at += writeSync(1, bytes, at); } catch (error) { if (error.code !== "EAGAIN") throw error; } } };
    const send = (message) => write(JSON.stringify(message) + "\\n");
    const alert = ${alert.toString()};
    const result = (more = {}) => send({ type: "result", status: "completed", message: "Done.", value: true, ...more });
    ${body}
  `;
}

/** An alert as the contract wants it, with one event per finding id. */
export function alert(id: string, more: Partial<Alert> & { domain?: string; findings?: string[] } = {}): Alert {
  const { domain = "CORP.LOCAL", findings = [id], ...rest } = more;
  return {
    id,
    name: `Finding in ${domain}`,
    severity: "high",
    priority: 80,
    startTime: 1_700_000_000_000,
    endTime: 1_700_000_000_000,
    sourceGroupingIdentifier: `S-1-${domain}`,
    environmentId: `S-1-${domain}`,
    environmentName: domain,
    findingType: "T0GenericAll",
    title: "Generic All",
    description: "",
    product: "Attack Path Analysis",
    vendor: "Attack Path Analysis Service",
    tags: [],
    extensions: {},
    events: findings.map((finding) => ({
      finding_id: finding,
      source_domain: domain,
      source_user: `ALICE@${domain}`,
      target_object_id: `S-1-${domain}-512`,
      target_other_id: `S-1-${domain}-512`,
    })),
    ...rest,
  };
}
