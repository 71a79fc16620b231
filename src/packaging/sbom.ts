import type { Manifest } from "../manifest/manifest.ts";
import { kebabCase } from "../manifest/rules.ts";
import type { BundledPackages } from "./bundled-packages.ts";

/** A component as CycloneDX 1.5 writes it. */
export interface SbomComponent {
  "bom-ref": string;
  [key: string]: unknown;
}

/** Bill of materials of a bundle in CycloneDX 1.5 JSON. */
export function billOfMaterials(manifest: Manifest, { packages, direct }: BundledPackages): string {
  const root = `${kebabCase(manifest.identifier)}@${manifest.version}`;
  const refs = new Map(packages.map(({ folder, purl }) => [folder, purl]));
  const toRefs = (folders: readonly string[]) =>
    [...new Set(folders.flatMap((folder) => refs.get(folder) ?? []))].sort();
  const unique = [...new Map(packages.map((item) => [item.purl, item])).values()];
  return cycloneDx(
    {
      type: "application",
      "bom-ref": root,
      name: kebabCase(manifest.identifier),
      version: manifest.version,
      description: manifest.description,
      licenses: [{ license: { id: "Apache-2.0" } }],
    },
    unique.map(({ name, version, licence, purl, sha512 }) => ({
      type: "library",
      "bom-ref": purl,
      ...nameParts(name),
      version,
      scope: "required",
      hashes: [{ alg: "SHA-512", content: sha512 }],
      licenses: [licence.includes(" ") ? { expression: licence } : { license: { id: licence } }],
      purl,
    })),
    new Map([
      [root, toRefs(direct)],
      ...unique.map(({ purl }): [string, string[]] => [
        purl,
        toRefs(packages.filter((item) => item.purl === purl).flatMap(({ imports }) => imports)),
      ]),
    ]),
  );
}

/**
 * CycloneDX 1.5 JSON without the time and the place of the build, so that it is reproducible.
 *
 * @param component - what the bill is of
 * @param dependencies - references of what each component needs
 */
export function cycloneDx(
  component: SbomComponent,
  components: readonly SbomComponent[],
  dependencies: ReadonlyMap<string, readonly string[]>,
): string {
  const bom = {
    bomFormat: "CycloneDX",
    specVersion: "1.5",
    version: 1,
    metadata: { component },
    components,
    dependencies: [...dependencies].map(([ref, dependsOn]) => ({ ref, dependsOn })),
  };
  return `${JSON.stringify(bom, null, 2)}\n`;
}

function nameParts(name: string): { group?: string; name: string } {
  const [group, rest] = name.split("/");
  return group !== undefined && rest !== undefined ? { group, name: rest } : { name };
}
