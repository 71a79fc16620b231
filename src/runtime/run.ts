import type { Readable, Writable } from "node:stream";
import { type Clock, withTimeout } from "../clock.ts";
import type { Deadline } from "../deadline.ts";
import { loadPart } from "../load-part.ts";
import type { Manifest, Parameter } from "../manifest/manifest.ts";
import type {
  ActionName,
  ActionParameters,
  ConnectorName,
  ConnectorParameters,
  InstanceParameters,
  JobName,
  JobParameters,
} from "../manifest/types.ts";
import { InputError, InterruptedError, isReadable, RequestError } from "./errors.ts";
import { createLogger } from "./log.ts";
import type { PluginModules, RunContext } from "./modules.ts";
import { type ParameterValue, readParameters, refuseMisplacedSecrets, unknownParameters } from "./parameters.ts";
import { createProgress } from "./progress.ts";
import type { Json, JsonObject, ResultMessage } from "./protocol.ts";
import { createRedactor, type Redactor } from "./redaction.ts";
import { type CheckedRequest, checkRequest, readRequest, secretsIn } from "./request.ts";
import { rejectOnAbort, resolveOnAbort, type RunTime, timeOfRun } from "./run-deadline.ts";
import type { Transport } from "../service/transport.ts";
import { messageOf, sentences } from "../text.ts";
import { printable } from "./printable.ts";
import { createWriter, type MessageWriter } from "./writer.ts";

/** How long a host may take to write its request and to close standard input. */
const REQUEST_TIMEOUT_MS = 120_000;

/** Everything that a run touches outside itself. */
export interface RunOptions {
  stdin: Readable;
  /** Called when the request is large: a process of its own may trade time for memory. */
  onLargeRequest?: () => void;
  stdout: Writable;
  /** For people; the host contract is on stdout alone. */
  stderr: Writable;
  clock: Clock;
  random: () => number;
  manifest: Manifest;
  modules: PluginModules;
  /** Ends the run from outside. With an InterruptedError it may still finish; with any other reason it fails at once. */
  stop: AbortSignal;
  /** Sends the requests to the service; default: HTTP over the network. */
  transport?: Transport;
}

/** The options of one run and what it makes of them. */
interface Session extends RunOptions {
  readonly writer: MessageWriter;
  /** Knows the run's secrets as soon as the request is read. */
  redactor: Redactor;
  /** The value of the result if the run fails; that of the action as soon as the request is read. */
  valueWhenFailed: Json;
  /** Null as long as the request is not read. */
  deadline: Deadline | null;
}

/**
 * One run of the host contract: reads the request, runs what it names, writes the messages and exactly one result.
 *
 * @returns the exit code: 0 when a result was written, also that of a failed run
 */
export async function run(options: RunOptions): Promise<number> {
  const session: Session = {
    ...options,
    writer: createWriter(options.stdout, options.clock),
    redactor: createRedactor([]),
    valueWhenFailed: null,
    deadline: null,
  };
  const result = await answer(session).catch((error: unknown) => failure(session, error));
  try {
    await session.writer.finish(clean(session, result), session.deadline?.signal ?? session.stop);
    return 0;
  } catch (error) {
    await writeToStderr(session, isReadable(error) ? error.message : error);
    return 1;
  } finally {
    session.deadline?.release();
  }
}

async function answer(session: Session): Promise<ResultMessage> {
  const { clock, manifest, stop, writer } = session;
  const received = await receive(session);
  session.redactor = createRedactor(secretsIn(received, manifest));
  session.valueWhenFailed = valueWhenFailed(received, manifest);
  const request = checkRequest(received, manifest);
  const time = timeOfRun(clock, request.deadline, [stop, writer.closed]);
  session.deadline = time.deadline;
  return await letFinish(RUNS[request.kind](session, request, time.deadline), time, clock);
}

function receive({ stdin, onLargeRequest, clock, stop }: Session): Promise<Record<string, unknown>> {
  const late = new RequestError(
    "No complete request arrived in time. The host must write one JSON request to standard input and close it.",
  );
  return rejectOnAbort(withTimeout(readRequest(stdin, onLargeRequest), REQUEST_TIMEOUT_MS, clock, late), stop);
}

/** Gives the work a moment to finish by itself after an interruption. Any other error ends the run at once. */
async function letFinish<T>(work: Promise<T>, { deadline, graceMs }: RunTime, clock: Clock): Promise<T> {
  try {
    return await rejectOnAbort(work, deadline.signal);
  } catch (error) {
    if (!(error instanceof InterruptedError)) throw error;
    return await withTimeout(work, graceMs, clock, error);
  }
}

async function runAction(session: Session, request: CheckedRequest, deadline: Deadline): Promise<ResultMessage> {
  const { manifest, modules } = session;
  const name = request.name as ActionName;
  const declared = manifest.actions.find((action) => action.name === name)?.parameters ?? [];
  const context = createContext(session, request, deadline);
  const read = createParameterReader(context, session.redactor);
  const instance = read(manifest.instance.parameters, request.instance, "in the settings of the integration instance");
  const parameters = read(declared, request.parameters, `in the parameters of the action ${name}`);
  if (session.redactor.isIn(request.context["entities"] ?? null)) {
    throw new InputError(
      "A selected entity contains the token key or another secret. No request was sent. Remove the entity, and rotate the token.",
    );
  }
  const { default: module } = await loadPart(modules.actions[name]);
  const outcome = await module.run({
    ...context,
    instance: instance as unknown as InstanceParameters,
    // The manifest that the types are made of is the one that the values were just checked against.
    parameters: parameters as unknown as ActionParameters<ActionName>,
    state: request.state,
    context: request.context,
  });
  return { type: "result", ...(outcome as Omit<ResultMessage, "type">) };
}

