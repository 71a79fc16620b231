import { describe, expect, it } from "@jest/globals";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isFree } from "../../src/packaging/licences.ts";
import { rootDir } from "../support/package.ts";

interface Locked {
  version?: string;
  integrity?: string;
  license?: string;
  dev?: boolean;
  hasInstallScript?: boolean;
}

const read = (file: string): unknown => JSON.parse(readFileSync(join(rootDir, file), "utf8"));
const { dependencies, devDependencies } = read("package.json") as Record<string, Record<string, string>>;
const locked = ["package-lock.json", "src/packaging/google-secops/node/package-lock.json"]
  .map((file) => read(file) as { packages: Record<string, Locked> })
  .flatMap(({ packages }) => Object.entries(packages).filter(([path]) => path !== ""));
/** Those that a package of ours may hold. */
const shipped = locked.filter(([, { dev }]) => dev !== true);

function paths(entries: [string, Locked][], wrong: (entry: Locked) => boolean): string[] {
  return entries.filter(([, entry]) => wrong(entry)).map(([path]) => path);
}

describe("dependencies", () => {
  it("are named with one exact version each", () => {
    const versions = Object.entries({ ...dependencies, ...devDependencies });
    expect(versions.filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
  });

  it("are locked by the digest of their content, those of dependencies too", () => {
    expect(locked.length).toBeGreaterThan(100);
    expect(paths(locked, ({ integrity = "" }) => !integrity.startsWith("sha512-"))).toEqual([]);
  });

  it("run no script of theirs when they are installed, as far as they are shipped", () => {
    expect(shipped.length).toBeGreaterThan(5);
    expect(paths(shipped, ({ hasInstallScript }) => hasInstallScript === true)).toEqual([]);
  });

  it("have free licences, as far as they are shipped", () => {
    expect(paths(shipped, ({ license = "" }) => !isFree(license))).toEqual([]);
  });
});
