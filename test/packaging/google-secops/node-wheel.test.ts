import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { describe, expect, it } from "@jest/globals";
import { manifest } from "../../../src/generated/manifest.ts";
import { neededGlibc } from "../../../src/packaging/google-secops/elf.ts";
import { fetchNode } from "../../../src/packaging/google-secops/node-binary.ts";
import { nodeWheel } from "../../../src/packaging/google-secops/node-wheel.ts";
import { entriesOf } from "../../support/google-secops-package.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { needs } from "../../support/tools.ts";
import { elfWithVersions } from "./elf-program.ts";

describe("the C library that a program needs", () => {
  it("is the highest version among its libraries, whatever their order", () => {
    const program = elfWithVersions({
      "libm.so.6": ["GLIBC_2.9"],
      "libc.so.6": ["GLIBC_2.28", "GLIBC_2.2.5", "GLIBC_2.17"],
    });
    expect(neededGlibc(program)).toEqual({ major: 2, minor: 28 });
  });

  it("does not heed the versions of other libraries", () => {
    const program = elfWithVersions({ "libstdc++.so.6": ["GLIBCXX_3.4.32"], "libc.so.6": ["GLIBC_2.17"] });
    expect(neededGlibc(program)).toEqual({ major: 2, minor: 17 });
  });

  it("is not known of anything but a 64-bit program that asks for one", () => {
    expect(() => neededGlibc(Buffer.from("#!/bin/sh\n".padEnd(100)))).toThrow("Not a 64-bit");
    expect(() => neededGlibc(elfWithVersions({}))).toThrow("names no version");
  });

  const library = needs("the GNU C library");
  library.describe("of this machine", () => {
    it("is not newer than the one that runs this test", async () => {
      const { major, minor } = neededGlibc(await readFile(process.execPath));
      expect(major).toBe(2);
      expect(minor).toBeLessThanOrEqual(Number(library.found.split(".")[1]));
    });
  });
});

describe("the Node.js of the package", () => {
  it("cannot be had without a network and a cache, and the message says what to do", async () => {
    const offline = { ...process.env, npm_config_cache: temporaryFolder(), npm_config_offline: "true" };
    await expect(fetchNode(offline)).rejects.toThrow(
      /^npm could not install the Node\.js .* Connect to the npm registry once; .* --target portable google-secops-agent\n.*ENOTCACHED/s,
    );
  });
});

describe("the wheel with Node.js", () => {
  it("says under which C library it runs, and keeps the program executable", async () => {
    const program = elfWithVersions({ "libc.so.6": ["GLIBC_2.28"] });
    const wheel = await nodeWheel(manifest, { version: "22.1.0", program, licence: "MIT" });
    expect(wheel.path).toBe("attack_path_analysis_node-22.1.0-py3-none-manylinux_2_28_x86_64.whl");
    const entries = await entriesOf(wheel.content);
    expect(entries.get("attack_path_analysis_node/bin/node")?.mode).toBe(0o755);
    expect(entries.get("attack_path_analysis_node/bin/node")?.content.equals(program)).toBe(true);
    const description = entries.get("attack_path_analysis_node-22.1.0.dist-info/WHEEL")?.content.toString("utf8");
    expect(description).toContain("Root-Is-Purelib: false\nTag: py3-none-manylinux_2_28_x86_64\n");
  });

  it("names Node.js in its bill of materials as lists of vulnerabilities do", async () => {
    const program = elfWithVersions({ "libc.so.6": ["GLIBC_2.28"] });
    const wheel = await nodeWheel(manifest, { version: "22.1.0", program, licence: "MIT" });
    const sbom = (await entriesOf(wheel.content)).get("attack_path_analysis_node-22.1.0.dist-info/sboms/sbom.cdx.json");
    expect(JSON.parse(sbom?.content.toString("utf8") ?? "")).toMatchObject({
      bomFormat: "CycloneDX",
      components: [
        {
          name: "Node.js",
          version: "22.1.0",
          cpe: "cpe:2.3:a:nodejs:node.js:22.1.0:*:*:*:*:*:*:*",
          hashes: [{ alg: "SHA-256", content: createHash("sha256").update(program).digest("hex") }],
        },
      ],
    });
  });
});
