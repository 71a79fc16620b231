import http from "node:http";
import https from "node:https";
import type { Duplex, Readable } from "node:stream";
import axios from "axios";
import { isLost, LARGEST_HEADERS, SilentProxy, StaleConnection } from "../errors/connection-errors.ts";
import { ACCEPTED_ENCODINGS, readBody } from "./body.ts";
import { closeIdle, ConnectionPool } from "./connection-pool.ts";
import { proxySetting } from "./proxy-setting.ts";
import type { ServerAddress } from "./server-address.ts";
import type { TunnelOptions } from "./tunnel-agent.ts";
import { type Answer, type AnswerHead, type OutgoingRequest, plainHeaders, type Transport } from "../transport.ts";

/** HTTP over the network, on connections that are kept open between requests. */
export function httpTransport(address: ServerAddress, pool = new ConnectionPool(address)): Transport {
  const exact = exactTransport(address.protocol);
  return {
    async send(outgoing: OutgoingRequest): Promise<Answer> {
      const { method, target, headers, signal, fresh = false, largestBody, onHead, onBody } = outgoing;
      const agent = await pool.get();
      let isStale = false;
      const onStale = (): void => {
        isStale = true;
      };
      let isOpeningTunnel = false;
      const onTunnel = (isOpening: boolean): void => {
        isOpeningTunnel = isOpening;
      };
      const asked = axios.request<Readable>({
        method,
        url: address.origin,
        headers: { ...headers, "Accept-Encoding": ACCEPTED_ENCODINGS },
        signal,
        adapter: "http",
        httpAgent: agent,
        httpsAgent: agent,
        transport: exact({ target, signal, agent, fresh, onStale, onTunnel }),
        proxy: false,
        maxRedirects: 0,
        responseType: "stream",
        // axios takes a compressed body that was cut off for the whole.
        decompress: false,
        transformResponse: [],
        validateStatus: null,
      });
      const response = await asked.catch((error: unknown) => {
        if (isStale) throw new StaleConnection();
        throw signal.aborted && isOpeningTunnel ? new SilentProxy(proxySetting()) : error;
      });
      const head: AnswerHead = { status: response.status, headers: plainHeaders(response.headers) };
      onHead(head);
      return { ...head, body: await readBody(response.data, head, { largest: largestBody, onBody }) };
    },
    close() {
      pool.close();
    },
  };
}

interface Sending {
  readonly target: string;
  readonly signal: AbortSignal;
  readonly agent: http.Agent;
  readonly fresh: boolean;
  /** Called when a connection that was kept open turns out to be closed. */
  readonly onStale: () => void;
  readonly onTunnel: TunnelOptions["onTunnel"];
}

/**
 * Node's own transport with the target set last. axios would otherwise pass it through a URL parser, which rewrites some
 * characters, and the signature covers the bytes on the wire.
 */
function exactTransport(protocol: ServerAddress["protocol"]) {
  const request = protocol === "https:" ? https.request : http.request;
  return ({ target, signal, agent, fresh, onStale, onTunnel }: Sending) => ({
    request(options: https.RequestOptions, onResponse: (response: http.IncomingMessage) => void): http.ClientRequest {
      const exactly: https.RequestOptions & TunnelOptions = {
        ...options,
        path: target,
        rejectUnauthorized: true,
        openUntil: signal,
        onTunnel,
        maxHeaderSize: LARGEST_HEADERS,
      };
      if (fresh) closeIdle(agent);
      const sent = request(exactly, onResponse);
      sent.once("error", (error) => {
        if (!sent.reusedSocket || signal.aborted) return;
        // The other idle connections are at least as old, and each that is dead would cost one more attempt.
        closeIdle(agent);
        if (isLost(error)) onStale();
      });
      // Node drops a 101 without a listener, and the request would run into its timeout. It is a response without a body.
      sent.once("upgrade", (response: http.IncomingMessage, socket: Duplex) => {
        socket.destroy();
        response.push(null);
        onResponse(response);
      });
      return sent;
    },
  });
}
