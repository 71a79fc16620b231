import { beforeAll, describe, expect, it } from "@jest/globals";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join, sep } from "node:path";
import { manifest } from "../../src/generated/manifest.ts";
import { type Artefact, buildPackages } from "../../src/packaging/build.ts";
import { bundleCommandLine, bundleLibrary } from "../../src/packaging/bundle.ts";
import { checksums, sha256 } from "../../src/packaging/files.ts";
import { portable } from "../../src/packaging/portable.ts";
import type { BuildContext, Target } from "../../src/packaging/target.ts";
import { verifyPackages } from "../../src/packaging/verify.ts";
import { zip } from "../../src/packaging/zip.ts";
import { rootDir } from "../support/package.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { readZip } from "../support/unzip.ts";

const text = (content: string | Uint8Array | undefined) => Buffer.from(content ?? "").toString("utf8");

/** Targets that show what they get, and build the same each time. */
function targets() {
  const got: { context?: BuildContext } = {};
  const single: Target = {
    name: "single",
    async build(context) {
      got.context = context;
      return [{ path: "example-single.zip", content: await zip([{ path: "a", content: "one" }]) }];
    },
  };
  const folder: Target = {
    name: "folder",
    folder: ({ version }) => `folder-${version}`,
    build: () => Promise.resolve(["b", "a/c"].map((path) => ({ path, content: Buffer.from(path) }))),
  };
  return { got, single, folder };
}

