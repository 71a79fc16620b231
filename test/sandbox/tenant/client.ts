import { createHmac } from "node:crypto";
import { type Agent, request as plainRequest, type IncomingHttpHeaders } from "node:http";
import { request as secureRequest } from "node:https";
import type { Tenant } from "../../../sandbox/tenant/index.ts";

export interface Reply {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  /** The parsed body, taken for what the service sends; undefined in truth when it is not JSON. */
  json: Body;
}

export type Item = Record<string, unknown>;

/** What a body of the service may hold; a test reads the part that it has asked for. */
export interface Body {
  count: number;
  skip: number;
  http_status: number;
  request_id: string;
  errors: [{ context: string; message: string }];
  /** A list or an object, as the operation has it. */
  data: Item[] & Item;
}

export interface Sending {
  method?: string;
  headers?: Record<string, string>;
  agent?: Agent;
  ca?: string;
  signal?: AbortSignal;
  body?: string;
}

/** The three headers of a signed request, computed here and not by the code under test. */
export function signature(given: {
  id: string;
  key: string;
  method?: string;
  target: string;
  date?: string;
  body?: string;
  scheme?: string;
}): Record<string, string> {
  const {
    id,
    key,
    method = "GET",
    target,
    date = new Date().toISOString(),
    body = "",
    scheme = "svcsignature",
  } = given;
  const operation = createHmac("sha256", key).update(`${method}${target}`).digest();
  const hour = createHmac("sha256", operation).update(date.slice(0, 13)).digest();
  const digest = createHmac("sha256", hour).update(body).digest("base64");
  return { Authorization: `${scheme} ${id}`, RequestDate: date, Signature: digest };
}

/** Sends a request with exactly these headers and this target. */
export function send(tenant: Tenant, target: string, sending: Sending = {}): Promise<Reply> {
  const secure = tenant.url.startsWith("https:");
  return new Promise((resolve, reject) => {
    const outgoing = (secure ? secureRequest : plainRequest)(
      {
        host: "127.0.0.1",
        port: tenant.port,
        path: target,
        method: sending.method ?? "GET",
        headers: sending.headers ?? {},
        ...(sending.agent ? { agent: sending.agent } : {}),
        ...(sending.ca ? { ca: sending.ca } : {}),
        ...(sending.signal ? { signal: sending.signal } : {}),
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () => {
          const text = Buffer.concat(chunks).toString();
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text, json: parsed(text) });
        });
      },
    );
    outgoing.on("error", reject);
    outgoing.end(sending.body);
  });
}

function parsed(text: string): Body {
  try {
    return JSON.parse(text) as Body;
  } catch {
    return undefined as unknown as Body;
  }
}

/** Sends a signed request with the tenant's first token. */
export function ask(tenant: Tenant, target: string, sending: Sending = {}): Promise<Reply> {
  const signed = signature({
    id: tenant.tokenId,
    key: tenant.tokenKey,
    target,
    ...(sending.method === undefined ? {} : { method: sending.method }),
    ...(sending.body === undefined ? {} : { body: sending.body }),
  });
  return send(tenant, target, { ...sending, headers: { ...signed, ...sending.headers } });
}
