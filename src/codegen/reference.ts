import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { format, resolveConfig } from "prettier";
import type { Manifest, Parameter } from "../manifest/manifest.ts";
import { readSourceProject } from "../manifest/project.ts";

const BEGIN = "<!-- reference:begin (npm run reference writes this part from integration.json) -->";
const END = "<!-- reference:end -->";

/** The README with its reference part brought up to date from the manifest. */
export async function readmeWithReference(rootDir: string): Promise<string> {
  const path = join(rootDir, "README.md");
  const [readme, { manifest }, config] = await Promise.all([
    readFile(path, "utf8"),
    readSourceProject(rootDir),
    resolveConfig(path),
  ]);
  const [before, after] = [readme.indexOf(BEGIN), readme.indexOf(END)];
  if (before === -1 || after < before) throw new Error(`README.md has no part between "${BEGIN}" and "${END}"`);
  const text = `${readme.slice(0, before)}${BEGIN}\n\n${reference(manifest)}\n\n${readme.slice(after)}`;
  return format(text, { ...config, parser: "markdown" });
}

function reference(manifest: Manifest): string {
  return [
    "### Instance",
    table(manifest.instance.parameters),
    ...manifest.connectors.flatMap(({ name, description, fields }) => [
      `### Connector: ${name}`,
      description,
      table(fields),
    ]),
    ...manifest.actions.flatMap(({ name, description, parameters, result }) => [
      `### Action: ${name}`,
      `${description} Value: ${result.value}.`,
      ...(parameters.length === 0 ? [] : [table(parameters)]),
    ]),
  ].join("\n\n");
}

function table(parameters: readonly Parameter[]): string {
  const rows = parameters.map(({ name, type, unit, mandatory, secret, default: preset, description }) => {
    const kind = [secret ? "secret" : type, ...(unit === undefined ? [] : [`(${unit})`])].join(" ");
    return `| ${name} | ${kind} | ${mandatory ? "yes" : "no"} | ${preset === null ? "" : `\`${preset}\``} | ${description} |`;
  });
  return ["| label | type | needed | default | meaning |", "|---|---|---|---|---|", ...rows].join("\n");
}
