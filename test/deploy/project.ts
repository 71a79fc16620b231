import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { loadGroupingRule, loadManifest } from "../../src/manifest/load.ts";
import { type Artefacts, playbooksIn } from "../../src/deploy/artefacts.ts";
import { platformJson } from "../../src/packaging/google-secops/platform.ts";
import { playbookZip } from "../../src/packaging/google-secops/playbook.ts";
import { zip } from "../../src/packaging/zip.ts";
import { rootDir } from "../support/package.ts";

export const playbookFile = "playbooks/attack-path-triage.json";

export const read = (path: string): Promise<string> => readFile(resolve(rootDir, path), "utf8");

export const manifest = loadManifest(await read("integration.json"));
export const groupingRule = loadGroupingRule(await read("grouping-rules/source-domain.json"));

/** A package with nothing but what a deployment reads. */
export function integrationZip(version: number, identifier = manifest.identifier): Promise<Buffer> {
  const definition = { Identifier: identifier, Version: version, IsCustom: true };
  return zip([{ path: `Integration-${identifier}.def`, content: platformJson(definition) }]);
}

export async function artefacts(version = 1): Promise<Artefacts> {
  const built = await playbookZip(manifest, [{ path: playbookFile, content: await read(playbookFile) }]);
  const playbooks = Buffer.from(built!.content);
  return {
    integration: {
      zip: await integrationZip(version),
      file: "package.zip",
      identifier: manifest.identifier,
      version,
      isCustom: true,
    },
    groupingRules: [groupingRule],
    playbooks: {
      zip: playbooks,
      fileName: "playbooks.zip",
      playbooks: await playbooksIn(playbooks, "playbooks.zip"),
    },
  };
}
