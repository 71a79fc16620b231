import http from "node:http";
import https from "node:https";
import net, { type AddressInfo } from "node:net";
import { afterSuite } from "./cleanup.ts";

export interface SeenRequest {
  method: string;
  /** The request target as it stood on the wire. */
  target: string;
  headers: http.IncomingHttpHeaders;
}

export interface TestServer {
  url: string;
  port: number;
  requests: SeenRequest[];
  /** Connections opened so far. */
  connections: number;
  close(): Promise<void>;
}

export type Handler = (request: http.IncomingMessage, response: http.ServerResponse, index: number) => void;

/** A server on a free port of this machine, closed when the suite is over; with `tls` it speaks https. */
export async function startServer(handler: Handler, tls?: https.ServerOptions): Promise<TestServer> {
  const listener = (request: http.IncomingMessage, response: http.ServerResponse) => {
    const { method = "", url = "", headers } = request;
    const index = seen.requests.push({ method, target: url, headers }) - 1;
    handler(request, response, index);
  };
  const server = tls ? https.createServer(tls, listener) : http.createServer(listener);
  const seen = await listening(server, tls ? "https" : "http");
  return seen;
}

/** A server that sees every byte: the handler gets the request's head as text. */
export async function startRawServer(handler: (head: string, socket: net.Socket) => void): Promise<TestServer> {
  const server = net.createServer((socket) => {
    let head = "";
    socket.on("error", () => undefined);
    socket.on("data", (bytes) => {
      head += bytes.toString("latin1");
      if (!head.includes("\r\n\r\n")) return;
      const complete = head;
      head = "";
      handler(complete, socket);
    });
  });
  return listening(server, "http");
}

async function listening(server: net.Server, scheme: string): Promise<TestServer> {
  const sockets = new Set<net.Socket>();
  const seen: TestServer = {
    url: "",
    port: 0,
    requests: [],
    connections: 0,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => {
          resolve();
        });
      }),
  };
  server.on("connection", (socket: net.Socket) => {
    sockets.add(socket);
    seen.connections++;
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  seen.port = (server.address() as AddressInfo).port;
  seen.url = `${scheme}://127.0.0.1:${seen.port}`;
  afterSuite(() => seen.close());
  return seen;
}

export function sendJson(
  response: http.ServerResponse,
  body: unknown,
  status = 200,
  headers: http.OutgoingHttpHeaders = {},
) {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
}

/** The service's error wrapper. */
export function wrapper(status: number, message: string, requestId = "6d1f3e0c-0000-4000-8000-000000000001") {
  return {
    http_status: status,
    timestamp: "2026-08-20T14:05:06Z",
    request_id: requestId,
    errors: [{ context: "clients", message }],
  };
}