describe("a build of packages", () => {
  const outDir = join(temporaryFolder(), "dist");
  const tree = join(outDir, `folder-${manifest.version}`);
  let artefacts: Artefact[];
  let context: BuildContext;
  beforeAll(async () => {
    const { got, single, folder } = targets();
    await mkdir(tree, { recursive: true });
    await writeFile(join(tree, "old"), "of an earlier build");
    artefacts = await buildPackages({ rootDir, outDir, targets: [single, folder] });
    if (got.context === undefined) throw new Error("The target was not built.");
    ({ context } = got);
  });

  it("writes files and folders, and says their sizes and hashes", async () => {
    const content = await readFile(join(outDir, "example-single.zip"));
    const files = ["b", "a/c"].map((path) => ({ path, content: path }));
    expect(artefacts).toEqual([
      { path: join(outDir, "example-single.zip"), bytes: content.length, sha256: sha256(content) },
      { path: `${tree}${sep}`, bytes: 4, sha256: sha256(checksums(files)) },
    ]);
    expect((await readdir(outDir, { recursive: true })).sort()).toEqual(
      [
        "example-single.zip",
        `folder-${manifest.version}`,
        ...["a", "a/c", "b"].map((path) => `folder-${manifest.version}/${path}`),
      ].sort(),
    );
    expect(await readFile(join(tree, "a/c"), "utf8")).toBe("a/c");
  });

  it("gives every target the bundled plugin, without what it never runs", () => {
    const { files, sources } = context.bundle;
    const paths = files.map(({ path }) => path);
    expect(paths.filter((path) => !/^plugin\/[\w-]+-[A-Z0-9]{8}\.mjs$/.test(path))).toEqual(["plugin.mjs"]);
    for (const { content } of files) {
      expect(text(content)).toMatch(
        /^import\{createRequire\}from"node:module";const require=createRequire\(import\.meta\.url\);/,
      );
    }
    expect(files.some(({ content }) => text(content).includes(manifest.vendor))).toBe(true);
    expect(sources.get("src/runtime/main.ts")).toEqual(expect.arrayContaining(["src/runtime/run.ts"]));
    const packages = new Set(
      [...sources.keys()].flatMap((path) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []),
    );
    expect([...packages]).toEqual(expect.arrayContaining(["axios", "https-proxy-agent", "winston"]));
    const unused = [
      "form-data",
      "follow-redirects",
      "proxy-agent-negotiate",
      "readable-stream",
      "supports-color",
      "mime-db",
    ];
    expect(unused.filter((name) => packages.has(name))).toEqual([]);
    expect(
      [...sources.keys()].filter((path) =>
        /^node_modules\/.*(Http2Sessions|adapters\/fetch|transports\/(file|http))\./.test(path),
      ),
    ).toEqual([]);
    expect(context.packages.direct).toEqual(expect.arrayContaining(["node_modules/axios", "node_modules/winston"]));
  });

  it("gives every target the documents, the licences and the bill of materials", async () => {
    const documents = new Map(context.documents.map(({ path, content }) => [path, text(content)]));
    const pages = (await readdir(join(rootDir, "docs"), { recursive: true })).filter((name) =>
      /\.(md|mjs|schema\.json)$/.test(name),
    );
    expect([...documents.keys()]).toEqual([
      ...["README.md", "LICENSE", "CHANGELOG.md"],
      ...pages.map((name) => `docs/${name}`).sort(),
      ...["THIRD-PARTY-LICENSES.txt", "sbom.cdx.json"],
    ]);
    expect(documents.get("THIRD-PARTY-LICENSES.txt")).toMatch(
      /^plugin\.mjs and the files in plugin\/ hold code of these packages, each under its own licence\.\n\n-{80}\n/,
    );
    expect(documents.get("sbom.cdx.json")).toContain('"purl": "pkg:npm/axios@');
    expect(documents.get("docs/security.md")).toBe(await readFile(join(rootDir, "docs/security.md"), "utf8"));
  });

  it("gives every target the playbooks and the widgets", async () => {
    expect(context.playbooks.map(({ path }) => path)).toEqual(manifest.playbooks);
    const [playbook] = context.playbooks;
    expect(text(playbook?.content)).toBe(await readFile(join(rootDir, playbook?.path ?? ""), "utf8"));
    expect(context.widgets.map(({ stem }) => stem)).toEqual(["get_object_id", "does_path_exist", "fetch_assets"]);
  });

  it("is packed for any host with checksums, and without links that lead nowhere", async () => {
    const small: BuildContext = {
      ...context,
      documents: [
        {
          path: "docs/a.md",
          content: "[b](b.md#x) [c](c.md) ![p](p.png)\n\n[web](https://a.test) [here](#here) [up](../LICENSE)\n",
        },
        { path: "docs/b.md", content: "b" },
        { path: "LICENSE", content: "[c](c.md)" },
      ],
    };
    const [built, ...others] = await portable.build(small);
    expect([built?.path, others]).toEqual([`attack-path-analysis-${manifest.version}.zip`, []]);
    const entries = new Map(
      (await readZip(Buffer.from(built?.content ?? ""))).map(({ path, content }) => [path, content]),
    );
    expect(text(entries.get("docs/a.md"))).toBe("[b](b.md#x) c [web](https://a.test) [here](#here) [up](../LICENSE)\n");
    expect(text(entries.get("LICENSE"))).toBe("[c](c.md)");
    expect(JSON.parse(text(entries.get("integration.json")))).not.toHaveProperty("$schema");
    expect(text(entries.get("integration.json"))).toMatch(/^\{\n {2}"/);
    expect(text(entries.get("widgets/fetch-assets.html"))).toContain('type="application/json"></script>');
    for (const { path, content } of context.bundle.files) expect(text(entries.get(path))).toBe(text(content));
    const packed = [...entries].filter(([path]) => path !== "SHA256SUMS");
    expect(text(entries.get("SHA256SUMS"))).toBe(checksums(packed.map(([path, content]) => ({ path, content }))));
  });
});

describe("packages that are verified", () => {
  async function given(name: string, content: string | Buffer): Promise<string> {
    const path = join(temporaryFolder(), name);
    await writeFile(path, content);
    return path;
  }

  it("are built again, and compared one by one", async () => {
    const { single } = targets();
    const same = await zip([{ path: "a", content: "one" }]);
    const other = await zip([{ path: "a", content: "two" }]);
    const repacked = await zip([{ path: "a", content: "one", executable: true }]);
    const paths = await Promise.all([same, other, repacked].map((content) => given("example-single.zip", content)));
    const unverified = targets().folder;
    expect(await verifyPackages({ rootDir, targets: [unverified, single], paths })).toEqual([
      { path: paths[0], sha256: sha256(same), identical: true, differences: [] },
      { path: paths[1], sha256: sha256(other), identical: false, differences: ["a: it differs."] },
      {
        path: paths[2],
        sha256: sha256(repacked),
        identical: false,
        differences: ["All files are the same, but they are packed differently, or their times or modes differ."],
      },
    ]);
  });

  it("are refused when they cannot be read, or when these sources build nothing of that name", async () => {
    const { single } = targets();
    await expect(verifyPackages({ rootDir, targets: [single], paths: ["/nowhere/a.zip"] })).rejects.toThrow(
      "/nowhere/a.zip cannot be read (ENOENT).",
    );
    const renamed = await given("renamed-single.zip", "");
    await expect(verifyPackages({ rootDir, targets: [single], paths: [renamed] })).rejects.toThrow(
      "These sources do not build a package named renamed-single.zip, but example-single.zip. Check out the version of the package, and give the package its original name.",
    );
  });
});

describe("the npm package", () => {
  it("starts with a small file, and loads the commands from others", async () => {
    const { files, sources } = await bundleCommandLine(rootDir);
    const paths = files.map(({ path }) => path);
    expect(paths.filter((path) => !/^cli\/[\w-]+-[A-Z0-9]{8}\.mjs$/.test(path))).toEqual(["cli.mjs"]);
    expect(text(files.find(({ path }) => path === "cli.mjs")?.content)).toMatch(
      /^#!\/usr\/bin\/env node\nimport\{createRequire\}from"node:module";/,
    );
    expect(paths.length).toBeGreaterThan(10);
    expect([...sources.keys()]).toEqual(expect.arrayContaining(["scripts/cli.ts", "src/cli/commands/poll.ts"]));
  });

  it("has a library that imports its dependencies", async () => {
    expect(text(await bundleLibrary(rootDir))).toMatch(/from"axios"/);
  });
});
