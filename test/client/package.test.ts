import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { beforeAll, describe, expect, it } from "@jest/globals";
import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { isBuiltin } from "node:module";
import { join, posix } from "node:path";
import { promisify } from "node:util";
import { publint } from "publint";
import { type NpmPackage, packNpmPackage } from "../support/npm-package.ts";
import { rootDir } from "../support/package.ts";

const run = promisify(execFile);

describe("the npm package", () => {
  let built: NpmPackage;
  beforeAll(async () => {
    built = await packNpmPackage();
  });

  it("holds the library, its types, the command line and their guides, and no sources", () => {
    const isType = (path: string): boolean => /^dist\/npm\/types\/.*\.d\.ts$/.test(path);
    const types = built.paths.filter(isType);
    const isLoaded = (path: string): boolean => /^dist\/npm\/cli\/[\w-]+\.mjs$/.test(path);
    const others = built.paths.filter((path) => !isType(path) && !isLoaded(path) && !path.startsWith("docs/"));
    expect(built.paths.filter(isLoaded)).toContainEqual(expect.stringMatching(/\/findings-\w+\.mjs$/));
    expect(types).toContain("dist/npm/types/client/index.d.ts");
    expect(others.sort()).toEqual([
      "CHANGELOG.md",
      "LICENSE",
      "README.md",
      "SECURITY.md",
      "dist/npm/THIRD-PARTY-LICENSES.txt",
      "dist/npm/cli.mjs",
      "dist/npm/index.mjs",
      "dist/npm/sbom.cdx.json",
      "package.json",
    ]);
  });

  it("holds the pages and pictures that its README and its guides link to", async () => {
    const guides = ["README.md", "docs/client.md", "docs/command-line.md", "docs/poll-and-doctor.md"];
    const targets = await Promise.all(
      guides.map(async (guide) => {
        const text = await readFile(join(built.project, "node_modules/attack-path-analysis", guide), "utf8");
        const links = [...text.matchAll(/\]\(([^)#:]+)[^)]*\)/g)].map(([, link = ""]) => link);
        return links.map((link) => posix.join(posix.dirname(guide), link));
      }),
    );
    const missing = targets.flat().filter((path) => path.startsWith("docs/") && !built.paths.includes(path));
    expect(missing).toEqual([]);
  });

  it("lets a host import the schema of the host contract", async () => {
    const script = `import contract from "attack-path-analysis/docs/host-contract.schema.json" with { type: "json" };
      console.log(Object.keys(contract.$defs).join());`;
    await writeFile(join(built.project, "contract.mjs"), script);
    const { stdout } = await run(process.execPath, ["--no-warnings", "contract.mjs"], { cwd: built.project });
    expect(stdout.trim().split(",")).toEqual(expect.arrayContaining(["Request", "Message"]));
  });

  it("holds no scripts, about which npm would warn whoever installs it", async () => {
    const file = join(built.project, "node_modules/attack-path-analysis/package.json");
    const published = JSON.parse(await readFile(file, "utf8")) as Record<string, unknown>;
    expect(published).toMatchObject({
      name: "attack-path-analysis",
      bin: expect.any(Object),
      dependencies: expect.any(Object),
    });
    expect(["scripts", "devDependencies", "workspaces"].filter((field) => field in published)).toEqual([]);
  });

  it("names the packages that the library imports, and no others", async () => {
    const installed = join(built.project, "node_modules/attack-path-analysis");
    const code = await readFile(join(installed, "dist/npm/index.mjs"), "utf8");
    const imported = [...code.matchAll(/(?:^|;)import\b[\w\s{},*$]*"([^"]+)"/gm)].map(([, name = ""]) => name);
    const { dependencies } = JSON.parse(await readFile(join(installed, "package.json"), "utf8")) as {
      dependencies: Record<string, string>;
    };
    expect([...new Set(imported.filter((name) => !isBuiltin(name)))].sort()).toEqual(Object.keys(dependencies).sort());
  });

  it("satisfies publint", async () => {
    const tarball = built.tarball.slice().buffer;
    expect((await publint({ pack: { tarball }, strict: true })).messages).toEqual([]);
  });

  it("has types that fit the code wherever modules are resolved, except by CommonJS", async () => {
    const analysis = await checkPackage(createPackageFromTarballData(built.tarball));
    const problems = "problems" in analysis ? analysis.problems : [{ kind: "no types" }];
    // The library is an ES module, which CommonJS imports dynamically. `node10` does not know the field `exports`.
    expect(problems.filter(({ kind }) => kind !== "CJSResolvesToESM")).toEqual([]);
  });

  it("has types that compile without other packages, and without the browser's types with those of Node.js", async () => {
    const program = join(built.project, "typed.ts");
    await writeFile(
      program,
      'import { AttackPathClient } from "attack-path-analysis";\nexport type Client = AttackPathClient;\n',
    );
    const options = ["--noEmit", "--strict", "--target", "es2022", "--module", "nodenext", "--ignoreConfig"];
    const compile = async (...more: string[]): Promise<string> => {
      const tsc = join(rootDir, "node_modules/typescript-7/bin/tsc");
      const compiled = await run(process.execPath, [tsc, ...options, ...more, program], { cwd: built.project }).catch(
        (error: unknown) => error as { stdout: string },
      );
      return compiled.stdout;
    };
    const node = ["--types", "node", "--typeRoots", join(rootDir, "node_modules/@types")];
    expect(await compile("--types", "")).toBe("");
    expect(await compile("--lib", "es2022", "--types", "")).toContain("Cannot find name 'AbortSignal'");
    expect(await compile("--lib", "es2022", ...node)).toBe("");
  });

  it("is imported by its name, without side effects", async () => {
    const script =
      'import * as library from "attack-path-analysis"; console.log(JSON.stringify(Object.keys(library)));';
    await writeFile(join(built.project, "import.mjs"), script);
    const { stdout, stderr } = await run(process.execPath, ["import.mjs"], { cwd: built.project });
    expect(stderr).toBe("");
    expect(JSON.parse(stdout)).toEqual(expect.arrayContaining(["AttackPathClient", "ServiceError"]));
  });

  it("has a command line that starts", async () => {
    const program = join(built.project, "node_modules/attack-path-analysis/dist/npm/cli.mjs");
    const { stdout } = await run(program, ["--help"]);
    expect(stdout).toMatch(/^Usage: attack-path-analysis/);
  });
});
