import { Ajv2020 } from "ajv/dist/2020.js";
import type { Manifest, Mapping, Parameter } from "./manifest.ts";
import type { Problem } from "./problems.ts";
import { messageOf } from "../text.ts";

/** Compiles the meta-schema once, which takes far longer than any schema of a result. It remembers nothing of what it validates. */
const metaSchema = new Ajv2020({ code: { optimize: false } });

/** What a JSON Schema cannot say of a manifest. */
export function manifestRules(manifest: Manifest): Problem[] {
  return [
    ...unique(manifest.actions, "/actions", "name"),
    ...unique(manifest.connectors, "/connectors", "name"),
    ...unique(manifest.jobs, "/jobs", "name"),
    ...parameterRules(manifest.instance.parameters, "/instance/parameters"),
    ...(["actions", "jobs"] as const).flatMap((folder) =>
      manifest[folder].flatMap((declared, index) => [
        ...entryRule(declared, `/${folder}/${index}`, folder),
        ...parameterRules(declared.parameters, `/${folder}/${index}/parameters`),
        ...resultSchemaRule(declared.result.schema, `/${folder}/${index}/result/schema`),
      ]),
    ),
    ...manifest.connectors.flatMap((connector, index) => [
      ...entryRule(connector, `/connectors/${index}`, "connectors"),
      ...parameterRules(connector.fields, `/connectors/${index}/fields`),
      ...connector.mappings.flatMap((file, position) =>
        listed(file, manifest.mappings, `/connectors/${index}/mappings/${position}`),
      ),
      ...listed(connector.groupingRule, manifest.groupingRules, `/connectors/${index}/groupingRule`),
    ]),
  ];
}

/** What a JSON Schema cannot say of a mapping. Without both times a platform does not group alerts. */
export function mappingRules(mapping: Mapping): Problem[] {
  const targets = new Set(mapping.rules.map(({ target }) => target));
  const times = ["StartTime", "EndTime"].filter((target) => !targets.has(target));
  const related = (mapping.family?.relations ?? []).flatMap((relation, index) =>
    [
      relation.source,
      ...(relation.fallbackSources ?? []),
      relation.destination,
      ...(relation.fallbackDestinations ?? []),
    ]
      .filter((target) => !targets.has(target))
      .map((target): Problem => ({
        path: `/family/relations/${index}`,
        expected: "ontology fields that a rule fills",
        found: target,
      })),
  );
  return [
    ...unique(mapping.rules, "/rules", "target"),
    ...times.map((target): Problem => ({ path: "/rules", expected: `a rule for ${target}`, found: "none" })),
    ...related,
  ];
}

/** `Fetch Assets` is `fetch-assets` as a file name. */
export function kebabCase(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");
}

function entryRule({ name, entry }: { name: string; entry: string }, path: string, folder: string): Problem[] {
  const expected = `${folder}/${kebabCase(name)}.ts`;
  return entry === expected ? [] : [{ path: `${path}/entry`, expected, found: entry }];
}

function parameterRules(parameters: readonly Parameter[], path: string): Problem[] {
  return [
    ...unique(parameters, path, "name"),
    ...parameters.flatMap(({ default: preset, minimum }, index): Problem[] =>
      typeof preset === "number" && minimum !== undefined && preset < minimum
        ? [{ path: `${path}/${index}/default`, expected: `at least ${minimum}`, found: String(preset) }]
        : [],
    ),
    ...parameters.flatMap(({ default: preset, choices }, index) =>
      typeof preset === "string" && choices !== undefined ? listed(preset, choices, `${path}/${index}/default`) : [],
    ),
  ];
}

function unique<K extends string>(items: readonly Record<K, string>[], path: string, key: K): Problem[] {
  const first = new Map<string, number>();
  return items.flatMap((item, index): Problem[] => {
    const text = item[key].toLowerCase();
    const before = first.get(text);
    if (before === undefined) first.set(text, index);
    return before === undefined
      ? []
      : [{ path: `${path}/${index}/${key}`, expected: `another text than ${path}/${before}/${key}`, found: item[key] }];
  });
}

function listed(file: string, list: readonly string[], path: string): Problem[] {
  return list.includes(file) ? [] : [{ path, expected: `one of ${list.join(", ")}`, found: file }];
}

function resultSchemaRule(schema: object, path: string): Problem[] {
  try {
    void metaSchema.validateSchema(schema, true);
    // A schema may have an "$id", which only an Ajv of its own lets another manifest use again.
    new Ajv2020({ allowUnionTypes: true, strict: true, validateSchema: false, code: { optimize: false } }).compile(
      schema,
    );
    return [];
  } catch (error) {
    return [{ path, expected: "a JSON Schema", found: messageOf(error) }];
  }
}
