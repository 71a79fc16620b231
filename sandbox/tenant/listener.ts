import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";

const HOST = "127.0.0.1";
const KEEP_ALIVE_MS = 60_000;

/** A listener on the loopback address that can go away and come back on the same port. */
export class Listener {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #numbers = new WeakMap<Socket, number>();
  #connections = 0;
  #closedTraffic = { received: 0, sent: 0 };
  #port = 0;

  constructor(tls: { key: string; cert: string } | undefined, handle: RequestListener) {
    this.#server = tls === undefined ? createServer(handle) : createSecureServer(tls, handle);
    this.#server.keepAliveTimeout = KEEP_ALIVE_MS;
    this.#server.on("connection", (socket: Socket) => {
      this.#track(socket);
    });
    this.#server.on(tls === undefined ? "connection" : "secureConnection", (socket: Socket) => {
      this.#connections += 1;
      this.#numbers.set(socket, this.#connections);
    });
  }

  get port(): number {
    return this.#port;
  }

  get connections(): number {
    return this.#connections;
  }

  get traffic(): { received: number; sent: number } {
    const { ...traffic } = this.#closedTraffic;
    for (const socket of this.#sockets) {
      traffic.received += socket.bytesRead;
      traffic.sent += socket.bytesWritten;
    }
    return traffic;
  }

  numberOf(socket: Socket): number {
    return this.#numbers.get(socket) ?? 0;
  }

  /** Listens on the given port, or on the one that it had. */
  async open(port: number = this.#port): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(port, HOST, () => {
        this.#server.off("error", reject);
        resolve();
      });
    });
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = new Promise<void>((resolve) =>
      this.#server.close(() => {
        resolve();
      }),
    );
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #track(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.once("close", () => {
      this.#sockets.delete(socket);
      this.#closedTraffic.received += socket.bytesRead;
      this.#closedTraffic.sent += socket.bytesWritten;
    });
  }
}
