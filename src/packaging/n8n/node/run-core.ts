import { randomUUID } from "node:crypto";
import { Readable, Writable } from "node:stream";
import { systemClock } from "../../../clock.ts";
import type { Manifest } from "../../../manifest/manifest.ts";
import { applyMergePatch } from "../../../runtime/merge-patch.ts";
import type { PluginModules } from "../../../runtime/modules.ts";
import { InterruptedError } from "../../../runtime/errors.ts";
import {
  type ActionRequest,
  type Alert,
  type AlertChangeMessage,
  type ConnectorRequest,
  type JobRequest,
  type Json,
  type LogMessage,
  type Message,
  BETWEEN_RUNS_MS,
  PROTOCOL,
  type ResultMessage,
} from "../../../runtime/protocol.ts";
import { run } from "../../../runtime/run.ts";
import type { Transport } from "../../../service/transport.ts";

/** The plugin: what it declares, and the entry points. */
export interface Plugin {
  readonly manifest: Manifest;
  readonly modules: PluginModules;
}

/** What a run of the plugin needs from n8n. */
export interface CoreHost {
  readonly plugin: Plugin;
  readonly transport: Transport;
  /** How long the run may take, in milliseconds. */
  readonly timeoutMs: number;
  /** Aborts when the execution is cancelled. */
  readonly cancelled?: AbortSignal | undefined;
  /** Takes a log message of the run, without secrets. */
  readonly log: (message: Pick<LogMessage, "level" | "message" | "fields">) => void;
}

type Fields = "protocol" | "run";
/** A request without what is the same for all of them. */
export type CoreRequest = (Omit<ActionRequest, Fields> | Omit<ConnectorRequest, Fields> | Omit<JobRequest, Fields>) & {
  readonly run?: { readonly test?: boolean; readonly maxAlerts?: number; readonly maxEventsPerAlert?: number };
};

export interface CoreOutcome {
  readonly alerts: readonly Alert[];
  /** What a job asks for. */
  readonly changes: readonly AlertChangeMessage[];
  readonly result: ResultMessage;
  /** The state once these alerts are stored, or these changes are made. */
  readonly state: Json;
}

/** A run that has less time than this finds out nothing. */
const LAST_MOMENTS_MS = 3_000;

/** Whether a run failed and left nothing that a workflow must keep: no alert, no change, and no state for the next run. */
export function hasOnlyFailed({ alerts, changes, result }: CoreOutcome): boolean {
  const isEmpty = alerts.length === 0 && changes.length === 0 && result.checkpoint === undefined;
  return result.status === "failed" && isEmpty;
}

/**
 * Runs the plugin in this process over its host contract. An action that can go on where it stopped is run until it is done or out of
 * time. In the latter case, the outcome is that of the last run that got on, which is in progress.
 */
export async function runCore(host: CoreHost, request: CoreRequest): Promise<CoreOutcome> {
  const endsAt = systemClock.now() + host.timeoutMs;
  let before: CoreOutcome | null = null;
  for (let current = request; ;) {
    const outcome = await runOnce(host, current, new Date(endsAt).toISOString());
    const isOver = systemClock.now() >= endsAt - LAST_MOMENTS_MS;
    // Such a run had no time, and its failure would take the place of what the one before found out.
    if (outcome.result.status === "failed" && isOver && before !== null) return before;
    if (outcome.result.status !== "in_progress" || isOver) return outcome;
    await systemClock.sleep(BETWEEN_RUNS_MS);
    before = outcome;
    current = { ...current, state: outcome.result.state ?? null };
  }
}

async function runOnce(host: CoreHost, request: CoreRequest, deadline: string): Promise<CoreOutcome> {
  const stop = stopWith(host.cancelled);
  const received = receiver(host, request.state);
  const id = randomUUID();
  const whole = {
    ...request,
    protocol: PROTOCOL,
    run: { test: false, ...request.run, id, deadline, logLevel: "warn" },
  };
  try {
    await run({
      stdin: Readable.from([Buffer.from(JSON.stringify(whole))]),
      stdout: received.stdout,
      stderr: errorOutput(host),
      clock: systemClock,
      random: Math.random,
      ...host.plugin,
      transport: host.transport,
      stop: stop.signal,
    });
  } finally {
    stop.release();
  }
  return received.outcome();
}

function stopWith(cancelled: AbortSignal | undefined): { signal: AbortSignal; release: () => void } {
  const stop = new AbortController();
  const abort = (): void => {
    stop.abort(new InterruptedError("The execution was cancelled before the run finished."));
  };
  if (cancelled?.aborted === true) abort();
  cancelled?.addEventListener("abort", abort, { once: true });
  const release = (): void => {
    cancelled?.removeEventListener("abort", abort);
  };
  return { signal: stop.signal, release };
}

const LINE_END = "\n".charCodeAt(0);

function receiver(host: CoreHost, former: Json): { stdout: Writable; outcome: () => CoreOutcome } {
  const alerts: Alert[] = [];
  const changes: AlertChangeMessage[] = [];
  let state = former;
  let result: ResultMessage | undefined;
  const take = (message: Message): void => {
    if (message.type === "log") host.log(message);
    if (message.type === "result") result = message;
    if (message.type === "alert") alerts.push(message.alert);
    else if (message.type === "alert_change") changes.push(message);
    else return;
    if (message.checkpoint !== undefined) state = applyMergePatch(state, message.checkpoint);
  };
  const pieces: Buffer[] = [];
  const stdout = new Writable({
    // The writer writes one line at a time, a long one in pieces, and no message has a line end inside.
    write(piece: Buffer, _encoding, next) {
      pieces.push(piece);
      if (piece.at(-1) === LINE_END) take(JSON.parse(Buffer.concat(pieces.splice(0)).toString("utf8")) as Message);
      next();
    },
  });
  const outcome = (): CoreOutcome => {
    if (result === undefined) throw new Error("The run ended without a result.");
    return { alerts, changes, result, state: result.checkpoint ?? state };
  };
  return { stdout, outcome };
}

function errorOutput({ log }: CoreHost): Writable {
  return new Writable({
    decodeStrings: false,
    write(text: string, _encoding, next) {
      log({ level: "error", message: text.trimEnd(), fields: {} });
      next();
    },
  });
}
