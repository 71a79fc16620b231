import { cp, readdir, readFile, rm, stat } from "node:fs/promises";
import { isBuiltin } from "node:module";
import { basename, dirname, join, posix } from "node:path";
import { beforeAll, describe, expect, it } from "@jest/globals";
import type { ActionName } from "../../src/manifest/types.ts";
import { manifest } from "../../src/generated/manifest.ts";
import { readProject } from "../../src/manifest/project.ts";
import { sha256 } from "../../src/packaging/files.ts";
import type { SpokenDialect } from "../../sandbox/tenant/index.ts";
import { TestHost } from "../support/host.ts";
import { builtPackage, type BuiltPackage, packageCommand, rootDir } from "../support/package.ts";
import { runPlugin } from "../support/plugin-run.ts";
import { actionRequest, exampleParameters, instanceParameters } from "../support/requests.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { startTenant } from "../support/tenant.ts";
import { readZip, type ZipEntry } from "../support/unzip.ts";

const name = `attack-path-analysis-${manifest.version}`;

async function documentsBelow(folder: string): Promise<string[]> {
  const names = await readdir(join(rootDir, folder), { recursive: true });
  return names.filter((name) => /\.(md|mjs|json)$/.test(name)).map((name) => join(folder, name));
}

describe("the portable package", () => {
  let built: BuiltPackage;
  let entries: ZipEntry[];
  const empty = temporaryFolder();
  beforeAll(async () => {
    built = await builtPackage();
    entries = await readZip(built.zip);
  });

  const textOf = (path: string) => entries.find((entry) => entry.path === path)!.content.toString("utf8");

  const program = () => entries.filter(({ path }) => /^plugin[./]/.test(path));

  it("has a plugin in ASCII, which Node.js reads and compiles in half the memory", () => {
    for (const { path } of program()) expect([path, textOf(path).match(/[^\0-\x7f]/g)]).toEqual([path, null]);
  });

  it("is named after the plugin and its version", () => {
    expect(basename(built.zip)).toBe(`${name}.zip`);
  });

  it("holds the manifest, the plugin, its mappings and rules, and the documents", async () => {
    expect(entries.map(({ path }) => path)).toEqual(
      [
        "integration.json",
        ...program().map(({ path }) => path),
        ...manifest.mappings,
        ...manifest.groupingRules,
        ...manifest.playbooks,
        "widgets/does-path-exist.html",
        "widgets/fetch-assets.html",
        "widgets/get-object-id.html",
        ...(await documentsBelow("docs")),
        "README.md",
        "LICENSE",
        "CHANGELOG.md",
        "THIRD-PARTY-LICENSES.txt",
        "sbom.cdx.json",
        "SHA256SUMS",
      ].sort(),
    );
  });

  it("has a widget for each action that shows more than a sentence, with an empty block for the result", () => {
    const block = '<script id="result" type="application/json"></script>';
    for (const action of ["does-path-exist", "fetch-assets", "get-object-id"])
      expect(textOf(`widgets/${action}.html`).split(block)).toHaveLength(2);
  });

  it("has documents whose links lead to files in the package", () => {
    const paths = new Set(entries.map(({ path }) => path));
    const links = entries
      .filter(({ path }) => path.endsWith(".md"))
      .flatMap(({ path, content }) =>
        [...content.toString("utf8").matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = ""]) => ({ path, link })),
      )
      .filter(({ link }) => !/^([a-z]+:|#)/.test(link));
    const dead = links.filter(({ path, link }) => !paths.has(join(dirname(path), link.split("#")[0]!)));
    expect(links.length).toBeGreaterThan(20);
    expect(dead).toEqual([]);
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

  /** What a file of the plugin imports as it is loaded, and what it imports later: names of modules of Node.js, and paths in the package. */
  function importsOf(path: string): { atOnce: string[]; later: string[] } {
    const named = (pattern: RegExp) =>
      [...textOf(path).matchAll(pattern)].map(([, name = ""]) =>
        isBuiltin(name) ? name : posix.join(dirname(path), name),
      );
    return { atOnce: named(/(?:^|;)import\b[^"'();]*"([^"]+)"/gm), later: named(/\bimport\("([^"]+)"\)/g) };
  }

  it("imports nothing but Node's own modules and its own files", () => {
    const known = new Set(entries.map(({ path }) => path));
    for (const { path } of program()) {
      const { atOnce, later } = importsOf(path);
      expect(atOnce).toContain("node:module");
      expect([...atOnce, ...later].filter((name) => !isBuiltin(name) && !known.has(name))).toEqual([]);
    }
    expect(importsOf("plugin.mjs").later).toContainEqual(expect.stringMatching(/^plugin\/ping-/));
  });

  it("begins a run with a third of the plugin, and loads later what looks objects up, polls and writes logs", () => {
    const begins = new Set(["plugin.mjs"]);
    // A set visits what is added while it is visited.
    for (const path of begins)
      importsOf(path)
        .atOnce.filter((name) => !isBuiltin(name))
        .forEach((file) => begins.add(file));
    const bytes = (paths: Iterable<string>) => [...paths].reduce((sum, path) => sum + textOf(path).length, 0);
    expect(bytes(begins) / bytes(program().map(({ path }) => path))).toBeLessThan(0.4);
    expect([...begins].filter((path) => !/^plugin(\.mjs|\/chunk-\w+\.mjs)$/.test(path))).toEqual([]);
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
    const left = [
      "form-data",
      "mime-db",
      "follow-redirects",
      "supports-color",
      "proxy-agent-negotiate",
      "readable-stream",
      "colorspace",
    ];
    expect(components.map((component) => component.name).filter((component) => left.includes(component))).toEqual([]);
    expect((await stat(built.zip)).size).toBeLessThan(1_000_000);
  });

  it("runs in an empty folder, without node_modules, and answers a bad request with one failed result", async () => {
    const { code, messages } = await runPlugin(built.plugin, "no JSON", { cwd: empty });
    expect(code).toBe(0);
    expect(messages).toEqual([expect.objectContaining({ type: "result", status: "failed", value: null })]);
    expect(await readdir(empty)).toEqual([]);
  });

  it.each(manifest.actions.map((action) => action.name))(
    "runs the action %s as far as the server's address, which it refuses by its label",
    async (action) => {
      const instance = { Server: "ftp://example.test", "Token ID": "id", "Token Key": "key" };
      const request = actionRequest(action, instance, {
        parameters: exampleParameters(action),
      });
      const { code, messages } = await runPlugin(built.plugin, request, { cwd: empty });
      expect(code).toBe(0);
      const message: unknown = expect.stringMatching(/\bServer .*https/);
      expect(messages.at(-1)).toMatchObject({ type: "result", status: "failed", message });
    },
  );
});

describe("a start of the plugin", () => {
  it("does not make Node.js load its fetch", async () => {
    const tenant = await startTenant();
    const { plugin } = await builtPackage();
    const atEnd =
      "process.stderr.write(process.moduleLoadList.filter((name) => ['undici','http'].some((end) => name.endsWith(end))).join())";
    const env = {
      NODE_OPTIONS: `--import=data:text/javascript,process.on('exit',()=>${atEnd})`.replaceAll(" ", "%20"),
    };
    const { messages, stderr } = await runPlugin(plugin, actionRequest("Ping", instanceParameters(tenant)), { env });
    expect([messages.at(-1)?.type, stderr]).toEqual(["result", "NativeModule internal/http,NativeModule http"]);
  });
});

describe("a package that has lost a file", () => {
  const KEY = "0123456789abcdef";
  const copies = temporaryFolder();
  const damaged: unknown = expect.stringMatching(
    /^(Failed to connect to the [\w ]+: )?A file of the plugin is missing or damaged: Cannot find module .*\. Install the package again, with all its files\.$/,
  );

  /** @param lost - the beginning of its name */
  async function act(lost: string, name: ActionName, { server = "http://127.0.0.1:9", parameters = {}, env = {} }) {
    const { folder } = await builtPackage();
    const copy = join(copies, lost);
    await cp(folder, copy, { recursive: true });
    const files = (await readdir(join(copy, "plugin"))).filter((file) => file.startsWith(lost));
    for (const file of files) await rm(join(copy, "plugin", file));
    const instance = { Server: server, "Token ID": "id", "Token Key": KEY };
    const { messages, stderr } = await runPlugin(
      join(copy, "plugin.mjs"),
      actionRequest(name, instance, { parameters }),
      { env },
    );
    return { logged: messages.slice(0, -1), result: messages.at(-1), stderr };
  }

  it.each<[string, ActionName, Parameters<typeof act>[2]]>([
    ["get-object-id-", "Get Object Id", { parameters: exampleParameters("Get Object Id") }],
    ["unpolled-", "Get Object Id", { parameters: exampleParameters("Get Object Id") }],
    ["tunnel-agent-", "Ping", { server: "https://a.test", env: { HTTPS_PROXY: "http://127.0.0.1:9" } }],
  ])("says so in the result of what needs the file: %s", async (lost, name, call) => {
    const { result, stderr } = await act(lost, name, call);
    expect([result, stderr]).toEqual([expect.objectContaining({ status: "failed", message: damaged }), ""]);
  });

  it("still writes every log message, without secrets, when the file is that of the logging library", async () => {
    const { logged } = await act("winston", "Ping", { parameters: { [KEY]: "unknown" } });
    expect(logged[0]).toMatchObject({ type: "log", level: "warn", fields: { unknown: ["[redacted]"] } });
  });
});

describe("npm run package", () => {
  const outDir = temporaryFolder();

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
});

describe("the one package", () => {
  const dataset = { environments: 3, findingTypes: 4, findingsPerPair: 5 };
  /** The lists, each stream, and four documents of each finding type. */
  // One list shows that counts are those of lists.
  const wholeRead = 1 + 3 + 3 * 4 + 1 + 4 * 4;

  it.each<[SpokenDialect, number]>([
    ["standard", 0],
    ["bloodhound-enterprise", 1],
  ])(
    "speaks with a %s tenant: finding that out costs %i requests per action, and one poll once",
    async (dialect, extra) => {
      const { plugin } = await builtPackage();
      const tenant = await startTenant({ dialect, dataset, analysisStatus: true });
      const host = new TestHost(tenant, { plugin });
      const counted = async (run: () => Promise<unknown>): Promise<number> => {
        const before = tenant.requests.length;
        await run();
        return tenant.requests.length - before;
      };
      const poll = async () => {
        expect((await host.poll()).status).toBe("completed");
      };
      const ping = async () => {
        expect((await host.act({ name: "Ping" })).result.status).toBe("completed");
      };
      expect(await counted(ping)).toBe(1 + extra);
      expect(await counted(poll)).toBe(wholeRead + extra);
      expect(host.state).toMatchObject({ dialect });
      expect(await counted(poll)).toBe(1 + 1 + 3 + 3 * 4);
      expect(await counted(poll)).toBe(2);
      expect(tenant.requests.filter(({ status }) => status !== 200)).toHaveLength(2 * extra);
      expect(host.stored.size).toBe(3 * 4 * 5);
    },
  );
});
