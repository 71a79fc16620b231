import { randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { text as textOf } from "node:stream/consumers";
import type { Tenant } from "./contract.ts";
import { Listener } from "./listener.ts";
import { readFault } from "./read-fault.ts";

export interface ControlServer {
  /** For example http://127.0.0.1:41235. */
  readonly url: string;
  /** Goes in the header `Authorization: Bearer …` of each request. */
  readonly token: string;
  close(): Promise<void>;
}

type Command = (tenant: Tenant, body: Record<string, unknown>) => unknown;

/** Commands by method and path. Faults are those of `Fault` that JSON can say: paths as texts, no functions. */
const COMMANDS: Record<string, Command> = {
  "POST /faults": ({ control }, body) => {
    control.fault(readFault(body));
  },
  "DELETE /faults": ({ control }) => {
    control.clearFaults();
  },
  "POST /analyse": ({ control, data }, body) => {
    const environmentId = optionalText(body, "environmentId") ?? data.environments[0]?.id ?? "";
    return control.analyse(environmentId, body);
  },
  "POST /begin-analysis": ({ control }) => {
    control.beginAnalysis();
  },
  "POST /end-analysis": ({ control }) => {
    control.endAnalysis();
  },
  "POST /analysis-status": ({ control }, { offered }) => {
    if (typeof offered !== "boolean") throw new Error("offered must be true or false.");
    control.setAnalysisStatus(offered);
  },
  "POST /findings": ({ control }, body) => {
    const records = body.records as Record<string, unknown>[] | number | undefined;
    return control.addFindings(text(body, "environmentId"), text(body, "findingType"), records ?? 1);
  },
  "POST /accept-finding": ({ control }, body) => control.acceptFinding(...findingOf(body), optionalText(body, "until")),
  "POST /delete-finding": ({ control }, body) => control.deleteFinding(...findingOf(body)),
  "POST /remediate-finding": ({ control }, body) => control.remediateFinding(...findingOf(body)),
  "POST /bring-finding-back": ({ control }, body) => control.bringFindingBack(...findingOf(body)),
  "POST /pass-time": ({ control }, { milliseconds }) => {
    control.passTime(Number(milliseconds));
  },
  "DELETE /findings": ({ control }, body) => control.removeFinding(...findingOf(body)),
  "POST /go-away": ({ control }) => control.goAway(),
  "POST /come-back": ({ control }) => control.comeBack(),
  "GET /requests": (tenant) => tenant.requests,
  "GET /state": ({ data, connections, traffic, requests }) => ({
    environments: data.environments,
    requests: requests.length,
    connections,
    traffic,
  }),
};

/** Serves the tenant's control on a loopback port of its own, to who has the token. */
export async function startControlServer(tenant: Tenant, port = 0): Promise<ControlServer> {
  const token = randomBytes(24).toString("base64url");
  const listener = new Listener(undefined, (request, response) => {
    void answer(tenant, token, request, response);
  });
  await listener.open(port);
  return { url: `http://127.0.0.1:${listener.port}`, token, close: () => listener.close() };
}

async function answer(
  tenant: Tenant,
  token: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const [status, value] = await outcome(tenant, token, request);
  response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(value ?? null));
}

async function outcome(
  tenant: Tenant,
  token: string,
  request: IncomingMessage,
): Promise<[status: number, value: unknown]> {
  if (!isAllowed(request.headers.authorization, token))
    return [401, { error: "The control token is missing or wrong." }];
  const command = COMMANDS[`${request.method ?? ""} ${request.url ?? ""}`];
  if (command === undefined) return [404, { error: "There is no such command.", commands: Object.keys(COMMANDS) }];
  try {
    return [200, await command(tenant, await readObject(request))];
  } catch (error) {
    return [400, { error: error instanceof Error ? error.message : String(error) }];
  }
}

function isAllowed(authorization: string | undefined, token: string): boolean {
  const given = Buffer.from(authorization ?? "");
  const wanted = Buffer.from(`Bearer ${token}`);
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

async function readObject(request: IncomingMessage): Promise<Record<string, unknown>> {
  const body = await textOf(request);
  if (body === "") return {};
  const value: unknown = JSON.parse(body);
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new Error("A JSON object was expected.");
  return value as Record<string, unknown>;
}

function findingOf(body: Record<string, unknown>): [environmentId: string, findingType: string, id: number] {
  return [text(body, "environmentId"), text(body, "findingType"), Number(body.id)];
}

function optionalText(body: Record<string, unknown>, name: string): string | undefined {
  const value = body[name];
  if (value === undefined || typeof value === "string") return value;
  throw new Error(`${name} must be text.`);
}

function text(body: Record<string, unknown>, name: string): string {
  const value = optionalText(body, name);
  if (value === undefined) throw new Error(`${name} is missing.`);
  return value;
}
