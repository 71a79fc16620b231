import { beforeAll, describe, expect, it } from "@jest/globals";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Tenant } from "../../sandbox/tenant/index.ts";
import { AttackPathClient } from "../../src/client/index.ts";
import { packNpmPackage } from "../support/npm-package.ts";
import { rootDir } from "../support/package.ts";
import { startTenant } from "../support/tenant.ts";

const run = promisify(execFile);
const guide = readFileSync(join(rootDir, "docs/client.md"), "utf8");
const [setup = "", ...examples] = [...guide.matchAll(/^```js\n(.*?)^```$/gms)].map(([, code = ""]) => code);

describe("the examples of docs/client.md", () => {
  let tenant: Tenant;
  let project: string;
  beforeAll(async () => {
    tenant = await startTenant({ analysisStatus: true });
    project = (await packNpmPackage()).project;
    await writeFile(join(project, "token-key"), tenant.tokenKey);
  });

  it.each(examples.map((code, index) => [index + 1, code] as const))("run: %d", async (index, code) => {
    const program = `${setup}\n${code}\nclient.close();\n`
      .replace("https://tenant.example.com", tenant.url)
      .replace("00000000-0000-4000-8000-000000000000", tenant.tokenId);
    await writeFile(join(project, `example-${index}.mjs`), program);
    const { stdout, stderr } = await run(process.execPath, [`example-${index}.mjs`], { cwd: project });
    expect(stderr).toBe("");
    expect(stdout.trim()).not.toBe("");
    expect(stdout).not.toContain("undefined");
  });

  it("show every method", () => {
    const methods = Object.getOwnPropertyNames(AttackPathClient.prototype).filter((name) => name !== "constructor");
    expect(methods.length).toBeGreaterThan(15);
    expect(methods.filter((name) => !examples.join("\n").includes(`client.${name}(`))).toEqual([]);
  });
});
