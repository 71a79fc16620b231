import type { Manifest } from "../manifest/manifest.ts";
import { kebabCase } from "../manifest/rules.ts";
import type { BundledPackages } from "./packages.ts";

/** Bill of materials of plugin.mjs in CycloneDX 1.5 JSON; it says nothing of time or place, so that it is reproducible. */
export function billOfMaterials(manifest: Manifest, { packages, direct }: BundledPackages): string {
  const root = `${kebabCase(manifest.identifier)}@${manifest.version}`;
  const refs = new Map(packages.map(({ folder, purl }) => [folder, purl]));
  const toRefs = (folders: readonly string[]) =>
    [...new Set(folders.flatMap((folder) => refs.get(folder) ?? []))].sort();
  const unique = [...new Map(packages.map((item) => [item.purl, item])).values()];
  const bom = {
    bomFormat: "CycloneDX",
    specVersion: "1.5",
    version: 1,
    metadata: {
      component: {
        type: "application",
        "bom-ref": root,
        name: kebabCase(manifest.identifier),
        version: manifest.version,
        description: manifest.description,
        licenses: [{ license: { id: "Apache-2.0" } }],
      },
    },
    components: unique.map(({ name, version, licence, purl, sha512 }) => ({
      type: "library",
      "bom-ref": purl,
      ...nameParts(name),
      version,
      scope: "required",
      hashes: [{ alg: "SHA-512", content: sha512 }],
      licenses: [licence.includes(" ") ? { expression: licence } : { license: { id: licence } }],
      purl,
    })),
    dependencies: [
      { ref: root, dependsOn: toRefs(direct) },
      ...unique.map(({ purl }) => ({
        ref: purl,
        dependsOn: toRefs(packages.filter((item) => item.purl === purl).flatMap(({ imports }) => imports)),
      })),
    ],
  };
  return `${JSON.stringify(bom, null, 2)}\n`;
}

function nameParts(name: string): { group?: string; name: string } {
  const [group, rest] = name.split("/");
  return group !== undefined && rest !== undefined ? { group, name: rest } : { name };
}
