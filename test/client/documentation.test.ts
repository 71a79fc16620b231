import { beforeAll, describe, expect, it } from "@jest/globals";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Tenant } from "../../sandbox/tenant/index.ts";
import { AttackPathClient } from "../../src/client/index.ts";
import { packNpmPackage } from "../support/npm-package.ts";
import { rootDir } from "../support/package.ts";
import { startTenant } from "../support/tenant.ts";

const run = promisify(execFile);
const guide = readFileSync(join(rootDir, "docs/client.md"), "utf8");
const [setup = "", ...examples] = [...guide.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = ""]) => code);

/** What the types must refuse. */
const WRONG = `import { AttackPathClient, type PathEdge } from "attack-path-analysis";
// @ts-expect-error A token has a key.
new AttackPathClient({ server: "", credentials: { tokenId: "" } });
// @ts-expect-error An edge has both ends.
export const edge: PathEdge = { source: "1", kind: "MemberOf" };
`;

const STRICT = [
  "--strict",
  "--noUncheckedIndexedAccess",
  "--exactOptionalPropertyTypes",
  "--noPropertyAccessFromIndexSignature",
];

/** Compiles every program of the project beside it. @returns what the compiler says */
async function compile(project: string): Promise<string> {
  await mkdir(join(project, "node_modules/@types"), { recursive: true });
  await symlink(join(rootDir, "node_modules/@types/node"), join(project, "node_modules/@types/node"), "dir");
  const programs = (await readdir(project)).filter((name) => name.endsWith(".mts"));
  const tsc = join(rootDir, "node_modules/typescript-7/bin/tsc");
  const options = [...STRICT, "--target", "es2022", "--module", "nodenext", "--types", "node"];
  try {
    return (await run(process.execPath, [tsc, ...options, ...programs], { cwd: project })).stdout;
  } catch (error) {
    return (error as { stdout: string }).stdout;
  }
}

describe("the examples of docs/client.md", () => {
  const numbers = examples.map((_, index) => index + 1);
  /** What stands before the output of each example. */
  const mark = (number: number): string => `--- example ${number} ---`;
  let stdout: string;
  let stderr: string;

  let compiled: string;

  /** One process compiles the examples and one runs them, because most of the time of each is the start of a process. */
  beforeAll(async () => {
    const tenant: Tenant = await startTenant({ analysisStatus: true });
    const { project } = await packNpmPackage();
    await writeFile(join(project, "token-key"), tenant.tokenKey);
    for (const [index, code] of examples.entries()) {
      const program = `${setup}\n${code}\nclient.close();\n`
        .replace("https://tenant.example.com", tenant.url)
        .replace("00000000-0000-4000-8000-000000000000", tenant.tokenId);
      await writeFile(join(project, `example-${index + 1}.mts`), program);
    }
    await writeFile(join(project, "wrong.mts"), WRONG);
    compiled = await compile(project);
    const all = numbers.map(
      (number) =>
        `console.log("${mark(number)}"); await import("./example-${number}.mjs").catch((error) => console.error("Example ${number}:", error));`,
    );
    await writeFile(join(project, "all.mjs"), all.join("\n"));
    ({ stdout, stderr } = await run(process.execPath, ["all.mjs"], { cwd: project }));
  });

  it("compile in a project that is as strict as TypeScript can be", () => {
    expect(compiled).toBe("");
  });

  it.each(numbers)("run: %d", (number) => {
    const [, own = ""] = stdout.split(`${mark(number)}\n`);
    const [shown = ""] = own.split(mark(number + 1));
    expect(stderr).toBe("");
    expect(shown.trim()).not.toBe("");
    expect(shown).not.toContain("undefined");
  });

  it("show every method", () => {
    const methods = Object.getOwnPropertyNames(AttackPathClient.prototype).filter((name) => name !== "constructor");
    expect(methods.length).toBeGreaterThan(15);
    expect(methods.filter((name) => !examples.join("\n").includes(`client.${name}(`))).toEqual([]);
  });
});
