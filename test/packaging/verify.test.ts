import { describe, expect, it } from "@jest/globals";
import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { tarball } from "../../src/packaging/tarball.ts";
import { differencesOf, tarballDifferences } from "../../src/packaging/verify.ts";
import { zip } from "../../src/packaging/zip.ts";
import { builtPackage, rootDir } from "../support/package.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { readZip } from "../support/unzip.ts";

const files = (...paths: string[]) => paths.map((path) => ({ path, content: `content of ${path}` }));

describe("what differs between two packages", () => {
  it("is named file by file", async () => {
    const built = await zip([...files("a", "b", "c"), { path: "d", content: "one" }]);
    const given = await zip([...files("a", "c", "e"), { path: "d", content: "two" }]);
    expect(await differencesOf(given, built, "it")).toEqual([
      "b: it is missing in the package.",
      "d: it differs.",
      "e: it is only in the package.",
    ]);
    expect(await differencesOf(built, built, "it")).toEqual([]);
  });

  it("is named inside a wheel, too", async () => {
    const wheel = async (content: string) => zip([...files("same"), { path: "plugin.mjs", content }]);
    const packed = async (content: string) => zip([{ path: "Dependencies/x.whl", content: await wheel(content) }]);
    const [built, given] = [await packed("good"), await packed("evil")];
    expect(await differencesOf(given, built, "it")).toEqual(["Dependencies/x.whl / plugin.mjs: it differs."]);
  });

  it("is not unpacked when its size says enough", async () => {
    const built = await zip([{ path: "a", content: "x" }]);
    const given = await zip([{ path: "a", content: Buffer.alloc(50_000_000) }]);
    expect(await differencesOf(given, built, "it")).toEqual([
      "a: it differs (50000000 bytes in the package, 1 in the new build).",
    ]);
  });

  it("cannot be told of what is no zip", async () => {
    const built = await zip(files("a"));
    await expect(differencesOf(Buffer.from("no zip"), built, "it")).rejects.toThrow(/^it cannot be read as a zip \(/);
  });
});

describe("what differs between two tarballs", () => {
  it("is named file by file", async () => {
    const longest = `folder/${"deep/".repeat(25)}file`;
    const built = await tarball([...files("a", "b", longest), { path: "d", content: "one" }]);
    const given = await tarball([...files("a", longest, "e"), { path: "d", content: "two" }]);
    expect(tarballDifferences(given, built, "it")).toEqual([
      "b: it is missing in the package.",
      "d: it differs.",
      "e: it is only in the package.",
    ]);
    expect(tarballDifferences(built, built, "it")).toEqual([]);
  });

  it("is none when the same files are packed twice, in any order", async () => {
    const [one, other] = [await tarball(files("a", "b")), await tarball(files("b", "a"))];
    expect(one.equals(other)).toBe(true);
  });

  it("cannot be told of what is no tarball of files", async () => {
    const built = await tarball(files("a"));
    const cutOff = gzipSync(gunzipSync(built).subarray(0, 520));
    for (const given of [Buffer.from("no tarball"), cutOff, gzipSync(linkEntry())])
      expect(() => tarballDifferences(given, built, "it")).toThrow(/^it cannot be read as a tarball \(/);
  });
});

/** The header of a symbolic link. */
function linkEntry(): Buffer {
  const header = Buffer.alloc(1536);
  header.write("evil");
  header.write("00000000000", 124);
  header.write("2", 156);
  return header;
}

describe("npm run verify", () => {
  const verify = (...zips: string[]) =>
    new Promise<{ code: unknown; out: string; error: string }>((done) => {
      const args = [join(rootDir, "node_modules/tsx/dist/cli.mjs"), "scripts/verify.ts", ...zips];
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
