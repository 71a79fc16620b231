import { Ajv2020 } from "ajv/dist/2020.js";
import { setTimeout as delay } from "node:timers/promises";
import { applyMergePatch } from "../../src/runtime/merge-patch.ts";
import { systemClock, type Clock } from "../../src/clock.ts";
import { manifest } from "../../src/generated/manifest.ts";
import type { ActionName } from "../../src/manifest/types.ts";
import type {
  Alert,
  AlertEvent,
  AlertMessage,
  ConnectorRun,
  Json,
  JsonObject,
  LogMessage,
  Message,
  ResultMessage,
  ResultStatus,
} from "../../src/runtime/protocol.ts";
import { messageIn } from "./messages.ts";
import { readToEnd, startHere, startProcess, type PluginOutput, type PluginRun, type Program } from "./plugin-run.ts";
import {
  actionRequest,
  connectorFields,
  connectorRequest,
  instanceParameters,
  type ActionCall,
  type Credentials,
} from "./requests.ts";
import { StoredFindings } from "./stored-findings.ts";

/** When a host writes the state that travels with an alert. A host with transactions writes both as one. */
export type StateIsWritten = "with the alert" | "after the alert" | "before the alert" | "at the end" | "never";

export interface HostOptions {
  /** Path of the built plugin.mjs, which runs in a process of its own; without it the sources run in this process. */
  plugin?: string;
  /** The bundle that runs in this process instead of the sources. With a plugin too, polls choose between the two. */
  program?: Program;
  /** Default: with the alert. */
  writesState?: StateIsWritten;
  /** The plugin's clock when it runs in this process. */
  clock?: Clock;
}

/** When host and plugin die, whichever comes first. */
export interface Death {
  /** Bytes of the plugin's output that the host has read by then. */
  bytes?: number;
  /** Alerts that the host has taken by then. */
  alerts?: number;
  /** Milliseconds after the start. */
  ms?: number;
  /** The host was between writing the last alert and its state, one of which is not written. */
  between?: boolean;
}

export interface PollOptions {
  /** Connector fields that differ from a well configured connector. */
  fields?: Record<string, unknown>;
  run?: Partial<ConnectorRun>;
  /** Milliseconds from now until the run's deadline. */
  deadlineMs?: number;
  /** Environment variables of the plugin's process. */
  environment?: NodeJS.ProcessEnv;
  /** Of a plugin and a program, runs the plugin in a process of its own; default: if there are environment variables. */
  asProcess?: boolean;
  dies?: Death;
}

export interface Poll {
  /** "died": the host never saw the result. */
  status: ResultStatus | "died";
  message: string;
  value: Json;
  json: JsonObject;
  /** What the plugin delivered, known alerts included. */
  alerts: Alert[];
  events: AlertEvent[];
  /** Findings that the host did not hold before. */
  delivered: number;
  /** Findings in alerts whose id the host knew; it dropped them. */
  recognised: number;
  log: string[];
  /** Bytes of the plugin's output that the host has read. */
  bytes: number;
}

export interface HostedCall extends ActionCall {
  name: ActionName;
  /** Instance parameters that differ from a well configured instance. */
  instance?: object;
}

export interface ActionRun extends PluginOutput {
  result: ResultMessage;
  logs: LogMessage[];
}

const ajv = new Ajv2020({ strict: false, validateSchema: false });

/** The host that tests drive: it runs the plugin over the host contract and keeps alerts and state in memory. */
export class TestHost {
  /** The connector's state; a test may lose it, or put another one in its place. */
  state: Json = null;
  readonly stored = new StoredFindings();
  readonly #credentials: Credentials;
  readonly #options: HostOptions;
  readonly #clock: Clock;

