import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { isBuiltin } from "node:module";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { startTenant } from "../../sandbox/tenant/index.ts";
import { manifest } from "../../src/generated/manifest.ts";
import { readProject } from "../../src/manifest/project.ts";
import { sha256 } from "../../src/targets/checksums.ts";
import { builtPackage, type BuiltPackage, packageCommand, rootDir } from "../support/built-package.ts";
import { runPlugin } from "../support/plugin-process.ts";
import { readZip, type ZipEntry } from "../support/unzip.ts";

const name = `attack-path-analysis-${manifest.version}`;

/** A request as a host writes it, with nothing filled in. */
const actionRequest = (action: string) => ({
  protocol: 1,
  kind: "action",
  name: action,
  run: { id: "r-1", deadline: null, test: false },
  instance: {},
  parameters: {},
  context: {},
  state: null,
});

describe("the portable package", () => {
  let built: BuiltPackage;
  let entries: ZipEntry[];
  let empty: string;
  beforeAll(async () => {
    built = await builtPackage();
    entries = await readZip(built.zip);
    empty = await mkdtemp(join(tmpdir(), "empty-"));
  });
  afterAll(() => rm(empty, { recursive: true }));

  const textOf = (path: string) => entries.find((entry) => entry.path === path)!.content.toString("utf8");

  it("is named after the plugin and its version", () => {
    expect(basename(built.zip)).toBe(`${name}.zip`);
  });

  it("holds the manifest, the plugin, its mappings and rules, and the papers", () => {
    expect(entries.map(({ path }) => path)).toEqual(
      [
        "integration.json",
        "plugin.mjs",
        ...manifest.mappings,
        ...manifest.groupingRules,
        ...manifest.playbooks,
        "README.md",
        "LICENSE",
        "CHANGELOG.md",
        "THIRD-PARTY-LICENSES.txt",
        "sbom.cdx.json",
        "SHA256SUMS",
      ].sort(),
    );
  });

  it("has a right checksum for every other file", () => {
    const sums = entries
      .filter(({ path }) => path !== "SHA256SUMS")
      .map(({ path, content }) => `${sha256(content)}  ${path}\n`);
    expect(textOf("SHA256SUMS")).toBe(sums.join(""));
  });

  it("carries JSON files that are as valid as the ones in the source tree", async () => {
    const project = await readProject(built.folder);
    expect({ ...project.manifest, $schema: undefined }).toEqual({ ...manifest, $schema: undefined });
  });

  it("is one module that imports nothing but Node's own", () => {
    const imported = [...textOf("plugin.mjs").matchAll(/^import\s?[^"'();]*["']([^"']+)["']/gm)].map(
      (match) => match[1]!,
    );
    expect(imported.length).toBeGreaterThan(0);
    expect(imported.filter((specifier) => !isBuiltin(specifier))).toEqual([]);
  });

  it("says nothing of the machine that it was built on", () => {
    for (const { path, content } of entries) {
      expect([path, content.includes(rootDir)]).toEqual([path, false]);
      expect([path, content.includes("sourceMappingURL")]).toEqual([path, false]);
    }
  });

  it("lists in the bill of materials what the plugin depends on, and has a licence text for each", () => {
    const bom = JSON.parse(textOf("sbom.cdx.json")) as {
      components: { group?: string; name: string; version: string }[];
    };
    const listed = bom.components.map(({ group, name, version }) => `${group ? `${group}/` : ""}${name} ${version}`);
    expect(listed).toEqual(expect.arrayContaining([expect.stringMatching(/^axios /)]));
    for (const component of listed) expect(textOf("THIRD-PARTY-LICENSES.txt")).toContain(`${component} (`);
  });

  it("leaves out what the plugin never runs, and stays under a megabyte", async () => {
    const { components } = JSON.parse(textOf("sbom.cdx.json")) as { components: { name: string }[] };
    const left = ["form-data", "mime-db", "follow-redirects", "supports-color", "proxy-agent-negotiate"];
    expect(components.map((component) => component.name).filter((component) => left.includes(component))).toEqual([]);
    expect((await stat(built.zip)).size).toBeLessThan(1_000_000);
  });

  it("runs in an empty folder, without node_modules, and answers a bad request with one failed result", async () => {
    const { code, messages } = await runPlugin(join(built.folder, "plugin.mjs"), "no JSON", { cwd: empty });
    expect(code).toBe(0);
    expect(messages).toEqual([expect.objectContaining({ type: "result", status: "failed", value: false })]);
    expect(await readdir(empty)).toEqual([]);
  });

  it.each(manifest.actions.map((action) => [action.name, action] as const))(
    "runs the action %s as far as the server's address, which it refuses by its label",
    async (action, { parameters }) => {
      const request = {
        ...actionRequest(action),
        instance: { Server: "ftp://example.test", "Token ID": "id", "Token Key": "key" },
        parameters: Object.fromEntries(parameters.map((parameter) => [parameter.name, "A"])),
      };
      const { code, messages } = await runPlugin(join(built.folder, "plugin.mjs"), request, { cwd: empty });
      expect(code).toBe(0);
      expect(messages.at(-1)).toMatchObject({ type: "result", status: "failed" });
      expect(messages.at(-1)?.["message"]).toMatch(/\bServer .*https/);
    },
  );
});

describe("npm run package", () => {
  let outDir: string;
  beforeAll(async () => {
    outDir = await mkdtemp(join(tmpdir(), "package-"));
  });
  afterAll(() => rm(outDir, { recursive: true }));

  it("writes the same bytes on a second build, whatever the time zone and the folder", async () => {
    const { zip } = await builtPackage();
    const printed = await packageCommand(["--target", "portable", "--out", outDir], {
      TZ: "Asia/Kolkata",
      LC_ALL: "C",
    });
    const again = await readFile(join(outDir, `${name}.zip`));
    expect(sha256(again)).toBe(sha256(await readFile(zip)));
    expect(printed).toContain(sha256(again));
    expect(printed).toContain(`${again.byteLength.toLocaleString("en")} bytes`);
  });

  it("builds for the other dialect under another name, with that dialect in the manifest", async () => {
    const { zip, folder } = await builtPackage("bloodhound-enterprise");
    expect(basename(zip)).toBe(`${name}-bloodhound-enterprise.zip`);
    const { manifest: carried } = await readProject(folder);
    expect(carried.service.dialect).toBe("bloodhound-enterprise");
  });

  it("builds plugins that speak the dialect they were built for, and no other", async () => {
    const tenant = await startTenant({ dialect: "bloodhound-enterprise" });
    try {
      const instance = { Server: tenant.url, "Token ID": tenant.tokenId, "Token Key": tenant.tokenKey };
      const ping = async (dialect: "standard" | "bloodhound-enterprise") => {
        const { folder } = await builtPackage(dialect);
        const { messages } = await runPlugin(join(folder, "plugin.mjs"), { ...actionRequest("Ping"), instance });
        return messages.at(-1)?.["status"];
      };
      expect(await ping("bloodhound-enterprise")).toBe("completed");
      expect(await ping("standard")).toBe("failed");
    } finally {
      await tenant.close();
    }
  });

  it("refuses a dialect that it does not know", async () => {
    await expect(packageCommand(["--dialect", "klingon", "--out", outDir])).rejects.toThrow(
      "Allowed choices are standard, bloodhound-enterprise",
    );
  });
});
