import type { Manifest, ManifestAction, ManifestConnector, ManifestJob, Parameter } from "../../manifest/manifest.ts";
import { connectorField, moduleName, type PythonModule } from "./platform.ts";

/** Sentences that the validators of chronicle/content-hub look for in the text of the Ping script. */
const pingSentences = "Its message begins with 'Successfully connected to the' or with 'Failed to connect to the'.";

/** The Python script of an action. */
export function actionScript(manifest: Manifest, action: ManifestAction): string {
  return script(manifest, action.name, "launcher", "run_action", {
    integration: pythonText(manifest.identifier),
    name: pythonText(action.name),
    instance: pythonList(manifest.instance.parameters.map(({ name }) => name)),
    parameters: pythonList(action.parameters.map(({ name }) => name)),
    secrets: pythonList(secretsOf(manifest.instance.parameters)),
    value_when_failed: action.result.valueWhenFailed === false ? "False" : "None",
    asynchronous: action.resumable === true ? "True" : "False",
  });
}

/** The Python script of a connector. */
export function connectorScript(manifest: Manifest, connector: ManifestConnector): string {
  const fields = connector.fields.filter(({ readBy }) => readBy !== "host");
  return script(manifest, connector.name, "launcher", "run_connector", {
    integration: pythonText(manifest.identifier),
    name: pythonText(connector.name),
    fields: pythonDictionary(fields.map(({ name }) => [name, connectorField(name).name])),
    secrets: pythonList(secretsOf(fields)),
  });
}

/** The Python script of a job. */
export function jobScript(manifest: Manifest, job: ManifestJob): string {
  return script(manifest, job.name, "job", "run_job", {
    integration: pythonText(manifest.identifier),
    name: pythonText(job.name),
    parameters: pythonList(job.parameters.map(({ name }) => name)),
    secrets: pythonList(secretsOf(job.parameters)),
    vendor: pythonText(manifest.vendor),
  });
}

/** @param module - the shared module that has the function `run` */
function script(
  manifest: Manifest,
  name: string,
  module: PythonModule,
  run: string,
  given: Record<string, string>,
): string {
  const summary = `${name}, of ${manifest.name} ${manifest.version}: started by the platform.`;
  const documentation = name === "Ping" ? `${summary}\n\n${pingSentences}\n` : summary;
  const lines = Object.entries(given).map(([key, literal]) => `        ${key}=${literal},`);
  return `"""${documentation}"""

from ${moduleName(manifest, module)} import ${run}

if __name__ == "__main__":
    ${run}(
${lines.join("\n")}
    )
`;
}

function secretsOf(parameters: readonly Parameter[]): string[] {
  return parameters.filter(({ secret }) => secret).map(({ name }) => name);
}

/** A text is spelled in Python as in JSON. */
function pythonText(text: string): string {
  return JSON.stringify(text);
}

/** The style guide of chronicle/content-hub allows 120 characters in a line. */
const LONGEST_LIST = 90;

function pythonList(texts: readonly string[]): string {
  const line = `[${texts.map(pythonText).join(", ")}]`;
  if (line.length <= LONGEST_LIST) return line;
  return `[\n${texts.map((text) => `            ${pythonText(text)},`).join("\n")}\n        ]`;
}

function pythonDictionary(entries: readonly (readonly [string, string])[]): string {
  const lines = entries.map(([key, value]) => `            ${pythonText(key)}: ${pythonText(value)},`);
  return `{\n${lines.join("\n")}\n        }`;
}
