import { Readable, Writable } from "node:stream";
import { manifest } from "../../src/generated/manifest.ts";
import {
  type ActionContext,
  type ActionOutcome,
  type ConnectorContext,
  type ConnectorOutcome,
  defineAction,
  defineConnector,
  defineJob,
  type JobContext,
  type JobOutcome,
  type PluginModules,
} from "../../src/runtime/modules.ts";
import type { Clock } from "../../src/clock.ts";
import type { LogMessage, Message, ResultMessage } from "../../src/runtime/protocol.ts";
import { run } from "../../src/runtime/run.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { messageIn } from "../support/messages.ts";
import { noModules } from "./no-modules.ts";

export const SECRET = "s3cr3t+key/with=signs==";

/** Keeps what is written to it, as bytes and as text. */
export class Sink extends Writable {
  text = "";
  override _write(chunk: Buffer, _encoding: BufferEncoding, next: () => void): void {
    this.text += chunk.toString();
    next();
  }
  get lines(): string[] {
    return this.text.split("\n").slice(0, -1);
  }
  get messages(): Message[] {
    return this.lines.map(messageIn);
  }
}

export function pingRequest(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    protocol: 1,
    kind: "action",
    name: "Ping",
    run: { id: "r-1", deadline: null, test: false },
    instance: {
      Server: "https://tenant.test",
      "Token ID": "3e4b0c2e-6b0f-4c39-8a13-0d3f0a7f6f11",
      "Token Key": SECRET,
    },
    parameters: {},
    context: {},
    state: null,
    ...changes,
  };
}

export function connectorRequest(changes: Record<string, unknown> = {}): Record<string, unknown> {
  const { instance, ...rest } = pingRequest();
  return { ...rest, kind: "connector", name: "Attack Path Findings", parameters: instance, ...changes };
}

type PingRun = (context: ActionContext<"Ping">) => Promise<ActionOutcome<"Ping">>;
type ObjectIdRun = (context: ActionContext<"Get Object Id">) => Promise<ActionOutcome<"Get Object Id">>;
type JobRun = (context: JobContext<"Follow Up Findings">) => Promise<JobOutcome<"Follow Up Findings">>;
type ConnectorRun = (context: ConnectorContext<"Attack Path Findings">) => Promise<ConnectorOutcome>;

/** Entry points that do what a test says; any other one fails. */
export function modules(
  parts: { ping?: PingRun; objectId?: ObjectIdRun; connector?: ConnectorRun; job?: JobRun } = {},
): PluginModules {
  const missing = (): Promise<never> => Promise.reject(new Error("not part of this test"));
  return {
    actions: {
      ...noModules.actions,
      Ping: () => Promise.resolve({ default: defineAction("Ping", parts.ping ?? missing) }),
      "Get Object Id": () => Promise.resolve({ default: defineAction("Get Object Id", parts.objectId ?? missing) }),
    },
    connectors: {
      ...noModules.connectors,
      "Attack Path Findings": () =>
        Promise.resolve({ default: defineConnector("Attack Path Findings", parts.connector ?? missing) }),
    },
    jobs: {
      ...noModules.jobs,
      "Follow Up Findings": () => Promise.resolve({ default: defineJob("Follow Up Findings", parts.job ?? missing) }),
    },
  };
}

export interface Ran {
  code: number;
  messages: Message[];
  result: ResultMessage;
  logs: LogMessage[];
  stdout: string;
  stderr: string;
}

/** One run over streams in memory. */
export async function runWith(
  input: Record<string, unknown> | string | Uint8Array,
  options: {
    modules?: PluginModules;
    clock?: Clock;
    stop?: AbortSignal;
    stdin?: Readable;
    stdout?: Writable;
    stderr?: Writable;
  } = {},
): Promise<Ran> {
  const stdout = new Sink();
  const stderr = new Sink();
  const bytes = input instanceof Uint8Array ? input : typeof input === "string" ? input : JSON.stringify(input);
  const code = await run({
    stdin: options.stdin ?? Readable.from([Buffer.from(bytes)]),
    stdout: options.stdout ?? stdout,
    stderr: options.stderr ?? stderr,
    clock: options.clock ?? new FakeClock(),
    random: () => 0.5,
    manifest,
    modules: options.modules ?? modules(),
    stop: options.stop ?? new AbortController().signal,
  });
  const { messages } = stdout;
  return {
    code,
    messages,
    result: messages.at(-1) as ResultMessage,
    logs: messages.filter((message) => message.type === "log"),
    stdout: stdout.text,
    stderr: stderr.text,
  };
}
