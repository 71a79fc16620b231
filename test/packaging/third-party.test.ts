import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "@jest/globals";
import { manifest } from "../../src/generated/manifest.ts";
import { isFree, thirdPartyLicences } from "../../src/packaging/licences.ts";
import { type BundledPackages, bundledPackages } from "../../src/packaging/bundled-packages.ts";
import { billOfMaterials } from "../../src/packaging/sbom.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const sha512 = Buffer.alloc(64, 7);

describe("what a bundle holds of other people's code", () => {
  let rootDir: string;
  beforeEach(async () => {
    rootDir = temporaryFolder();
    await install(
      "node_modules/alpha",
      { name: "alpha", version: "1.2.3", license: "MIT" },
      { LICENSE: "MIT text\r\n" },
    );
    await install(
      "node_modules/alpha/node_modules/@beta/gamma",
      { name: "@beta/gamma", version: "2.0.0", license: "(GPL-2.0-only OR Apache-2.0)" },
      { "LICENSE-APACHE.md": "Apache text", NOTICE: "Made by Gamma" },
    );
    await install("node_modules/unused", { name: "unused", version: "1.0.0", license: "Proprietary" }, {});
    const integrity = `sha512-${sha512.toString("base64")}`;
    const lock = {
      packages: { "node_modules/alpha": { integrity }, "node_modules/alpha/node_modules/@beta/gamma": { integrity } },
    };
    await writeFile(join(rootDir, "package-lock.json"), JSON.stringify(lock));
  });

  async function install(folder: string, description: object, files: Record<string, string>): Promise<void> {
    await mkdir(join(rootDir, folder), { recursive: true });
    await writeFile(join(rootDir, folder, "package.json"), JSON.stringify(description));
    for (const [name, text] of Object.entries(files)) await writeFile(join(rootDir, folder, name), text);
  }

  function found(): Promise<BundledPackages> {
    const gamma = "node_modules/alpha/node_modules/@beta/gamma/lib/index.js";
    return bundledPackages(rootDir, {
      sources: new Map([
        ["src/runtime/main.ts", ["node_modules/alpha/index.js", "node:fs", "node_modules/unused/index.js"]],
        ["node_modules/alpha/index.js", ["node_modules/alpha/more.js", gamma]],
        ["node_modules/alpha/more.js", []],
        [gamma, []],
      ]),
    });
  }

  it("is found from the files in the bundle, with who imports whom", async () => {
    const { packages, direct } = await found();
    expect(packages.map(({ purl, imports }) => [purl, imports])).toEqual([
      ["pkg:npm/%40beta/gamma@2.0.0", []],
      ["pkg:npm/alpha@1.2.3", ["node_modules/alpha/node_modules/@beta/gamma"]],
    ]);
    expect(direct).toEqual(["node_modules/alpha"]);
  });

  it("is listed as a bill of materials", async () => {
    const bom = JSON.parse(billOfMaterials(manifest, await found())) as object;
    expect(bom).toMatchObject({
      bomFormat: "CycloneDX",
      specVersion: "1.5",
      metadata: { component: { type: "application", name: "attack-path-analysis", version: manifest.version } },
      components: [
        {
          group: "@beta",
          name: "gamma",
          version: "2.0.0",
          hashes: [{ alg: "SHA-512", content: sha512.toString("hex") }],
          licenses: [{ expression: "(GPL-2.0-only OR Apache-2.0)" }],
        },
        { name: "alpha", licenses: [{ license: { id: "MIT" } }] },
      ],
      dependencies: [
        { ref: `attack-path-analysis@${manifest.version}`, dependsOn: ["pkg:npm/alpha@1.2.3"] },
        { ref: "pkg:npm/%40beta/gamma@2.0.0", dependsOn: [] },
        { ref: "pkg:npm/alpha@1.2.3", dependsOn: ["pkg:npm/%40beta/gamma@2.0.0"] },
      ],
    });
  });

  it("comes with every licence text and notice", async () => {
    const text = await thirdPartyLicences(rootDir, "The files in plugin/", (await found()).packages);
    expect(text).toContain("@beta/gamma 2.0.0 ((GPL-2.0-only OR Apache-2.0))\n\nApache text\n\nMade by Gamma\n");
    expect(text).toContain("alpha 1.2.3 (MIT)\n\nMIT text\n");
    expect(text).not.toContain("unused");
  });

  it("stops the build when a licence is not free", async () => {
    await install("node_modules/alpha", { name: "alpha", version: "1.2.3", license: "BUSL-1.1" }, {});
    await expect(thirdPartyLicences(rootDir, "The files in plugin/", (await found()).packages)).rejects.toThrow(
      "alpha 1.2.3 may not be bundled: its licence is BUSL-1.1",
    );
  });

  it("stops the build when a licence text is missing", async () => {
    await rm(join(rootDir, "node_modules/alpha/LICENSE"));
    await expect(thirdPartyLicences(rootDir, "The files in plugin/", (await found()).packages)).rejects.toThrow(
      "alpha 1.2.3 may not be bundled: it comes without a licence text",
    );
  });

  it("stops the build when the lock file does not pin it", async () => {
    await writeFile(join(rootDir, "package-lock.json"), '{"packages":{}}');
    await expect(found()).rejects.toThrow("package-lock.json does not pin node_modules/alpha");
  });

  it.each([
    ["MIT", true],
    ["(MIT OR GPL-3.0-only)", true],
    ["MIT AND CC0-1.0", true],
    ["MIT AND GPL-3.0-only", false],
    ["AGPL-3.0-only", false],
    ["SEE LICENSE IN LICENSE.md", false],
    ["UNLICENSED", false],
  ])("counts %s as free: %s", (expression, free) => {
    expect(isFree(expression)).toBe(free);
  });
});
