import { describe, expect, it } from "@jest/globals";
import { gunzipSync, gzipSync } from "node:zlib";
import { tarball } from "../../src/packaging/tarball.ts";
import { differencesOf, tarballDifferences } from "../../src/packaging/verify.ts";
import { zip } from "../../src/packaging/zip.ts";

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

  it("is named for a path that is in the package twice, because nobody knows which one counts", async () => {
    const built = await zip(files("a"));
    const twice = await zip(files("a", "a"));
    expect(await differencesOf(twice, built, "it")).toEqual(["a: it is in the package more than once."]);
  });

  it("inside a wheel is looked for unless the wheel is more than twice as large", async () => {
    const wheel = (bytes: number) => ({ path: "x.whl", content: Buffer.alloc(bytes, "x") });
    const differences = async (bytes: number) => differencesOf(await zip([wheel(bytes)]), await zip([wheel(10)]), "it");
    await expect(differences(20)).rejects.toThrow(/cannot be read as a zip/);
    expect(await differences(21)).toEqual(["x.whl: it differs (21 bytes in the package, 10 in the new build)."]);
  });

  it("inside a wheel is the wheel when its files are the same", async () => {
    const wheel = await zip([{ path: "a", content: "a" }]);
    const stored = await zip([{ path: "a", content: "a", executable: true }]);
    const packed = (content: Buffer) => zip([{ path: "x.whl", content }]);
    expect(await differencesOf(await packed(stored), await packed(wheel), "it")).toEqual(["x.whl: it differs."]);
  });

  it("inside a damaged file is named with the file and its package", async () => {
    const damaged = Buffer.from(await zip([{ path: "a", content: "a".repeat(100) }]));
    const at = damaged.indexOf("a", 30) + 1;
    damaged.fill(0xff, at, at + 3);
    await expect(differencesOf(damaged, await zip([{ path: "a", content: "b".repeat(100) }]), "it")).rejects.toThrow(
      /^a in it cannot be read as a zip \(/,
    );
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
