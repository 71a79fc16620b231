import type { Manifest } from "../../manifest/manifest.ts";
import { sha256 } from "../files.ts";
import type { PackageFile } from "../target.ts";
import { moduleName } from "./platform.ts";

/** One hash over files, whatever their order. It tells builds of the same version apart. */
export function contentHash(files: readonly PackageFile[]): string {
  return sha256(
    files
      .map(({ path, content }) => `${sha256(content)} ${path}\n`)
      .sort()
      .join(""),
  );
}

/**
 * The Python module that holds the hash over all other files of the package.
 *
 * What a platform exports of an installed package is known to hold definitions, scripts, managers and the names of
 * dependencies (GitSync of chronicle/content-hub reads these), not widgets, mapping rules, visual families or the inside
 * of a wheel. A manager comes back as it was imported, so this one tells a deployment whether those are the same too. The
 * launcher finds the plugin of its own build by it.
 */
export function contentHashModule(manifest: Manifest, hash: string): PackageFile {
  const text = [
    '"""What the other files of this package add up to. The launcher finds the plugin by it, and deployments read it back."""',
    "",
    `CONTENT_SHA256 = "${hash}"`,
    "",
  ].join("\n");
  return { path: `Managers/${moduleName(manifest, "content_hash")}.py`, content: text };
}

/** Whether a path in a package is the one of the module above. */
export function isContentHash(path: string): boolean {
  return /^Managers\/\w+ContentHash\.py$/.test(path);
}
