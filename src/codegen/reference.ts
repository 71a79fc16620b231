import type { Manifest, Parameter } from "../manifest/manifest.ts";
import { readSourceProject } from "../manifest/project.ts";
import { formatted } from "./formatted.ts";

/** The page, relative to the project. */
export const REFERENCE_PATH = "docs/reference.md";

/** The text of {@link REFERENCE_PATH}: parameters and results as `integration.json` declares them. */
export async function referencePage(rootDir: string): Promise<string> {
  const { manifest } = await readSourceProject(rootDir);
  return formatted(rootDir, REFERENCE_PATH, reference(manifest));
}

function reference(manifest: Manifest): string {
  return [
    "# Parameters and results",
    "<!-- Written by `npm run reference` from integration.json. Do not edit. -->",
    `Every parameter and result of ${manifest.name} ${manifest.version}. A list is text with commas or line feeds between its entries, or a JSON array of strings where an entry holds a comma.`,
    "## Instance",
    parameterTable(manifest.instance.parameters),
    ...manifest.connectors.flatMap(({ name, description, fields }) => [
      `## Connector: ${name}`,
      description,
      parameterTable(fields),
    ]),
    ...manifest.actions.flatMap(({ name, description, parameters, result }) => [
      `## Action: ${name}`,
      description,
      ...(parameters.length === 0 ? [] : [parameterTable(parameters)]),
      `**Value**, for conditions in playbooks: ${result.value}.`,
      "**JSON result:**",
      resultTable(result.schema as Schema),
    ]),
    ...manifest.jobs.flatMap(({ name, description, parameters, result }) => [
      `## Job: ${name}`,
      description,
      parameterTable(parameters),
      `**Value:** ${result.value}.`,
      "**JSON result:**",
      resultTable(result.schema as Schema),
    ]),
  ].join("\n\n");
}

function parameterTable(parameters: readonly Parameter[]): string {
  const rows = parameters.map(({ name, type, unit, mandatory, secret, default: preset, description, example }) => {
    const kind = [secret ? "secret" : type, ...(unit === undefined ? [] : [`(${unit})`])].join(" ");
    const meaning = example === undefined ? description : `${description} Example: \`${example}\`.`;
    return `| ${name} | ${kind} | ${mandatory ? "yes" : "no"} | ${preset === null ? "" : `\`${preset}\``} | ${meaning} |`;
  });
  return ["| label | type | required | default | meaning |", "|---|---|---|---|---|", ...rows].join("\n");
}

/** The parts of JSON Schema that results are declared with. */
interface Schema {
  type?: string | readonly string[];
  description?: string;
  enum?: readonly unknown[];
  properties?: Readonly<Record<string, Schema>>;
  items?: Schema;
  oneOf?: readonly Schema[];
  $ref?: string;
  $defs?: Readonly<Record<string, Schema>>;
}

function resultTable(root: Schema): string {
  const rows = fieldsOf(root, root, "").map(
    ([path, { description = "", ...schema }]) => `| \`${path}\` | ${typeOf(schema)} | ${description} |`,
  );
  return ["| field | type | meaning |", "|---|---|---|", ...rows].join("\n");
}

function fieldsOf(schema: Schema, root: Schema, path: string): [string, Schema][] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, declared]) => {
    const field = resolve(declared, root);
    const here = `${path}${name}`;
    const list = field.items === undefined ? undefined : resolve(field.items, root);
    const inner = list === undefined ? fieldsOf(field, root, `${here}.`) : fieldsOf(list, root, `${here}[].`);
    return [[here, { ...field, ...declared }], ...inner];
  });
}

function resolve(schema: Schema, root: Schema): Schema {
  const name = schema.$ref?.replace("#/$defs/", "");
  return name === undefined ? schema : (root.$defs?.[name] ?? schema);
}

function typeOf({ type, enum: values, oneOf, $ref }: Schema): string {
  if (values !== undefined) return values.map((value) => `\`${String(value)}\``).join(", ");
  if (oneOf !== undefined) return [...new Set(oneOf.map(typeOf))].join(" or ");
  if (type !== undefined) return [type].flat().join(" or ");
  return $ref === undefined ? "any" : "object";
}
