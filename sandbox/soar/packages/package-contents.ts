import { basename } from "node:path";
import type { PackageContents, PackageInspection } from "../../console/contract/index.ts";
import type { Manifest } from "../../../src/manifest/manifest.ts";
import { isObject } from "../../../src/json.ts";

/** What people want to know of a package besides its manifest. */
export interface PackageFacts {
  contents: PackageContents;
  releaseNotes: string;
  licences: PackageInspection["licences"];
}

/** @param read the text of a file of the package; null when it has none of this path */
export async function packageFacts(
  manifest: Manifest,
  paths: readonly string[],
  read: (path: string) => Promise<string | null>,
): Promise<PackageFacts> {
  const named = (files: readonly string[]) =>
    Promise.all(files.map(async (path) => nameIn(await read(path)) ?? baseOf(path)));
  return {
    contents: {
      connectors: manifest.connectors.map(({ name }) => name),
      jobs: manifest.jobs.map(({ name }) => name),
      actions: manifest.actions.map(({ name }) => name),
      mappings: await named(manifest.mappings),
      groupingRules: await named(manifest.groupingRules),
      playbooks: await named(manifest.playbooks),
      widgets: paths.filter((path) => /^widgets\/[^/]+\.html$/.test(path)).map(baseOf),
    },
    releaseNotes: newestRelease((await read("CHANGELOG.md")) ?? ""),
    licences: licencesIn((await read("sbom.cdx.json")) ?? "{}"),
  };
}

function nameIn(text: string | null): string | null {
  const value = parsed(text ?? "");
  return isObject(value) && typeof value["name"] === "string" ? value["name"] : null;
}

function baseOf(path: string): string {
  return basename(path).replace(/\.[a-z]+$/, "");
}

/** The first section below the title of a changelog that has anything in it. Source: keepachangelog.com. */
function newestRelease(changelog: string): string {
  const sections = changelog.split(/^(?=## )/m).slice(1);
  return (sections.find((section) => section.split("\n").slice(1).join("").trim() !== "") ?? "").trim();
}

interface SbomComponent {
  group?: unknown;
  name?: unknown;
  version?: unknown;
  licenses?: { license?: { id?: unknown; name?: unknown }; expression?: unknown }[];
}

/** The package itself and what it bundles. Source: CycloneDX 1.5. */
function licencesIn(sbom: string): PackageInspection["licences"] {
  const value = parsed(sbom);
  const { metadata, components } = (isObject(value) ? value : {}) as {
    metadata?: { component?: SbomComponent };
    components?: SbomComponent[];
  };
  const all = [...(metadata?.component ? [metadata.component] : []), ...(Array.isArray(components) ? components : [])];
  return all.map(({ group, name, version, licenses = [] }) => ({
    name: [group, name].filter((part) => typeof part === "string").join("/"),
    version: typeof version === "string" ? version : "",
    licence: licenses
      .map(({ license, expression }) => license?.id ?? license?.name ?? expression)
      .filter((part) => typeof part === "string")
      .join(", "),
  }));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
