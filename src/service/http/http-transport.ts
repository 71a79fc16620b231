import http from "node:http";
import https from "node:https";
import type { Readable } from "node:stream";
import axios from "axios";
import { BrokenBodyError, ProxyRefusal } from "../errors/connection-errors.ts";
import { closeIdle, ConnectionPool } from "./connection-pool.ts";
import type { ServerAddress } from "./server-address.ts";
import type { TunnelOptions } from "./tunnel-agent.ts";
import type { Answer, AnswerHead, OutgoingRequest, Transport } from "./transport.ts";

/** Larger responses are refused: no page of this API comes near. */
const LARGEST_BODY_BYTES = 256 * 1024 * 1024;

/** HTTP over the network, on connections that are kept open between requests. */
export function httpTransport(address: ServerAddress, pool = new ConnectionPool(address)): Transport {
  const exact = exactTransport(address.protocol);
  return {
    async send({ method, target, headers, signal, onHead, onBody }: OutgoingRequest): Promise<Answer> {
      const agent = await pool.get();
      const response = await axios.request<Readable>({
        method,
        url: address.origin,
        headers,
        signal,
        adapter: "http",
        httpAgent: agent,
        httpsAgent: agent,
        transport: exact({ target, signal, agent }),
        proxy: false,
        maxRedirects: 0,
        maxContentLength: LARGEST_BODY_BYTES,
        responseType: "stream",
        transformResponse: [],
        validateStatus: null,
      });
      const head: AnswerHead = { status: response.status, headers: plainHeaders(response.headers) };
      onHead(head);
      return { ...head, body: await readText(response.data, onBody) };
    },
    close() {
      pool.close();
    },
  };
}

/** Decodes once, at the end: a text for each piece would give the garbage collector as much again to do. */
async function readText(body: Readable, onBody: (bytes: number) => void): Promise<string> {
  const pieces: Buffer[] = [];
  try {
    for await (const piece of body as AsyncIterable<Buffer>) {
      pieces.push(piece);
      onBody(piece.length);
    }
  } catch (error) {
    throw new BrokenBodyError(error);
  }
  return Buffer.concat(pieces).toString("utf8");
}

/**
 * Node's own transport with the target set last. axios would otherwise pass it through a URL parser, which rewrites some
 * characters, and the signature covers the bytes on the wire.
 */
function exactTransport(protocol: ServerAddress["protocol"]) {
  const request = protocol === "https:" ? https.request : http.request;
  return ({ target, signal, agent }: { target: string; signal: AbortSignal; agent: http.Agent }) => ({
    request(options: https.RequestOptions, onResponse: (response: http.IncomingMessage) => void): http.ClientRequest {
      const exactly: https.RequestOptions & TunnelOptions = {
        ...options,
        path: target,
        rejectUnauthorized: true,
        openUntil: signal,
      };
      const sent = request(exactly, onResponse);
      // The other idle connections are at least as old, and each that is dead would cost one more attempt.
      sent.once("error", () => {
        if (sent.reusedSocket && !signal.aborted) closeIdle(agent);
      });
      // A refusal of the proxy would otherwise be taken for a response of the service.
      sent.once("proxyConnect", ({ statusCode }: { statusCode: number }) => {
        if (statusCode !== 200) sent.destroy(new ProxyRefusal(statusCode));
      });
      return sent;
    },
  });
}

function plainHeaders(headers: object): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]));
}
