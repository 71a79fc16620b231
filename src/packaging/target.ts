import type { Manifest } from "../manifest/manifest.ts";
import type { Project } from "../manifest/project.ts";
import { kebabCase } from "../manifest/rules.ts";
import type { Bundle } from "./bundle.ts";
import type { ActionWidget } from "./google-secops/widgets.ts";
import type { BundledPackages } from "./bundled-packages.ts";

/** A file inside a package. */
export interface PackageFile {
  /** Relative, with forward slashes. */
  path: string;
  content: string | Uint8Array;
  executable?: boolean;
}

/** What every target builds from: made once per build, the same for all. */
export interface BuildContext {
  rootDir: string;
  project: Project;
  bundle: Bundle;
  packages: BundledPackages;
  /** How platforms show the results of the actions. */
  widgets: readonly ActionWidget[];
  /** The declared playbooks. */
  playbooks: readonly PackageFile[];
  /** README.md, LICENSE, CHANGELOG.md, the pages in docs/, THIRD-PARTY-LICENSES.txt and sbom.cdx.json. */
  documents: readonly PackageFile[];
}

/** A file for `dist/`. */
export interface BuiltPackage {
  /** Relative to the output folder, or to the folder of the target. */
  path: string;
  content: Uint8Array;
}

/** How the plugin looks to one kind of host. */
export interface Target {
  name: string;
  /** The folder, relative to the output folder, that the built files make up. Without one, each file is a package. */
  folder?(manifest: Manifest): string;
  build(context: BuildContext): Promise<BuiltPackage[]>;
}

/** `attack-path-analysis-1.2.3-…`: the portable target goes without saying. */
export function packageName(manifest: Manifest, ...parts: readonly string[]): string {
  return [kebabCase(manifest.identifier), manifest.version, ...parts].join("-");
}
