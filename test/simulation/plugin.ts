import { Readable, Writable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { attackPathFindings } from "../../connectors/attack-path-findings.ts";
import { systemClock } from "../../src/clock.ts";
import { openService } from "../../src/connection.ts";
import { OversizedBodyError } from "../../src/service/errors/connection-errors.ts";
import { manifest } from "../../src/generated/manifest.ts";
import type { PluginModules } from "../../src/runtime/modules.ts";
import { createLogger } from "../../src/runtime/log.ts";
import { createRedactor } from "../../src/runtime/redaction.ts";
import { run } from "../../src/runtime/run.ts";
import { createWriter } from "../../src/runtime/writer.ts";
import type { Clock } from "./clock.ts";
import { type Send, TOO_LARGE } from "./tenant/tenant.ts";

/** Everything that a plugin can touch in the simulation. */
export interface PluginRun {
  /** The host's request as JSON text. */
  request: string;
  clock: Clock;
  random: () => number;
  send: Send;
  stop: AbortSignal;
  /** Characters that the state may take; undefined for as many as the plugin takes by itself. */
  stateCharacters: number | undefined;
  /** One line of standard output; resolves when the host has room for more. */
  onLine: (line: string) => Promise<void> | void;
  /** A piece of standard error. */
  onError: (text: string) => void;
}

/** @returns the exit code */
export type Plugin = (run: PluginRun) => Promise<number>;

/**
 * The real core: the runtime, the connector, ingestion and the service's client. Only the network and the clock are the
 * simulation's own.
 */
export const realPlugin: Plugin = ({ request, clock, random, send, stop, stateCharacters, onLine, onError }) => {
  const connector = attackPathFindings(
    (context, parameters) => openService(context, parameters, { send: asTransport(send), close: () => undefined }),
    stateCharacters,
  );
  return run({
    stdin: Readable.from([Buffer.from(request)]),
    stdout: lines(onLine),
    stderr: texts(onError),
    clock,
    random,
    manifest,
    modules: { actions: {}, connectors: { [connector.name]: load(connector) } } as unknown as PluginModules,
    stop,
  });
};

/** A body that is larger than the transport takes, it refuses with an error of its own. */
function asTransport(send: Send): Send {
  return (request) =>
    send(request).catch((error: unknown) => {
      throw isTooLarge(error) ? new OversizedBodyError() : error;
    });
}

function isTooLarge(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === TOO_LARGE;
}

function load<T>(connector: T): () => Promise<{ default: T }> {
  return () => Promise.resolve({ default: connector });
}

function lines(onLine: PluginRun["onLine"]): Writable {
  let rest = "";
  const decoder = new StringDecoder();
  return new Writable({
    decodeStrings: false,
    write(chunk: string | Buffer, _encoding, next) {
      const text = typeof chunk === "string" ? chunk : decoder.write(chunk);
      const pieces = (rest + text).split("\n");
      rest = pieces.pop() ?? "";
      const waiting = pieces.map((line) => onLine(line)).filter((answer) => answer !== undefined);
      if (waiting.length === 0) next();
      else
        void Promise.all(waiting).then(() => {
          next();
        });
    },
  });
}

function texts(onText: (text: string) => void): Writable {
  return new Writable({
    decodeStrings: false,
    write(chunk: string | Buffer, _encoding, next) {
      onText(String(chunk));
      next();
    },
  });
}

/**
 * Loads in real time what a run loads when it first needs it: on the virtual clock, everything that a run waits for must
 * come from the clock.
 */
export async function warmUp(): Promise<void> {
  await new Promise<void>((resolve) => {
    const writer = createWriter(
      lines(() => {
        resolve();
      }),
      systemClock,
    );
    createLogger({ writer, redactor: createRedactor([]), level: "info", runId: "warm-up" }).info("Ready");
  });
}
