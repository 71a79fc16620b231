import type { Readable, Writable } from "node:stream";
import type { Manifest, Parameter } from "../manifest/manifest.ts";
import type {
  ActionName,
  ActionParameters,
  ConnectorName,
  ConnectorParameters,
  InstanceParameters,
} from "../manifest/types.ts";
import type { Clock } from "./clock.ts";
import { limitRun, untilAborted, within, type RunLimit } from "./deadline.ts";
import { InterruptedError, isReadable, RequestError } from "./errors.ts";
import { createLogger } from "./log.ts";
import type { PluginModules, RunContext } from "./modules.ts";
import { readParameters, unknownParameters, type ParameterValue } from "./parameters.ts";
import { createProgress } from "./progress.ts";
import type { ResultMessage } from "./protocol.ts";
import { createRedactor, type Redactor } from "./redaction.ts";
import { checkRequest, readRequest, secretsIn, type Envelope } from "./request.ts";
import { printable } from "./text.ts";
import { createWriter, type MessageWriter } from "./writer.ts";

/** How long a host may take to write its request and to close standard input. */
const REQUEST_TIMEOUT_MS = 120_000;

/** Everything that a run touches outside itself. */
export interface RunOptions {
  stdin: Readable;
  stdout: Writable;
  /** For people; the host contract is on stdout alone. */
  stderr: Writable;
  clock: Clock;
  random: () => number;
  manifest: Manifest;
  modules: PluginModules;
  /** Ends the run from outside: with an InterruptedError it may still wind up, with any other reason it fails at once. */
  stop: AbortSignal;
}

/** What belongs to one run from its first byte to its last. */
interface Session extends RunOptions {
  readonly writer: MessageWriter;
  /** Knows the run's secrets as soon as the request is read. */
  redactor: Redactor;
}

/**
 * One run of the host contract: reads the request, runs what it names, writes the messages and exactly one result.
 *
 * @returns the exit code: 0 when a result was written, also that of a failed run
 */
export async function run(options: RunOptions): Promise<number> {
  const session: Session = { ...options, writer: createWriter(options.stdout), redactor: createRedactor([]) };
  const result = await answer(session).catch((error: unknown) => failure(session, error));
  try {
    await session.writer.finish(clean(session, result));
    return 0;
  } catch (error) {
    await tellPeople(session, error);
    return 1;
  }
}

async function answer(session: Session): Promise<ResultMessage> {
  const { clock, manifest, stop, writer } = session;
  const request = await receive(session);
  session.redactor = createRedactor(secretsIn(request, manifest));
  const envelope = checkRequest(request, manifest);
  const limit = limitRun(clock, envelope.deadline, [stop, writer.closed]);
  try {
    const work = envelope.kind === "action" ? runAction : runConnector;
    return await windUp(work(session, envelope, limit), limit, clock);
  } finally {
    limit.release();
  }
}

function receive({ stdin, clock, stop }: Session): Promise<Record<string, unknown>> {
  const late = new RequestError(
    "No complete request arrived in time. The host must write one JSON request to standard input and close it.",
  );
  return untilAborted(within(readRequest(stdin), REQUEST_TIMEOUT_MS, clock, late), stop);
}

/** Lets the work end by itself after an interruption, for as long as there is time; nothing else is waited for. */
async function windUp<T>(work: Promise<T>, limit: RunLimit, clock: Clock): Promise<T> {
  try {
    return await untilAborted(work, limit.signal);
  } catch (error) {
    if (!(error instanceof InterruptedError)) throw error;
    return await within(work, limit.graceMs, clock, error);
  }
}

async function runAction(session: Session, envelope: Envelope, limit: RunLimit): Promise<ResultMessage> {
  const { manifest, modules } = session;
  const name = envelope.name as ActionName;
  const declared = manifest.actions.find((action) => action.name === name)?.parameters ?? [];
  const context = createContext(session, envelope, limit);
  const read = createParameterReader(context);
  const instance = read(manifest.instance.parameters, envelope.instance, "in the settings of the integration instance");
  const parameters = read(declared, envelope.parameters, `in the parameters of the action ${name}`);
  const { default: module } = await modules.actions[name]();
  const outcome = await module.run({
    ...context,
    instance: instance as unknown as InstanceParameters,
    // The manifest that the types are made of is the one that the values were just checked against.
    parameters: parameters as unknown as ActionParameters<ActionName>,
    state: envelope.state,
    context: envelope.context,
  });
  return { type: "result", ...(outcome as Omit<ResultMessage, "type">) };
}

async function runConnector(session: Session, envelope: Envelope, limit: RunLimit): Promise<ResultMessage> {
  const { manifest, modules, writer } = session;
  const name = envelope.name as ConnectorName;
  const declared = manifest.connectors.find((connector) => connector.name === name)?.fields ?? [];
  const context = createContext(session, envelope, limit);
  const parameters = createParameterReader(context)(declared, envelope.parameters, "in the settings of the connector");
  const { default: module } = await modules.connectors[name]();
  const outcome = await module.run({
    ...context,
    run: envelope.run,
    parameters: parameters as unknown as ConnectorParameters<ConnectorName>,
    state: envelope.state,
    deliver: (alert, checkpoint) => writer.write({ type: "alert", alert, ...(checkpoint && { checkpoint }) }),
  });
  return { type: "result", ...outcome };
}

function createContext({ writer, redactor, clock, random }: Session, { run }: Envelope, limit: RunLimit): RunContext {
  return {
    run,
    clock,
    random,
    signal: limit.signal,
    deadline: limit.deadline,
    // A test run is there to find out what is wrong: it tells everything.
    log: createLogger({ writer, redactor, level: run.test ? "debug" : "info", runId: run.id }),
    progress: createProgress(writer, clock),
  };
}

function createParameterReader({ log }: RunContext) {
  return (
    declared: readonly Parameter[],
    given: Readonly<Record<string, unknown>>,
    place: string,
  ): Record<string, ParameterValue> => {
    const unknown = unknownParameters(declared, given);
    if (unknown.length > 0)
      log.warn("The request has parameters that are not known here; they are ignored.", { unknown });
    return readParameters(declared, given, place);
  };
}

async function failure(session: Session, error: unknown): Promise<ResultMessage> {
  if (isReadable(error)) return { type: "result", status: "failed", message: error.message, value: false };
  await tellPeople(session, error);
  const reason = error instanceof Error ? error.message : String(error);
  return {
    type: "result",
    status: "failed",
    message: `The plugin failed unexpectedly: ${reason}. Its standard error says where; report it with that text.`,
    value: false,
  };
}

function clean({ redactor }: Session, result: ResultMessage): ResultMessage {
  const { message, ...rest } = result;
  const redacted = redactor.json(rest) as unknown as Omit<ResultMessage, "message">;
  return { ...result, ...redacted, message: printable(redactor.text(message)) };
}

/** Writes the error with its stack to stderr; resolves when it has left the process, or cannot. */
function tellPeople({ redactor, stderr }: Session, error: unknown): Promise<void> {
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
