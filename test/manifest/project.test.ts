import { cp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "@jest/globals";
import { readProject, readSourceProject } from "../../src/manifest/project.ts";
import { rootDir } from "../support/package.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

describe("the plugin's JSON files", () => {
  let folder: string;
  beforeEach(async () => {
    folder = temporaryFolder();
    const copied = [
      "actions",
      "connectors",
      "grouping-rules",
      "integration.json",
      "jobs",
      "mappings",
      "package.json",
      "playbooks",
    ];
    for (const name of copied) {
      await cp(join(rootDir, name), join(folder, name), { recursive: true });
    }
  });

  async function change(file: string, from: string, to: string): Promise<void> {
    const text = await readFile(join(folder, file), "utf8");
    expect(text).toContain(from);
    await writeFile(join(folder, file), text.replace(from, to));
  }

  it("are read together", async () => {
    const { manifest, mappings, groupingRules } = await readSourceProject(folder);
    expect([...mappings.keys()]).toEqual(manifest.mappings);
    expect([...groupingRules.keys()]).toEqual(manifest.groupingRules);
  });

  it("are refused when the version is not package.json's", async () => {
    await change("package.json", '"version": "', '"version": "9.');
    await expect(readSourceProject(folder)).rejects.toThrow(/\/version: expected 9\..*, as in package\.json, found/);
  });

  it("are refused when a file that the manifest lists is missing", async () => {
    await rm(join(folder, "mappings/attack-path-findings.json"));
    await expect(readProject(folder)).rejects.toThrow(
      "integration.json is not valid:\n  /mappings/0: expected the file mappings/attack-path-findings.json, found none",
    );
  });

  it.each([
    ["/actions/0/entry", "actions/ping.ts"],
    ["/connectors/0/entry", "connectors/attack-path-findings.ts"],
    ["/playbooks/0", "playbooks/attack-path-triage.json"],
  ])("are refused as a source tree when the file at %s is missing", async (path, file) => {
    await rm(join(folder, file));
    await expect(readSourceProject(folder)).rejects.toThrow(`${path}: expected the file ${file}, found none`);
  });

  it("are refused when a mapping is for another source", async () => {
    await change("mappings/attack-path-findings.json", '"source": "attack_path_analysis"', '"source": "another"');
    await expect(readProject(folder)).rejects.toThrow(
      "mappings/attack-path-findings.json is not valid:\n  /source: expected attack_path_analysis, as in integration.json, found another",
    );
  });

  it("are refused when alerts are grouped by an entity that no mapping makes", async () => {
    await change("grouping-rules/source-domain.json", '"SourceDomain"', '"FileHash"');
    await expect(readProject(folder)).rejects.toThrow(
      "/groupingEntities/0: expected an entity that a mapping makes, found FileHash",
    );
  });
});
