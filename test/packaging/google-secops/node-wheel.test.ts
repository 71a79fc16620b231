import { createHash } from "node:crypto";
import { describe, expect, it } from "@jest/globals";
import { manifest } from "../../../src/generated/manifest.ts";
import { fetchNode } from "../../../src/packaging/google-secops/node-binary.ts";
import { nodeWheel } from "../../../src/packaging/google-secops/node-wheel.ts";
import { entriesOf } from "../../support/google-secops-package.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

describe("the Node.js of the package", () => {
  it("cannot be had without a network and a cache, and the message says what to do", async () => {
    const offline = { ...process.env, npm_config_cache: temporaryFolder(), npm_config_offline: "true" };
    await expect(fetchNode(offline)).rejects.toThrow(
      /^npm could not install the Node\.js .* Connect to the npm registry once; .* --target portable google-secops-agent\n.*ENOTCACHED/s,
    );
  });
});

describe("the wheel with Node.js", () => {
  const node = { version: "22.1.0", program: Buffer.from("\x7fELF"), licence: "MIT" };

  it("is accepted by every installer, and keeps the program executable", async () => {
    const wheel = await nodeWheel(manifest, node);
    expect(wheel.path).toBe("attack_path_analysis_node-22.1.0-py3-none-any.whl");
    const entries = await entriesOf(wheel.content);
    expect(entries.get("attack_path_analysis_node/bin/node")?.mode).toBe(0o755);
    expect(entries.get("attack_path_analysis_node/bin/node")?.content.equals(node.program)).toBe(true);
    const description = entries.get("attack_path_analysis_node-22.1.0.dist-info/WHEEL")?.content.toString("utf8");
    expect(description).toContain("Root-Is-Purelib: true\nTag: py3-none-any\n");
  });

  it("names Node.js in its bill of materials as lists of vulnerabilities do", async () => {
    const wheel = await nodeWheel(manifest, node);
    const sbom = (await entriesOf(wheel.content)).get("attack_path_analysis_node-22.1.0.dist-info/sboms/sbom.cdx.json");
    expect(JSON.parse(sbom?.content.toString("utf8") ?? "")).toMatchObject({
      bomFormat: "CycloneDX",
      components: [
        {
          name: "Node.js",
          version: "22.1.0",
          cpe: "cpe:2.3:a:nodejs:node.js:22.1.0:*:*:*:*:*:*:*",
          hashes: [{ alg: "SHA-256", content: createHash("sha256").update(node.program).digest("hex") }],
        },
      ],
    });
  });
});
