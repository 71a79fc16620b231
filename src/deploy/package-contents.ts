import { isContentHash } from "../packaging/google-secops/content-hash.ts";
import { type Archive, readJson } from "./archive.ts";
import { differences, type Parts, surplus } from "./compare.ts";
import { DeployError } from "./failures.ts";

/** An integration package, built or exported by the platform. */
export interface PackageContents {
  identifier: string;
  version: number;
  isCustom: boolean;
  /**
   * What a platform is known to export of an installed package (GitSync of chronicle/content-hub reads it from
   * `ide/ExportPackage`): definitions, scripts, managers and the names of dependencies. For everything else, one of the
   * managers holds a hash. Of the definitions, only what decides how they work: a platform adds ids and times, and an
   * administrator may disable an action.
   */
  parts: Parts;
}

type DefinitionFields = Record<string, unknown>;

/** One kind of definitions: the files, the scripts of the same stem, and what is compared. */
const kinds = [
  {
    kind: "action",
    files: /^ActionsDefinitions\/(.+)\.actiondef$/,
    scripts: ["ActionsScripts"],
    fields: ["Description", "IsAsync", "ScriptResultName"],
    parameterFields: ["Type", "IsMandatory", "Description", "DefaultValue"],
  },
  {
    kind: "connector",
    files: /^Connectors\/(.+)\.connectordef$/,
    scripts: ["ConnectorsScripts"],
    fields: ["Description"],
    parameterFields: ["Type", "Mode", "IsMandatory", "Description", "DefaultValue"],
  },
  {
    kind: "job",
    files: /^Jobs\/(.+)\.jobdef$/,
    // Packages need the first spelling. GitSync meets both in what a platform exports.
    scripts: ["JobsScrips", "JobsScripts"],
    fields: ["Description"],
    parameterFields: ["Type", "IsMandatory", "Description", "DefaultValue"],
  },
] as const;

/** @throws DeployError when it is no integration package */
export function readContents(archive: Archive, name: string): PackageContents {
  const [path, content] = [...archive].find(([file]) => /^Integration-[^/]+\.def$/.test(file)) ?? [];
  if (path === undefined || content === undefined) {
    throw new DeployError(`${name} is not an integration package: it has no file Integration-….def in its root.`);
  }
  const definition = readJson(content, `${path} in ${name}`) as DefinitionFields;
  return {
    identifier: String(definition["Identifier"]),
    version: Number(definition["Version"]),
    isCustom: definition["IsCustom"] === true,
    parts: new Map([
      ...integrationParts(definition),
      ...[...archive].flatMap(([file, bytes]) => definedParts(archive, file, bytes, name)),
      ...[...archive].flatMap(([file, bytes]) => fileParts(file, bytes)),
    ]),
  };
}

/** What differs between two packages, one line each; empty when they are the same. */
export function contentDifferences(installed: PackageContents, built: PackageContents): string[] {
  const all = differences(withoutUnlisted(installed.parts, built.parts), built.parts);
  if (all.length === 0) return [];
  const seen = all.filter((line) => !isContentHash(line.replace(/:.*/, "")));
  const lines = [...seen, ...surplus(installed.parts, built.parts).filter((line) => line.startsWith("Dependencies/"))];
  return lines.length > 0
    ? lines
    : [
        "something that the platform does not export: a widget, a mapping rule, the visual family, a release note, an AI description or the inside of a wheel",
      ];
}

/** A platform that exports no dependencies cannot show that one is missing. */
function withoutUnlisted(installed: Parts, built: Parts): Parts {
  if ([...installed.keys()].some((name) => name.startsWith("Dependencies/"))) return installed;
  return new Map([...installed, ...[...built].filter(([name]) => name.startsWith("Dependencies/"))]);
}

function integrationParts(definition: DefinitionFields): [string, DefinitionFields][] {
  const parameterFields = ["PropertyType", "IsMandatory", "PropertyDescription"];
  return [
    ["integration", picked(definition, ["DisplayName", "Description", "Version", "PythonVersion"])],
    ...parameterParts("integration", definition["IntegrationProperties"], "PropertyName", parameterFields),
  ];
}

function definedParts(archive: Archive, file: string, bytes: Buffer, name: string): [string, DefinitionFields][] {
  return kinds.flatMap(({ kind, files, scripts, fields, parameterFields }): [string, DefinitionFields][] => {
    const [, stem] = files.exec(file) ?? [];
    if (stem === undefined) return [];
    const definition = readJson(bytes, `${file} in ${name}`) as DefinitionFields;
    const title = String(definition["Name"]);
    const part = `${kind} "${title}"`;
    // The platform may name the files after the action instead of keeping their names.
    const script = scripts
      .flatMap((folder) => [`${folder}/${stem}.py`, `${folder}/${title}.py`])
      .map((path) => archive.get(path))
      .find((found) => found !== undefined);
    return [
      [part, picked(definition, fields)],
      ...parameterParts(part, definition["Parameters"], "Name", parameterFields),
      ...(script === undefined ? [] : [[`script of ${part}`, text(script)] satisfies [string, DefinitionFields]]),
    ];
  });
}

/** Managers with their text, dependencies by their name. */
function fileParts(file: string, bytes: Buffer): [string, DefinitionFields][] {
  if (/^Managers\/[^/]+\.py$/.test(file)) return [[file, text(bytes)]];
  return /^Dependencies\/[^/]+\.whl$/.test(file) ? [[file, {}]] : [];
}

/** Parameters are identified by their names, because the platform may list them in another order. */
function parameterParts(owner: string, list: unknown, nameField: string, fields: readonly string[]) {
  const items = Array.isArray(list) ? (list as DefinitionFields[]) : [];
  return items.map((item): [string, DefinitionFields] => [
    `${owner}, parameter "${String(item[nameField])}"`,
    picked(item, fields),
  ]);
}

function text(bytes: Buffer): DefinitionFields {
  return { content: bytes.toString("utf8") };
}

function picked(from: DefinitionFields, fields: readonly string[]): DefinitionFields {
  return Object.fromEntries(fields.map((field) => [field, from[field]]));
}
