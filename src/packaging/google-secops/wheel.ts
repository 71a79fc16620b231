import { createHash } from "node:crypto";
import type { PackageFile } from "../target.ts";
import { zip } from "../zip.ts";

export interface WheelOptions {
  /** Name of the Python package, with _ between words. */
  name: string;
  /** As PEP 440 writes it. */
  version: string;
  summary: string;
  /** SPDX expression of what is inside. */
  license: string;
  /** Paths below the package's folder. */
  files: readonly PackageFile[];
  /** Bill of materials in CycloneDX JSON; it goes where PEP 770 puts it. */
  sbom: string | Uint8Array;
}

/**
 * A Python wheel (binary distribution format, PEP 427) whose bytes depend on its content alone. It has the tag `any`,
 * also around a program for one platform, because an installer that refuses a wheel leaves the scripts without the plugin.
 */
export async function makeWheel(options: WheelOptions): Promise<PackageFile> {
  const { name, version, summary, license } = options;
  const tag = "py3-none-any";
  const info = `${name}-${version}.dist-info`;
  const files: PackageFile[] = [
    ...options.files.map((file) => ({ ...file, path: `${name}/${file.path}` })),
    {
      path: `${info}/METADATA`,
      content: lines("Metadata-Version: 2.1", `Name: ${name.replaceAll("_", "-")}`, `Version: ${version}`).concat(
        lines(`Summary: ${summary}`, `License: ${license}`, "Requires-Python: >=3.8"),
      ),
    },
    {
      path: `${info}/WHEEL`,
      content: lines("Wheel-Version: 1.0", "Generator: attack-path-analysis", "Root-Is-Purelib: true", `Tag: ${tag}`),
    },
    { path: `${info}/sboms/sbom.cdx.json`, content: options.sbom },
  ];
  const record = `${info}/RECORD`;
  const rows = files.map(({ path, content }) => `${path},sha256=${digest(content)},${Buffer.byteLength(content)}`);
  const content = await zip([...files, { path: record, content: lines(...rows, `${record},,`) }]);
  return { path: `${name}-${version}-${tag}.whl`, content };
}

function digest(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("base64url");
}

function lines(...texts: readonly string[]): string {
  return texts.map((text) => `${text}\n`).join("");
}
