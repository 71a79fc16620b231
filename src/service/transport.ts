import http from "node:http";
import https from "node:https";
import type { Readable } from "node:stream";
import axios from "axios";
import type { Agents } from "./agents.ts";
import { BodyFault, ProxyRefusal } from "./connection-faults.ts";
import type { ServerAddress } from "./server-address.ts";

/** Larger answers are refused: no page of this API comes near. */
const LARGEST_BODY_BYTES = 256 * 1024 * 1024;

export interface OutgoingRequest {
  readonly method: "DELETE" | "GET";
  /** Path and query, sent byte for byte as the request target. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Called when status and headers have arrived, before the body. */
  readonly onHead: () => void;
}

export interface Answer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
}

/** Sends one request and gives whatever was answered, whatever its status. */
export class Transport {
  readonly #address: ServerAddress;
  readonly #agents: Agents;

  constructor(address: ServerAddress, agents: Agents) {
    this.#address = address;
    this.#agents = agents;
  }

  async send({ method, target, headers, signal, onHead }: OutgoingRequest): Promise<Answer> {
    const agent = await this.#agents.get();
    const response = await axios.request<Readable>({
      method,
      url: this.#address.origin,
      headers,
      signal,
      adapter: "http",
      httpAgent: agent,
      httpsAgent: agent,
      transport: exactTransport(this.#address.protocol, target),
      proxy: false,
      maxRedirects: 0,
      maxContentLength: LARGEST_BODY_BYTES,
      responseType: "stream",
      transformResponse: [],
      validateStatus: null,
    });
    onHead();
    return { status: response.status, headers: plainHeaders(response.headers), body: await readText(response.data) };
  }
}

/** Decodes while the body arrives: a large page never stands in memory as bytes as well. */
async function readText(body: Readable): Promise<string> {
  let text = "";
  try {
    for await (const piece of body.setEncoding("utf8") as AsyncIterable<string>) text += piece;
  } catch (error) {
    throw new BodyFault(error);
  }
  return text;
}

/**
 * Node's own transport with the target set last: axios would otherwise pass it through a URL parser, which rewrites some
 * characters, and the signature covers the bytes on the wire.
 */
function exactTransport(protocol: ServerAddress["protocol"], target: string) {
  const request = protocol === "https:" ? https.request : http.request;
  return {
    request(options: https.RequestOptions, onResponse: (response: http.IncomingMessage) => void): http.ClientRequest {
      const sent = request({ ...options, path: target, rejectUnauthorized: true }, onResponse);
      // A refusal of the proxy would otherwise pass for an answer of the service.
      sent.once("proxyConnect", ({ statusCode }: { statusCode: number }) => {
        if (statusCode !== 200) sent.destroy(new ProxyRefusal(statusCode));
      });
      return sent;
    },
  };
}

function plainHeaders(headers: object): Record<string, string | undefined> {
  const plain: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) plain[name.toLowerCase()] = String(value);
  return plain;
}
