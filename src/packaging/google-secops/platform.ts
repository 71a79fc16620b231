import type { Manifest, Parameter } from "../../manifest/manifest.ts";
import { kebabCase } from "../../manifest/rules.ts";

/*
 * Names and codes of Google SecOps SOAR, as its content packages use them (chronicle/content-hub, packages/mp) and its
 * scripts meet them (chronicle/soar-sdk).
 */

/** Types of integration and connector parameters. */
const scriptTypes = { boolean: 0, integer: 1, string: 2, list: 2 } as const;
const SCRIPT_PASSWORD = 3;

/** Types of action parameters: another list. There is no integer among them; it travels as text. */
const actionTypes = { string: 0, list: 0, integer: 0, boolean: 1 } as const;
const ACTION_PASSWORD = 12;

export function scriptType({ secret, type }: Pick<Parameter, "secret" | "type">): number {
  return secret ? SCRIPT_PASSWORD : scriptTypes[type];
}

export function actionType({ secret, type }: Pick<Parameter, "secret" | "type">): number {
  return secret ? ACTION_PASSWORD : actionTypes[type];
}

/** Connector fields that the platform reads itself, under names of its own. */
const platformFields: ReadonlyMap<string, string> = new Map([
  ["Product Field Name", "DeviceProductField"],
  ["Event Field Name", "EventClassId"],
]);

/** How the platform calls a connector's field; `own` when the platform itself reads it. */
export function connectorField(label: string): { name: string; own: boolean } {
  const name = platformFields.get(label);
  return { name: name ?? label, own: name !== undefined };
}

/** `Fetch Assets` is `fetch_assets`: a script and its definition are paired by this stem. */
export function stemOf(name: string): string {
  return kebabCase(name).replaceAll("-", "_");
}

/** The Python modules that the scripts share, as they are called in the source tree. */
export const pythonModules = [
  "launcher",
  "alert_environment",
  "alert_findings",
  "alert_list",
  "ca_certificate",
  "case_wall",
  "delivery",
  "job",
  "job_memory",
  "node_search",
  "platform_alerts",
  "platform_calls",
  "plugin_process",
  "redaction",
  "session",
  "time_limit",
] as const;
export type PythonModule = (typeof pythonModules)[number];

/** What a shared module is called in the package: `AttackPathAnalysisLauncher`. */
export function moduleName({ name }: Manifest, module: PythonModule | "content_hash"): string {
  const words = [...name.split(/[^A-Za-z0-9]+/), ...module.split("_")];
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
}

/** JSON as the platform's own tools write it: keys sorted, indented by four. */
export function platformJson(value: unknown): string {
  return `${JSON.stringify(sorted(value), null, 4)}\n`;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]));
}
