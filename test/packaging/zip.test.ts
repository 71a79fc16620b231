import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { sha256, withChecksums } from "../../src/packaging/files.ts";
import { zip } from "../../src/packaging/zip.ts";
import { readZip } from "../support/unzip.ts";

const fileList = fc.uniqueArray(
  fc.record({
    path: fc.stringMatching(/^[a-z]{1,8}(\/[a-zé]{1,8}\.txt)?$/),
    content: fc.uint8Array({ maxLength: 300 }),
  }),
  { selector: ({ path }) => path, maxLength: 8 },
);

describe("a zip", () => {
  it("gives back every file, byte for byte", async () => {
    await fc.assert(
      fc.asyncProperty(fileList, async (files) => {
        const entries = await readZip(await zip(files));
        expect(entries.map(({ path, content }) => ({ path, content: new Uint8Array(content) }))).toEqual(
          [...files].sort((a, b) => (a.path < b.path ? -1 : 1)),
        );
      }),
      { numRuns: 25 },
    );
  });

  it("has the same bytes for the same files in any order", async () => {
    await fc.assert(
      fc.asyncProperty(fileList, async (files) => {
        expect(await zip([...files].reverse())).toEqual(await zip(files));
      }),
      { numRuns: 25 },
    );
  });

  it("carries one fixed date, and permissions that do not depend on the machine", async () => {
    const entries = await readZip(
      await zip([
        { path: "a", content: "" },
        { path: "bin/b", content: "", executable: true },
      ]),
    );
    expect(entries.map(({ path, mode }) => [path, mode])).toEqual([
      ["a", 0o644],
      ["bin/b", 0o755],
    ]);
    expect(entries.map(({ date }) => date.toISOString())).toEqual(Array(2).fill("1980-01-01T00:00:00.000Z"));
  });
});

describe("the checksums", () => {
  it("name every file in the order of their paths", () => {
    const files = withChecksums([
      { path: "b/c", content: "two" },
      { path: "a", content: Buffer.from("one") },
    ]);
    expect(files.at(-1)).toEqual({
      path: "SHA256SUMS",
      content: `${sha256("one")}  a\n${sha256("two")}  b/c\n`,
    });
  });

  it("are SHA-256 in hexadecimal", () => {
    expect(sha256("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  });
});
