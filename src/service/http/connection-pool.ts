import http from "node:http";
import https from "node:https";
import { loadPart } from "../../load-part.ts";
import { proxyFor } from "./proxy-setting.ts";
import type { ServerAddress } from "./server-address.ts";

/**
 * Requests that one client has open at most, those included that the service does not answer. Each has a connection of its own. The
 * limiter of the client keeps to this number.
 */
export const MOST_CONNECTIONS = 64;

/**
 * How long to try one address of a host before the next one. Node's quarter of a second is less than a connection to
 * another continent may take, and after the last address there is no further one.
 */
const ADDRESS_TIMEOUT_MS = 1_000;

/** Keep-alive connections to one server, direct or through the proxy that HTTPS_PROXY or ALL_PROXY names, unless NO_PROXY excludes the server. */
export class ConnectionPool {
  readonly #address: ServerAddress;
  readonly #options: https.AgentOptions;
  #agent: Promise<http.Agent> | null = null;

  constructor(address: ServerAddress) {
    this.#address = address;
    this.#options = {
      keepAlive: true,
      // No maxSockets: Node opens the connection of a request that waited for room with the options of the one that made room. A
      // tunnel would then end with the signal of a request that was given up.
      maxFreeSockets: MOST_CONNECTIONS,
      // Explicit, because NODE_TLS_REJECT_UNAUTHORIZED=0 would otherwise turn the check off.
      rejectUnauthorized: true,
      autoSelectFamilyAttemptTimeout: ADDRESS_TIMEOUT_MS,
    };
  }

  /** @throws ProxySettingError when the proxy that the environment names cannot be used */
  get(): Promise<http.Agent> {
    return (this.#agent ??= this.#open());
  }

  /** Closes all connections. */
  close(): void {
    this.#agent?.then(
      (agent) => {
        agent.destroy();
      },
      () => undefined,
    );
  }

  async #open(): Promise<http.Agent> {
    // http is for this machine alone: a proxy would send it elsewhere.
    if (this.#address.protocol === "http:") return new http.Agent(this.#options);
    const proxy = proxyFor(this.#address.origin);
    if (proxy === null) return new https.Agent(this.#options);
    // Few installations have a proxy. The others do not load this at start.
    const { TunnelAgent } = await loadPart(() => import("./tunnel-agent.ts"));
    return new TunnelAgent(proxy, this.#options);
  }
}

/** Closes the connections that no request uses. */
export function closeIdle({ freeSockets }: http.Agent): void {
  for (const socket of Object.values(freeSockets).flat()) socket?.destroy();
}
