import type { Manifest } from "../../manifest/manifest.ts";
import { sha256 } from "../files.ts";
import type { PackageFile } from "../target.ts";
import { moduleName } from "./platform.ts";

/**
 * The files with a Python module that holds one hash over all of them.
 *
 * What a platform exports of an installed package is known to hold definitions, scripts, managers and the names of
 * dependencies (GitSync of chronicle/content-hub reads these), not widgets, mapping rules, visual families or the inside
 * of a wheel. A manager comes back as it was imported, so this one tells a deployment whether those are the same too.
 */
export function withContentHash(manifest: Manifest, files: readonly PackageFile[]): PackageFile[] {
  const lines = files.map(({ path, content }) => `${sha256(content)} ${path}\n`).sort();
  const text = [
    '"""What the other files of this package add up to. The deploy command reads it back."""',
    "",
    `CONTENT_SHA256 = "${sha256(lines.join(""))}"`,
    "",
  ].join("\n");
  return [...files, { path: `Managers/${moduleName(manifest, "content_hash")}.py`, content: text }];
}

/** Whether a path in a package is the one of the module above. */
export function isContentHash(path: string): boolean {
  return /^Managers\/\w+ContentHash\.py$/.test(path);
}
