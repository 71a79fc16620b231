import { spawn } from "node:child_process";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { python, soarSdk, type Installation } from "./installation.ts";
import type { StandInPlatform } from "./platform.ts";

export interface ScriptRun {
  exitCode: number | null;
  stdout: string;
  stderr: string;
}

/** A script that was started and may still run. */
export interface StartedScript {
  pid: number;
  /** Resolves when the first byte has come out of standard output. */
  spoke: Promise<void>;
  ended: Promise<ScriptRun>;
}

export interface ScriptOptions {
  /** Overrides of environment variables; undefined removes one. */
  env?: Record<string, string | undefined>;
}

/** Starts a script as the platform does: its own process, context on standard input, working directory with the managers. */
export function startScript(
  installation: Installation,
  platform: StandInPlatform,
  file: string,
  args: readonly string[],
  context: object,
  { env = {} }: ScriptOptions = {},
): StartedScript {
  const child = spawn(python.found, [file, ...args, `--logPath=${join(installation.folder, "script.log")}`], {
    cwd: installation.folder,
    env: {
      PATH: process.env["PATH"],
      ...platform.environment,
      PYTHONPATH: [installation.folder, soarSdk, installation.sitePackages].join(":"),
      PYTHONDONTWRITEBYTECODE: "1",
      ...env,
    },
  });
  const spoke = new Promise<void>((resolve) =>
    child.stdout.once("data", () => {
      resolve();
    }),
  );
  const exited = new Promise<number | null>((resolve) => child.once("close", resolve));
  const ended = Promise.all([exited, text(child.stdout), text(child.stderr)]).then(([exitCode, stdout, stderr]) => ({
    exitCode,
    stdout,
    stderr,
  }));
  child.stdin.end(`\uFEFF${JSON.stringify(context)}`);
  return { pid: child.pid ?? 0, spoke, ended };
}

/** Makes Python write nothing but ASCII, as on a machine without a locale. */
export const asciiOnly = { LC_ALL: "C", PYTHONUTF8: "0", PYTHONCOERCECLOCALE: "0" };

/** What an action answers. */
export interface ActionAnswer {
  state: number;
  message: string;
  value: unknown;
  /** Text of the JSON result as the platform stores it; null when there is none. */
  json: string | null;
  /** The lines of each table by its title. */
  tables: Record<string, string[]>;
  debugOutput: string;
  stderr: string;
}

export interface ActionOptions extends ScriptOptions {
  parameters?: Record<string, string>;
  /** Fields of the context that differ from an ordinary run. */
  context?: object;
  /** What the platform says of an asynchronous action: is it the first run? */
  firstRun?: "True" | "False";
}

const instance = "11111111-2222-3333-4444-555555555555";

export function startAction(
  installation: Installation,
  platform: StandInPlatform,
  name: string,
  { parameters = {}, context = {}, firstRun, env = {} }: ActionOptions = {},
): StartedScript {
  const given = {
    target_entities: [{ item1: "ALICE@EXAMPLE.LOCAL", item2: "USERUNIQNAME" }],
    case_id: "12",
    alert_id: "A_1",
    environment: "Default Environment",
    workflow_id: "w1",
    parameters,
    integration_identifier: "attack_path_analysis",
    integration_instance: instance,
    action_definition_name: name,
    original_requesting_user: "analyst",
    execution_deadline_unix_time_ms: Date.now() + 300_000,
    default_result_value: "",
    ...context,
  };
  const args = [platform.appKey, ...(firstRun === undefined ? [] : [firstRun]), "--correlationId=c1", "--useElastic"];
  return startScript(installation, platform, installation.script("action", stem(name)), args, given, { env });
}

/** What the SDK makes of one part of a result. */
interface ResultObject {
  Title: string;
  RawJson: string;
  CSVLines: string[] | "";
}

/** Runs an action to its end; fails when standard output is anything but one JSON document. */
export async function runAction(...given: Parameters<typeof startAction>): Promise<ActionAnswer> {
  const { exitCode, stdout, stderr } = await startAction(...given).ended;
  if (exitCode !== 0) throw new Error(`exit code ${exitCode}\n${stderr}`);
  const answer = JSON.parse(stdout) as Record<string, unknown>;
  const results = JSON.parse(String(answer["ResultObjectJson"])) as Record<string, ResultObject>;
  return {
    state: Number(answer["ExecutionState"]),
    message: String(answer["Message"]),
    value: answer["ResultValue"],
    json: results["JsonResult"]?.RawJson ?? null,
    tables: Object.fromEntries(
      Object.values(results).flatMap(({ Title, CSVLines }) => (CSVLines === "" ? [] : [[Title, CSVLines]])),
    ),
    debugOutput: String(answer["DebugOutput"]),
    stderr,
  };
}

/** What a connector hands over. */
export interface ConnectorAnswer {
  exitCode: number | null;
  alerts: Record<string, unknown>[];
  overflowed: Record<string, unknown>[];
  log: { message: string; log_level: number }[];
  stderr: string;
}

export interface ConnectorOptions extends ScriptOptions {
  fields?: Record<string, string>;
  test?: boolean;
}

export const connectorIdentifier = "connector-7";

export function startConnector(
  installation: Installation,
  platform: StandInPlatform,
  { fields = {}, test = false, env = {} }: ConnectorOptions = {},
): StartedScript {
  const values = { DeviceProductField: "device_product", EventClassId: "finding_type", PythonProcessTimeout: "300" };
  const context = {
    connector_info: {
      environment: "Default Environment",
      integration: "attack_path_analysis",
      connector_definition_name: "Attack Path Findings",
      identifier: connectorIdentifier,
      display_name: "Findings",
      description: "",
      result_data_type: 1,
      params: Object.entries({ ...values, ...fields }).map(([param_name, param_value]) => ({
        param_name,
        param_value,
      })),
      allow_list: [],
    },
    vault_settings: null,
    environment_api_key: null,
    connector_api_key: null,
  };
  const file = installation.script("connector", "attack_path_findings");
  return startScript(installation, platform, file, [test ? "False" : "True", platform.appKey], context, { env });
}

/** Runs the connector to its end; fails when standard output is anything but one JSON document. */
export async function runConnector(...given: Parameters<typeof startConnector>): Promise<ConnectorAnswer> {
  return connectorAnswer(await startConnector(...given).ended);
}

export function connectorAnswer({ exitCode, stdout, stderr }: ScriptRun): ConnectorAnswer {
  if (stdout === "") throw new Error(`exit code ${exitCode}, no answer\n${stderr}`);
  const answer = JSON.parse(stdout) as { ResultObjectJson: string };
  const result = JSON.parse(answer.ResultObjectJson) as {
    cases: Record<string, unknown>[];
    overflow_cases: Record<string, unknown>[];
    log_rows: { message: string; log_level: number }[];
  };
  return { exitCode, alerts: result.cases, overflowed: result.overflow_cases, log: result.log_rows, stderr };
}

function stem(name: string): string {
  return name.toLowerCase().replaceAll(" ", "_");
}
