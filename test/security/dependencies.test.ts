import { describe, expect, it } from "@jest/globals";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { bundledPackages } from "../../src/packaging/bundled-packages.ts";
import { bundleCommandLine, bundlePlugin } from "../../src/packaging/bundle.ts";
import { readSourceProject } from "../../src/manifest/project.ts";
import { isFree } from "../../src/packaging/licences.ts";
import { rootDir } from "../support/package.ts";

interface Locked {
  version?: string;
  integrity?: string;
  license?: string;
  dev?: boolean;
  hasInstallScript?: boolean;
  /** A part of this project. */
  link?: boolean;
}

const read = (file: string): unknown => JSON.parse(readFileSync(join(rootDir, file), "utf8"));
const named = ["package.json", "sandbox/package.json"]
  .map((file) => read(file) as Record<string, Record<string, string>>)
  .flatMap(({ dependencies, devDependencies }) => Object.entries({ ...dependencies, ...devDependencies }));
const locked = ["package-lock.json", "src/packaging/google-secops/node/package-lock.json"]
  .map((file) => read(file) as { packages: Record<string, Locked> })
  .flatMap(({ packages }) => Object.entries(packages))
  .filter(([path, { link }]) => path.includes("node_modules/") && link !== true);
const bundles = await Promise.all([
  readSourceProject(rootDir).then(({ manifest }) => bundlePlugin(rootDir, manifest)),
  bundleCommandLine(rootDir),
]);
const bundled = await Promise.all(bundles.map((bundle) => bundledPackages(rootDir, bundle)));
const folders = new Set(bundled.flatMap(({ packages }) => packages.map(({ folder }) => folder)));
/** Those that a package of ours holds, or brings along when it is installed. */
const shipped = locked.filter(([path, { dev }]) => dev !== true || folders.has(path));

function paths(entries: [string, Locked][], wrong: (entry: Locked) => boolean): string[] {
  return entries.filter(([, entry]) => wrong(entry)).map(([path]) => path);
}

describe("dependencies", () => {
  it("are named with one exact version each", () => {
    expect(named.filter(([, version]) => !/^(npm:\w+@)?\d+\.\d+\.\d+$/.test(version))).toEqual([]);
    const version = new Map(named);
    expect(named.filter((one) => version.get(one[0]) !== one[1])).toEqual([]);
  });

  it("are locked by the digest of their content, those of dependencies too", () => {
    expect(locked.length).toBeGreaterThan(100);
    expect(paths(locked, ({ integrity = "" }) => !integrity.startsWith("sha512-"))).toEqual([]);
  });

  it("run no script of theirs when they are installed, as far as they are shipped", () => {
    expect(shipped.map(([path]) => path)).toEqual(
      expect.arrayContaining(["node_modules/axios", "node_modules/winston", "node_modules/commander"]),
    );
    expect(paths(shipped, ({ hasInstallScript }) => hasInstallScript === true)).toEqual([]);
  });

  it("have free licences, as far as they are shipped", () => {
    expect(paths(shipped, ({ license = "" }) => !isFree(license))).toEqual([]);
  });
});
