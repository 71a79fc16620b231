import { createHash } from "node:crypto";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { isStandInSdk, python, soarSdk, type Installation } from "./installation.ts";
import type { StandInPlatform } from "./platform.ts";
import { runServed, type Script, type ScriptRun } from "./script-server.ts";

/** A script that was started and may still run. */
export interface StartedScript {
  kill(signal: NodeJS.Signals): void;
  /** Resolves when the first byte has come out of standard output. */
  spoke: Promise<void>;
  ended: Promise<ScriptRun>;
}

export interface ScriptOptions {
  /** Overrides of environment variables; undefined removes one. */
  env?: Record<string, string | undefined>;
}

/** A script as the platform runs it: context on standard input, working directory with the managers. */
function scriptOf(
  installation: Installation,
  platform: StandInPlatform,
  file: string,
  args: readonly string[],
  context: object,
  { env = {} }: ScriptOptions,
): Script {
  return {
    argv: [file, ...args, `--logPath=${join(installation.folder, "script.log")}`],
    cwd: installation.folder,
    env: {
      PATH: process.env["PATH"],
      ...platform.environment,
      PYTHONPATH: [installation.folder, soarSdk, installation.sitePackages].join(":"),
      PYTHONDONTWRITEBYTECODE: "1",
      ...env,
    },
    input: `\uFEFF${JSON.stringify(context)}`,
  };
}

/** Starts Python with a script. */
function start({ argv, cwd, env, input }: Script): StartedScript {
  const child = spawn(python.found, argv, { cwd, env });
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
  child.stdin.end(input);
  return { kill: (signal) => void child.kill(signal), spoke, ended };
}

/** Environment variables that Python itself reads when it starts. */
const OF_PYTHON = ["LC_ALL", "PYTHONPATH"];

/** Runs a script to its end. Python is started for it if that may make a difference. */
function run(script: Script, { env = {} }: ScriptOptions): Promise<ScriptRun> {
  const startsPython = !isStandInSdk || OF_PYTHON.some((name) => name in env);
  return startsPython ? start(script).ended : runServed(script);
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

type ActionCall = [installation: Installation, platform: StandInPlatform, name: string, options?: ActionOptions];

function actionScript(...[installation, platform, name, options = {}]: ActionCall): Script {
  const { parameters = {}, context = {}, firstRun } = options;
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
  return scriptOf(installation, platform, installation.script("action", stem(name)), args, given, options);
}

export function startAction(...call: ActionCall): StartedScript {
  return start(actionScript(...call));
}

/** What the SDK makes of one part of a result. */
interface ResultObject {
  Title: string;
  RawJson: string;
  CSVLines: string[] | "";
}

/** Runs an action to its end; fails when standard output is anything but one JSON document. */
export async function runAction(...call: ActionCall): Promise<ActionAnswer> {
  const { exitCode, stdout, stderr } = await run(actionScript(...call), call[3] ?? {});
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

type ConnectorCall = [installation: Installation, platform: StandInPlatform, options?: ConnectorOptions];

function connectorScript(...[installation, platform, options = {}]: ConnectorCall): Script {
  const { fields = {}, test = false } = options;
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
  return scriptOf(installation, platform, file, [test ? "False" : "True", platform.appKey], context, options);
}

export function startConnector(...call: ConnectorCall): StartedScript {
  return start(connectorScript(...call));
}

/** Runs the connector to its end; fails when standard output is anything but one JSON document. */
export async function runConnector(...call: ConnectorCall): Promise<ConnectorAnswer> {
  return connectorAnswer(await run(connectorScript(...call), call[2] ?? {}));
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

export interface JobOptions extends ScriptOptions {
  parameters?: Record<string, string>;
  /** Fields of the context that differ from an ordinary run. */
  context?: object;
}

/** What a job that has ended leaves: it answers nothing, and its log is its only word. */
export interface JobAnswer {
  exitCode: number | null;
  stderr: string;
}

export const jobIdentifier = "job-3";

/** Runs the job to its end; fails when standard output is anything but at most one JSON document. */
export async function runJob(
  installation: Installation,
  platform: StandInPlatform,
  options: JobOptions = {},
): Promise<JobAnswer> {
  const given = { parameters: options.parameters ?? {}, unique_identifier: jobIdentifier, vault_settings: null };
  const context = { ...given, ...options.context };
  const file = installation.script("job", "follow_up_findings");
  const { exitCode, stdout, stderr } = await run(
    scriptOf(installation, platform, file, [platform.appKey], context, options),
    options,
  );
  if (stdout !== "") JSON.parse(stdout);
  return { exitCode, stderr };
}

function stem(name: string): string {
  return name.toLowerCase().replaceAll(" ", "_");
}

/** The id that the platform gets of an alert in one of its environments. */
export function idOf(id: string, environment = "Default Environment"): string {
  return `${id}-${createHash("sha256").update(environment).digest("hex").slice(0, 8)}`;
}
