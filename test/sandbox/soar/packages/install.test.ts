import { beforeEach, describe, expect, it } from "@jest/globals";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readArchive } from "../../../../sandbox/soar/packages/archive.ts";
import { unpackPackage } from "../../../../sandbox/soar/packages/install.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";
import { rawZip, zipOf, type ZipEntry } from "../../../support/zip.ts";
import { packageFiles, plugin } from "../fake-package.ts";

const folder = temporaryFolder();

let packages: string;
let files: Map<string, string>;
let round = 0;
beforeEach(async () => {
  packages = join(folder, `packages-${(round += 1)}`);
  files = await packageFiles(plugin("result();"));
});

function install(bytes: Buffer) {
  const archive = join(folder, "package.zip");
  writeFileSync(archive, bytes);
  return unpackPackage(archive, packages);
}

describe("a package", () => {
  it("is unpacked into a folder named after identifier, version and digest", async () => {
    const installed = await install(zipOf(files));
    expect(installed.id).toMatch(/^attack_path_analysis-\d+\.\d+\.\d+-[0-9a-f]{8}$/);
    expect(installed.id.endsWith(installed.sha256.slice(0, 8))).toBe(true);
    expect(readFileSync(join(installed.folder, "plugin.mjs"), "utf8")).toBe(files.get("plugin.mjs"));
    expect(readdirSync(packages)).toEqual([installed.id]);
  });

  it("installed twice stands there once", async () => {
    const first = await install(zipOf(files));
    expect(await install(zipOf(files))).toEqual(first);
    expect(readdirSync(packages)).toEqual([first.id]);
  });

  it("whose folder was changed by someone is put right again", async () => {
    const { folder: place } = await install(zipOf(files));
    writeFileSync(join(place, "plugin.mjs"), "process.exit(1)");
    rmSync(join(place, "integration.json"));
    await install(zipOf(files));
    expect(readFileSync(join(place, "plugin.mjs"), "utf8")).toBe(files.get("plugin.mjs"));
    expect(readFileSync(join(place, "integration.json"), "utf8")).toBe(files.get("integration.json"));
  });
});