async function runConnector(session: Session, request: CheckedRequest, deadline: Deadline): Promise<ResultMessage> {
  const { manifest, modules, writer } = session;
  const name = request.name as ConnectorName;
  const declared = manifest.connectors.find((connector) => connector.name === name)?.fields ?? [];
  const context = createContext(session, request, deadline);
  const parameters = createParameterReader(context, session.redactor)(
    declared,
    request.parameters,
    "in the settings of the connector",
  );
  const { default: module } = await loadPart(modules.connectors[name]);
  const outcome = await module.run({
    ...context,
    run: request.run,
    parameters: parameters as unknown as ConnectorParameters<ConnectorName>,
    state: request.state,
    deliver: (alert, checkpoint, checkpointWithoutAlert) => {
      const state = { ...(checkpoint && { checkpoint }), ...(checkpointWithoutAlert && { checkpointWithoutAlert }) };
      return resolveOnAbort(writer.write({ type: "alert", alert, ...state }), deadline.signal);
    },
  });
  return { type: "result", ...outcome };
}

async function runJob(session: Session, request: CheckedRequest, deadline: Deadline): Promise<ResultMessage> {
  const { manifest, modules, redactor, writer } = session;
  const name = request.name as JobName;
  const declared = manifest.jobs.find((job) => job.name === name)?.parameters ?? [];
  const context = createContext(session, request, deadline);
  const parameters = createParameterReader(context, session.redactor)(
    declared,
    request.parameters,
    "in the settings of the job",
  );
  const { default: module } = await loadPart(modules.jobs[name]);
  const outcome = await module.run({
    ...context,
    parameters: parameters as unknown as JobParameters<JobName>,
    alerts: request.alerts,
    state: request.state,
    change: ({ text, ...change }) => {
      const said = printable(redactor.text(text));
      return resolveOnAbort(writer.write({ type: "alert_change", ...change, text: said }), deadline.signal);
    },
  });
  return { type: "result", ...(outcome as Omit<ResultMessage, "type">) };
}

const RUNS = { action: runAction, connector: runConnector, job: runJob };

/** What the manifest declares; the request is not checked yet. */
function valueWhenFailed({ kind, name }: Record<string, unknown>, { actions }: Manifest): Json {
  const declared = kind === "action" ? actions.find((action) => action.name === name) : undefined;
  return declared?.result.valueWhenFailed ?? null;
}

function createContext(
  { writer, redactor, clock, random, transport }: Session,
  { run }: CheckedRequest,
  deadline: Deadline,
): RunContext {
  return {
    run,
    clock,
    random,
    deadline,
    // A test run exists to find problems, so it logs everything.
    log: createLogger({ writer, redactor, level: run.logLevel ?? (run.test ? "debug" : "info"), runId: run.id }),
    progress: createProgress(writer, clock),
    ...(transport && { transport }),
  };
}

function createParameterReader({ log }: RunContext, redactor: Redactor) {
  return (
    declared: readonly Parameter[],
    given: Readonly<Record<string, unknown>>,
    place: string,
  ): Record<string, ParameterValue> => {
    const unknown = unknownParameters(declared, given);
    if (unknown.length > 0) log.warn("Ignored parameters that this plugin does not declare.", { unknown });
    const values = readParameters(declared, given, place);
    refuseMisplacedSecrets(declared, values, redactor);
    return values;
  };
}

async function failure(session: Session, error: unknown): Promise<ResultMessage> {
  if (isReadable(error)) return { type: "result", status: "failed", message: error.message, value: null };
  await writeToStderr(session, error);
  const reason = messageOf(error);
  return {
    type: "result",
    status: "failed",
    message: `The plugin failed unexpectedly: ${reason}. Report this with the text that it wrote to standard error.`,
    value: null,
  };
}

/**
 * The result as the host gets it: without secrets. The value of a failed run is decided here, so that no way to fail can
 * take "unknown" for "no".
 */
function clean({ redactor, valueWhenFailed: failed }: Session, result: ResultMessage): ResultMessage {
  const { message, ...rest } = result.status === "failed" ? { ...result, value: failed } : result;
  const redacted = redactor.json(rest as unknown as JsonObject) as unknown as Omit<ResultMessage, "message">;
  return { ...result, ...redacted, message: sentences([printable(redactor.text(message))]) };
}

/** Writes the error with its stack to stderr. Resolves when it is written, or cannot be. */
function writeToStderr({ redactor, stderr }: Session, error: unknown): Promise<void> {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const lines = redactor.text(text).split("\n").map(printable);
  return new Promise((resolve) => {
    stderr.once("error", () => {
      resolve();
    });
    stderr.write(`${lines.join("\n")}\n`, () => {
      resolve();
    });
  });
}
