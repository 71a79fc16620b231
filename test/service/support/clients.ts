import type { AttackPathService } from "../../../src/service/attack-path-service.ts";
import { connect, type ServiceOptions } from "../../../src/service/connect.ts";
import { systemClock } from "../../../src/clock.ts";
import { Secret } from "../../../src/service/credentials.ts";
import type { ServiceError } from "../../../src/service/errors/errors.ts";
import { type Handler, startServer } from "../../support/raw-server.ts";

export const TOKEN_ID = "3fa85f64-5717-4562-b3fc-2c963f66afa6";
/** Made up; tests search what was written for it. */
export const TOKEN_KEY = "canary-token-key-7c1d";

export interface LogLine {
  level: "debug" | "info" | "warn" | "error";
  message: string;
  fields: Readonly<Record<string, unknown>>;
}

/** A logger that keeps its messages. */
export function recordingLog(): ServiceOptions["log"] & { lines: LogLine[] } {
  const lines: LogLine[] = [];
  const at =
    (level: LogLine["level"]) =>
    (message: string, fields: Readonly<Record<string, unknown>> = {}) => {
      lines.push({ level, message, fields });
    };
  return { lines, debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

const open: AttackPathService[] = [];

export interface ClientOptions extends Partial<ServiceOptions> {
  /** The dialect that was remembered; null for none. Default: "standard". */
  dialect?: string | null;
}

/** A client with the usual test credentials; `closeClients` ends it. */
export function clientOf(server: string, { dialect = "standard", ...options }: ClientOptions = {}): AttackPathService {
  const service = connect({
    server,
    credentials: { kind: "token", id: TOKEN_ID, key: new Secret(TOKEN_KEY) },
    clock: systemClock,
    random: () => 0.5,
    log: recordingLog(),
    ...options,
  });
  service.dialect = dialect;
  open.push(service);
  return service;
}

export function closeClients(): void {
  for (const service of open.splice(0)) service.close();
}

/** The error that a call ends in. */
export async function errorOf(call: Promise<unknown>): Promise<ServiceError> {
  try {
    await call;
  } catch (error) {
    return error as ServiceError;
  }
  throw new Error("The call succeeded");
}

/** The error that `available-domains` ends in when the server answers so. */
export async function failure(handler: Handler, options: Parameters<typeof clientOf>[1] = {}): Promise<ServiceError> {
  const server = await startServer(handler);
  return errorOf(clientOf(server.url, options).environments.list());
}
