import { beforeAll, describe, expect, it } from "@jest/globals";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Tenant } from "../../sandbox/tenant/index.ts";
import { commands } from "../../src/cli/main.ts";
import { builtNpmFolder, rootDir } from "../support/package.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { startTenant } from "../support/tenant.ts";

const run = promisify(execFile);
const guide = readFileSync(join(rootDir, "docs/command-line.md"), "utf8");
const readme = readFileSync(join(rootDir, "README.md"), "utf8");
const examples = [...`${guide}\n${readme}`.matchAll(/^npx attack-path-analysis .*$/gm)].map(([line]) => line);

describe("the examples of docs/command-line.md and the README", () => {
  let tenant: Tenant;
  let home: string;
  let program: string;
  beforeAll(async () => {
    tenant = await startTenant({ jwts: [{ token: "a.bearer.token" }] });
    home = temporaryFolder();
    program = join(await builtNpmFolder(), "cli.mjs");
    const folder = join(home, ".config/attack-path-analysis");
    await mkdir(folder, { recursive: true });
    const profile = { server: tenant.url, tokenId: tenant.tokenId, tokenKey: tenant.tokenKey };
    await writeFile(join(folder, "profile.json"), JSON.stringify(profile));
    await chmod(join(folder, "profile.json"), 0o600);
    await writeFile(join(home, "bearer-token"), "a.bearer.token");
    await writeFile(join(home, "token-key"), tenant.tokenKey);
  });

  it.each(examples)("run: %s", async (line) => {
    const own = line
      .replace("npx attack-path-analysis", `"${process.execPath}" "${program}"`)
      .replace("https://tenant.example.com", tenant.url)
      .replace("00000000-0000-4000-8000-000000000000", `${tenant.tokenId} < token-key`);
    const options = { cwd: home, env: { PATH: process.env["PATH"], HOME: home } };
    const { stderr } = await run("bash", ["-c", `set -o pipefail; ${own}`], options);
    expect(stderr).not.toContain("Error:");
  });

  it("show every command", () => {
    const shown = new Set(examples.map((line) => line.split(" ")[2]));
    expect(commands.map(({ name }) => name).filter((name) => !shown.has(name))).toEqual([]);
  });
});