  constructor(credentials: Credentials, options: HostOptions = {}) {
    this.#credentials = credentials;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  /** Runs the connector once, and keeps what it delivers. */
  async poll({ fields, run, deadlineMs, environment, asProcess, dies = {} }: PollOptions = {}): Promise<Poll> {
    const deadline = deadlineMs === undefined ? {} : { deadline: this.#instant(deadlineMs) };
    const parameters = { ...connectorFields(this.#credentials), ...fields };
    const request = connectorRequest(parameters, this.state, { ...run, ...deadline });
    const started = this.#start(request, environment, asProcess);
    const timer = new AbortController();
    if (dies.ms !== undefined) void killAfter(dies.ms, started, timer.signal);
    const poll = await this.#listen(started, dies);
    timer.abort();
    if (poll.status === "died") started.kill();
    const { code, stderr } = await started.ended;
    const mayDie = Object.keys(dies).length > 0;
    if (!mayDie && (code !== 0 || stderr !== "" || poll.status === "died"))
      throw new Error(`The plugin crashed with exit code ${String(code)}: ${stderr}`);
    return poll;
  }

  /** Runs an action to its end, and checks its result against the schema that the manifest declares. */
  async act({ name, instance = {}, ...call }: HostedCall): Promise<ActionRun> {
    const request = actionRequest(name, { ...instanceParameters(this.#credentials), ...instance }, call);
    const output = await readToEnd(this.#start(request));
    const result = output.messages.at(-1);
    if (result?.type !== "result") throw new Error(`${name} ended without a result: ${output.stderr}`);
    const schema = manifest.actions.find((action) => action.name === name)?.result.schema ?? {};
    if (result.json !== undefined && !ajv.validate(schema, result.json))
      throw new Error(`The result of ${name} does not fit its schema: ${ajv.errorsText()}`);
    if (`${output.stdout}${output.stderr}`.includes(this.#credentials.tokenKey))
      throw new Error("The token key was written.");
    return { ...output, result, logs: output.messages.filter((message) => message.type === "log") };
  }

  #instant(msFromNow: number): string {
    return new Date(this.#clock.now() + msFromNow).toISOString();
  }

  #start(request: object, env?: NodeJS.ProcessEnv, asProcess = env !== undefined): PluginRun {
    const { plugin, program } = this.#options;
    const runsHere = plugin === undefined || (program !== undefined && !asProcess);
    return runsHere ? startHere(request, this.#clock, program) : startProcess(plugin, request, env && { env });
  }

  async #listen(
    { stdout }: PluginRun,
    { bytes: most = Infinity, alerts = Infinity, between = false }: Death,
  ): Promise<Poll> {
    const poll = emptyPoll();
    let unread = "";
    for await (const chunk of stdout as AsyncIterable<Buffer>) {
      const part = chunk.subarray(0, most - poll.bytes);
      poll.bytes += part.length;
      // A character may lie in two chunks, so text is only read from whole lines.
      const lines = (unread + part.toString("latin1")).split("\n");
      unread = lines.pop() ?? "";
      for (const line of lines) {
        if (poll.status !== "died") throw new Error("The plugin went on after its result.");
        const message = messageIn(Buffer.from(line, "latin1").toString());
        if (message.type === "alert" && poll.alerts.length >= alerts) return poll;
        const last = message.type === "alert" && poll.alerts.length + 1 >= alerts;
        this.#take(message, poll, last && between);
        if (last) return poll;
      }
      if (poll.bytes >= most) return poll;
    }
    return poll;
  }

  /** @param halved - the host dies between writing the alert and its state */
  #take(message: Message, poll: Poll, halved: boolean): void {
    if (message.type === "log") poll.log.push(message.message);
    if (message.type === "alert") this.#takeAlert(message, poll, halved);
    if (message.type !== "result") return;
    const { status, message: told, value, json = {} } = message;
    Object.assign(poll, { status, message: told, value, json });
    if (message.checkpoint !== undefined && this.#options.writesState !== "never") this.state = message.checkpoint;
  }

  #takeAlert({ alert, checkpoint }: AlertMessage, poll: Poll, halved: boolean): void {
    const { writesState = "with the alert" } = this.#options;
    poll.alerts.push(alert);
    poll.events.push(...alert.events);
    if (!(halved && writesState === "before the alert")) {
      const fresh = this.stored.store(alert);
      poll.delivered += fresh ?? 0;
      if (fresh === null) poll.recognised += alert.events.length;
    }
    const writesNow = writesState !== "never" && writesState !== "at the end";
    if (writesNow && checkpoint !== undefined && !(halved && writesState === "after the alert"))
      this.state = applyMergePatch(this.state, checkpoint);
  }
}

async function killAfter(ms: number, run: PluginRun, signal: AbortSignal): Promise<void> {
  try {
    await delay(ms, undefined, { signal });
    run.kill();
  } catch {
    // The run was over before.
  }
}

function emptyPoll(): Poll {
  return {
    status: "died",
    message: "",
    value: null,
    json: {},
    alerts: [],
    events: [],
    delivered: 0,
    recognised: 0,
    log: [],
    bytes: 0,
  };
}
