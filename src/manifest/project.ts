import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { loadGroupingRule, loadManifest, loadMapping } from "./load.ts";
import type { GroupingRule, Manifest, Mapping } from "./manifest.ts";
import { ManifestError, type Problem } from "./problems.ts";

/** The plugin as its JSON files declare it; mappings and grouping rules by path. */
export interface Project {
  manifest: Manifest;
  mappings: ReadonlyMap<string, Mapping>;
  groupingRules: ReadonlyMap<string, GroupingRule>;
}

/**
 * Reads integration.json and every mapping and grouping rule it refers to, from a source tree or an unpacked package.
 * @throws ManifestError for a file that is not valid or does not agree with the manifest.
 */
export async function readProject(rootDir: string): Promise<Project> {
  const manifest = loadManifest(await readFile(join(rootDir, "integration.json"), "utf8"));
  const mappings = new Map<string, Mapping>();
  for (const [index, file] of manifest.mappings.entries()) {
    mappings.set(file, loadMapping(await readListed(rootDir, file, `/mappings/${index}`), file));
  }
  const groupingRules = new Map<string, GroupingRule>();
  for (const [index, file] of manifest.groupingRules.entries()) {
    groupingRules.set(file, loadGroupingRule(await readListed(rootDir, file, `/groupingRules/${index}`), file));
  }
  for (const [file, mapping] of mappings) refuse(file, mappingAgreement(manifest, mapping));
  for (const [file, rule] of groupingRules) refuse(file, groupingAgreement(manifest, rule, [...mappings.values()]));
  return { manifest, mappings, groupingRules };
}

/**
 * Also checks what only a source tree has: the entry points, the playbooks, and the version in package.json.
 * @throws ManifestError like readProject
 */
export async function readSourceProject(rootDir: string): Promise<Project> {
  const project = await readProject(rootDir);
  const { playbooks } = project.manifest;
  for (const folder of ["actions", "connectors", "jobs"] as const)
    for (const [index, { entry }] of project.manifest[folder].entries())
      await readListed(rootDir, entry, `/${folder}/${index}/entry`);
  for (const [index, file] of playbooks.entries()) await readListed(rootDir, file, `/playbooks/${index}`);
  const { version } = JSON.parse(await readFile(join(rootDir, "package.json"), "utf8")) as { version: string };
  const found = project.manifest.version;
  if (found !== version) {
    throw new ManifestError("integration.json", [
      { path: "/version", expected: `${version}, as in package.json`, found },
    ]);
  }
  return project;
}

async function readListed(rootDir: string, file: string, path: string): Promise<string> {
  try {
    return await readFile(join(rootDir, file), "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const found = code === "ENOENT" ? "none" : String(code ?? error);
    throw new ManifestError("integration.json", [{ path, expected: `the file ${file}`, found }]);
  }
}

function mappingAgreement(manifest: Manifest, mapping: Mapping): Problem[] {
  return [
    ...same("/source", manifest.identifier, mapping.source),
    ...same("/product", manifest.product, mapping.product),
  ];
}

/** A rule that groups by an entity which no mapping makes would never group anything. */
function groupingAgreement(manifest: Manifest, rule: GroupingRule, mappings: readonly Mapping[]): Problem[] {
  const entities = new Set(mappings.flatMap(({ rules }) => rules.map(({ target }) => target)));
  const unmapped = (rule.groupingEntities ?? []).flatMap((entity, index): Problem[] =>
    entities.has(entity)
      ? []
      : [{ path: `/groupingEntities/${index}`, expected: "an entity that a mapping makes", found: entity }],
  );
  const sources = rule.category === "data-source" ? (rule.categoryDetails ?? []) : [];
  return [
    ...unmapped,
    ...sources.flatMap((source, index) => same(`/categoryDetails/${index}`, manifest.identifier, source)),
  ];
}

function same(path: string, expected: string, found: string): Problem[] {
  return expected === found ? [] : [{ path, expected: `${expected}, as in integration.json`, found }];
}

function refuse(file: string, problems: readonly Problem[]): void {
  if (problems.length > 0) throw new ManifestError(file, problems);
}
