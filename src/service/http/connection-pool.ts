import http from "node:http";
import https from "node:https";
import { getProxyForUrl } from "proxy-from-env";
import { ProxySettingError } from "../errors/errors.ts";
import type { ServerAddress } from "./server-address.ts";

/** Connections that one client opens at most, those included on which the service does not answer. */
export const MOST_CONNECTIONS = 64;

/**
 * How long to try one address of a host before the next one. Node's quarter of a second is less than a connection to
 * another continent may take, and behind the last address there is no further one.
 */
const ADDRESS_TIMEOUT_MS = 1_000;

/** Keep-alive connections to one server, direct or through the proxy that HTTPS_PROXY and NO_PROXY name. */
export class ConnectionPool {
  readonly #address: ServerAddress;
  readonly #options: https.AgentOptions;
  #agent: Promise<http.Agent> | null = null;

  constructor(address: ServerAddress, connections = MOST_CONNECTIONS) {
    this.#address = address;
    // Explicit, because NODE_TLS_REJECT_UNAUTHORIZED=0 would otherwise turn the check off.
    this.#options = {
      keepAlive: true,
      maxSockets: connections,
      rejectUnauthorized: true,
      autoSelectFamilyAttemptTimeout: ADDRESS_TIMEOUT_MS,
    };
  }

  /** @throws ProxySettingError when HTTPS_PROXY cannot be used */
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
    const proxy = getProxyForUrl(this.#address.origin);
    if (proxy === "") return new https.Agent(this.#options);
    if (!URL.canParse(proxy) || !/^https?:/i.test(proxy)) {
      throw new ProxySettingError(
        "The environment variable HTTPS_PROXY is not an http:// or https:// URL. No request was sent. Correct HTTPS_PROXY, or remove it to connect directly.",
      );
    }
    if (!isDecodable(proxy)) {
      throw new ProxySettingError(
        "The user name or password in the environment variable HTTPS_PROXY is not percent-encoded. No request was sent. Write each % in it as %25.",
      );
    }
    // Few installations have a proxy. The others do not load this at start.
    const { TunnelAgent } = await import("./tunnel-agent.ts");
    return new TunnelAgent(proxy, this.#options);
  }
}

function isDecodable(proxy: string): boolean {
  const { username, password } = new URL(proxy);
  try {
    // Each on its own: together, the end of one and the beginning of the other may be a code.
    for (const part of [username, password]) decodeURIComponent(part);
    return true;
  } catch {
    return false;
  }
}

/** Closes the connections that no request uses. */
export function closeIdle({ freeSockets }: http.Agent): void {
  for (const socket of Object.values(freeSockets).flat()) socket?.destroy();
}