describe("a package is refused, and nothing is left behind,", () => {
  async function refusal(bytes: Buffer): Promise<string> {
    const error: unknown = await install(bytes).then(
      () => null,
      (reason: unknown) => reason,
    );
    expect(error).toMatchObject({ name: "PackageRefused" });
    expect(existsSync(packages) ? readdirSync(packages) : []).toEqual([]);
    return (error as Error).message;
  }

  it.each<[string, string, RegExp]>([
    ["when plugin.mjs is missing", "plugin.mjs", /"plugin.mjs" is missing/],
    ["when the manifest is missing", "integration.json", /integration.json is missing/],
    ["when a mapping that the manifest names is missing", "mappings/attack-path-findings.json", /names it/],
  ])("%s", async (_, path, expected) => {
    files.delete(path);
    expect(await refusal(zipOf(files))).toMatch(expected);
  });

  it("when the manifest is not valid, with the place in it", async () => {
    const manifest = JSON.parse(files.get("integration.json")!) as object;
    files.set("integration.json", JSON.stringify({ ...manifest, identifier: "../../etc" }));
    expect(await refusal(zipOf(files))).toMatch(/identifier/);
  });

  it("when a mapping does not agree with the manifest", async () => {
    const path = "mappings/attack-path-findings.json";
    files.set(path, files.get(path)!.replace(/"source": "[^"]*"/, '"source": "another_plugin"'));
    expect(await refusal(zipOf(files))).toMatch(/another_plugin/);
  });

  const withSums = (sums: string) => {
    const entries = [...files, ["SHA256SUMS", sums] as const];
    return rawZip(entries.map(([name, content]) => ({ name, content })));
  };
  const sumsOf = async () => (await readArchive(zipOf(files))).get("SHA256SUMS")!.toString();

  it("when it has no checksums", async () => {
    expect(await refusal(rawZip([...files].map(([name, content]) => ({ name, content }))))).toMatch(
      /SHA256SUMS is missing/,
    );
  });

  it("when a file differs from its checksum", async () => {
    const sums = await sumsOf();
    files.set("plugin.mjs", "process.exit(0)");
    expect(await refusal(withSums(sums))).toMatch(/"plugin.mjs" differs from its checksum/);
  });

  it("when a file has no checksum", async () => {
    const sums = await sumsOf();
    files.set("extra.txt", "x");
    expect(await refusal(withSums(sums))).toMatch(/"extra.txt" does not stand in SHA256SUMS/);
  });

  it("when a file with a checksum is not there", async () => {
    files.set("extra.txt", "x");
    const sums = await sumsOf();
    files.delete("extra.txt");
    expect(await refusal(withSums(sums))).toMatch(/"extra.txt" stands in SHA256SUMS and is missing/);
  });

  it("when it is no archive at all", async () => {
    expect(await refusal(Buffer.from("hello"))).toMatch(/not a zip archive/);
  });

  it.each<[string, ZipEntry[], RegExp]>([
    ["for a path out of the folder", [{ name: "a/../../b" }], /leads out of the package's folder/],
    ["for a path through the folder above", [{ name: "../b" }], /leads out/],
    ["for a path with an empty part", [{ name: "a//b" }], /leads out/],
    ["for an absolute path", [{ name: "/etc/passwd" }], /absolute/],
    ["for a path with a drive letter", [{ name: "C:/x" }], /absolute/],
    ["for a backslash", [{ name: "..\\b" }], /backslash/],
    ["for a control character", [{ name: "a\u001b[2Jb" }], /characters that no file name needs/],
    ["for an empty name", [{ name: "" }], /characters that no file name needs/],
    ["for a link", [{ name: "a", content: "/etc/passwd", mode: 0o120777 }], /"a" is a link/],
    ["for a device", [{ name: "a", mode: 0o020666 }], /not a plain file/],
    ["for an encrypted file", [{ name: "a", content: "x", flags: 0x801, deflate: true }], /"a" is encrypted/],
    ["for one name twice", [{ name: "a" }, { name: "a" }], /twice/],
    ["for one name in two letter cases", [{ name: "Plugin.mjs" }, { name: "plugin.MJS" }], /twice/],
    ["for a folder of the name of a file", [{ name: "a" }, { name: "a/b" }], /folder that is also a file/],
    [
      "for a file that grows too much",
      [{ name: "a", content: Buffer.alloc(8 * 2 ** 20), deflate: true }],
      /more than 100 times/,
    ],
  ])("%s", async (_, entries, expected) => {
    expect(await refusal(rawZip(entries))).toMatch(expected);
  });

  it("for a damaged archive", async () => {
    const bytes = zipOf(files);
    bytes.fill(0xff, 60, 200);
    expect(await refusal(bytes)).toMatch(/damaged|checksum/);
  });
});

describe("the limits of an archive", () => {
  const limits = { entries: 3, totalBytes: 1000, ratio: 100 };

  it("hold for the sum of all files, whatever sizes the archive claims", async () => {
    const entries = ["a", "b"].map((name) => ({ name, content: "x".repeat(501), deflate: true }));
    await expect(readArchive(rawZip(entries), limits)).rejects.toThrow("unpacks to more than 1000 bytes");
    const lying = rawZip(entries);
    for (let at = lying.indexOf("PK\x01\x02"); at !== -1; at = lying.indexOf("PK\x01\x02", at + 1))
      lying.writeUInt32LE(1, at + 24);
    await expect(readArchive(lying, limits)).rejects.toThrow(/damaged|unpacks to more/);
  });

  it("hold for the number of entries", async () => {
    await expect(readArchive(rawZip(["a", "b", "c", "d"].map((name) => ({ name }))), limits)).rejects.toThrow(
      "more than 3 entries",
    );
  });

  it("let everything else pass", async () => {
    const read = await readArchive(
      rawZip([
        { name: "d/", mode: 0o040755 },
        { name: "d/a", content: "1" },
      ]),
      limits,
    );
    expect([...read].map(([path, content]) => [path, content.toString()])).toEqual([["d/a", "1"]]);
  });
});
