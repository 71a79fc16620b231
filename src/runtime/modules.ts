import type { Clock } from "../clock.ts";
import type { Deadline } from "../deadline.ts";
import type { Logger } from "../logger.ts";
import type {
  ActionName,
  ActionParameters,
  ActionResult,
  ConnectorName,
  ConnectorParameters,
  InstanceParameters,
  JobName,
  JobParameters,
  JobResult,
} from "../manifest/types.ts";
import type { Transport } from "../service/transport.ts";
import type {
  Alert,
  AlertChangeMessage,
  ConnectorRun,
  EntityUpdate,
  Insight,
  JobAlert,
  Json,
  JsonObject,
  ResultTable,
  RunBase,
} from "./protocol.ts";

/** What every run has. */
export interface RunContext {
  readonly run: RunBase;
  readonly clock: Clock;
  /** Uniform in [0, 1), like Math.random. */
  readonly random: () => number;
  /**
   * When the work must stop: early enough before the host's deadline to write a result, or as soon as the host ends the
   * run. The reason of its signal is a readable error.
   */
  readonly deadline: Deadline;
  readonly log: Logger;
  /** Reports progress to the host. Call it as often as you like: the host gets at most a few messages per second. */
  readonly progress: (done: number, total: number, label: string) => void;
  /** How to send requests to the service, where the program around the run has a way of its own. */
  readonly transport?: Transport;
}

export interface ActionContext<N extends ActionName> extends RunContext {
  readonly instance: InstanceParameters;
  readonly parameters: ActionParameters<N>;
  /** What an in_progress result of this action returned; null on the first run. */
  readonly state: Json;
  /** What the host knows of the case or alert that the action runs on. */
  readonly context: JsonObject;
}

export interface ConnectorContext<N extends ConnectorName> extends RunContext {
  readonly run: ConnectorRun;
  readonly parameters: ConnectorParameters<N>;
  /** The checkpoint of the last run; null on the first. */
  readonly state: Json;
  /**
   * Delivers one alert to the host, with the JSON merge patch (RFC 7396) that updates the state once it is stored, and the one that does
   * so without it: see AlertMessage.
   * Resolves when the host can take more, so that awaiting it keeps memory flat. Once the run must stop, it waits for the host
   * no longer. The alert counts as delivered then, too: it is written before the result, so no host has the result without it.
   */
  readonly deliver: (alert: Alert, patch?: JsonObject, withoutAlert?: JsonObject) => Promise<void>;
}

export type AlertChange = Omit<AlertChangeMessage, "type">;

export interface JobContext<N extends JobName> extends RunContext {
  readonly parameters: JobParameters<N>;
  readonly alerts: readonly JobAlert[];
  /** The checkpoint of the last run; null on the first. */
  readonly state: Json;
  /** Asks the host for a change of one alert. Resolves as `deliver` of a connector does. */
  readonly change: (change: AlertChange) => Promise<void>;
}

/** A lookup by name, so that the compiler derives each result type once and not for every possible `N`. */
type ActionResults = { readonly [N in ActionName]: ActionResult<N> };

export interface ActionOutcome<N extends ActionName> {
  status: "completed" | "in_progress" | "failed";
  /** One clear sentence for people. */
  message: string;
  /** For playbook conditions. A failed run has the value that the manifest declares instead. */
  value: Json;
  json?: ActionResults[N];
  /** Facts about entities that the context names, for hosts that can enrich them. */
  entities?: EntityUpdate[];
  /** The result for people, for hosts that show tables beside the message. */
  tables?: ResultTable[];
  /** What nobody who works on the case should miss, for hosts that can point it out. */
  insight?: Insight;
  /** With in_progress: handed back in the next run. */
  state?: Json;
}

export interface ConnectorOutcome {
  status: "completed" | "partial" | "failed";
  message: string;
  value: Json;
  json?: JsonObject;
  /** The whole state once all alerts are stored; absent: the host keeps what it has. */
  checkpoint?: JsonObject;
}

export interface JobOutcome<N extends JobName> {
  status: "completed" | "partial" | "failed";
  message: string;
  value: Json;
  json?: JobResult<N>;
  /** The whole state once all changes were asked for; absent: the host keeps what it has. */
  checkpoint?: JsonObject;
}

export interface ActionModule<N extends ActionName> {
  readonly kind: "action";
  readonly name: N;
  run(context: ActionContext<N>): Promise<ActionOutcome<N>>;
}

export interface ConnectorModule<N extends ConnectorName> {
  readonly kind: "connector";
  readonly name: N;
  run(context: ConnectorContext<N>): Promise<ConnectorOutcome>;
}

export interface JobModule<N extends JobName> {
  readonly kind: "job";
  readonly name: N;
  run(context: JobContext<N>): Promise<JobOutcome<N>>;
}

/** The entry points, each loaded only when a request names it. A name that the manifest does not declare does not compile. */
export interface PluginModules {
  readonly actions: { readonly [N in ActionName]: () => Promise<{ default: ActionModule<N> }> };
  readonly connectors: { readonly [N in ConnectorName]: () => Promise<{ default: ConnectorModule<N> }> };
  readonly jobs: { readonly [N in JobName]: () => Promise<{ default: JobModule<N> }> };
}

/** Declares the action of this name in the manifest; an error that it throws becomes a failed result. */
export function defineAction<N extends ActionName>(
  name: N,
  run: (context: ActionContext<N>) => Promise<ActionOutcome<N>>,
): ActionModule<N> {
  return { kind: "action", name, run };
}

/** Declares the connector of this name in the manifest; an error that it throws becomes a failed result. */
export function defineConnector<N extends ConnectorName>(
  name: N,
  run: (context: ConnectorContext<N>) => Promise<ConnectorOutcome>,
): ConnectorModule<N> {
  return { kind: "connector", name, run };
}

/** Declares the job of this name in the manifest; an error that it throws becomes a failed result. */
export function defineJob<N extends JobName>(
  name: N,
  run: (context: JobContext<N>) => Promise<JobOutcome<N>>,
): JobModule<N> {
  return { kind: "job", name, run };
}
