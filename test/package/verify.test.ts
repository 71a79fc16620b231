import { describe, expect, it } from "@jest/globals";
import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { zip } from "../../src/packaging/zip.ts";
import { builtPackage, rootDir } from "../support/package.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { readZip } from "../support/unzip.ts";

describe("npm run verify", () => {
  const verify = (...zips: string[]) =>
    new Promise<{ code: unknown; out: string; error: string }>((done) => {
      const args = ["--import", "tsx", "scripts/verify.ts", ...zips];
      execFile(process.execPath, args, { cwd: rootDir }, (failure, out, error) => {
        done({ code: failure?.code ?? 0, out, error });
      });
    });

  it("finds a package identical that these sources built, and names the file that somebody changed in another", async () => {
    const { zip: built } = await builtPackage();
    const entries = await readZip(await readFile(built));
    const changed = entries.map(({ path, content }) => ({
      path,
      content: path === "plugin.mjs" ? Buffer.concat([content, Buffer.from("// more\n")]) : content,
    }));
    const folder = join(temporaryFolder(), "changed");
    await mkdir(folder);
    const other = join(folder, basename(built));
    await writeFile(other, await zip(changed));
    const { code, out, error } = await verify(built, other);
    expect({ code, error }).toEqual({ code: 1, error: "" });
    const lines = out.trimEnd().split("\n");
    expect(lines[0]).toMatch(/\.zip: identical \(SHA-256 [0-9a-f]{64}\)$/);
    expect(lines[1]).toMatch(/\.zip: different \(SHA-256 [0-9a-f]{64}\)$/);
    expect(lines.slice(2)).toEqual([
      expect.stringMatching(/^ {2}plugin\.mjs: it differs \(\d+ bytes in the package, \d+ in the new build\)\.$/),
    ]);
  });

  it("ends with 2 when a package cannot be read", async () => {
    const { code, error } = await verify("/nowhere/package.zip");
    expect({ code, error }).toEqual({ code: 2, error: "/nowhere/package.zip cannot be read (ENOENT).\n" });
  });
});
