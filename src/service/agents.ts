import http from "node:http";
import https from "node:https";
import { getProxyForUrl } from "proxy-from-env";
import { ConfigurationError } from "./errors.ts";
import type { ServerAddress } from "./server-address.ts";

/** Keep-alive connections to one server, straight or through the proxy that HTTPS_PROXY and NO_PROXY name. */
export class Agents {
  readonly #address: ServerAddress;
  readonly #options: https.AgentOptions;
  #agent: Promise<http.Agent> | null = null;

  constructor(address: ServerAddress, connections: number) {
    this.#address = address;
    // Said here because NODE_TLS_REJECT_UNAUTHORIZED=0 would otherwise turn the check off.
    this.#options = { keepAlive: true, maxSockets: connections, rejectUnauthorized: true };
  }

  /** @throws ConfigurationError when HTTPS_PROXY cannot be used */
  get(): Promise<http.Agent> {
    return (this.#agent ??= this.#open());
  }

  close(): void {
    this.#agent?.then(
      (agent) => {
        agent.destroy();
      },
      () => undefined,
    );
  }

  async #open(): Promise<http.Agent> {
    // http is for this machine alone: a proxy would be a way out of it.
    if (this.#address.protocol === "http:") return new http.Agent(this.#options);
    const proxy = getProxyForUrl(this.#address.origin);
    if (proxy === "") return new https.Agent(this.#options);
    if (!URL.canParse(proxy) || !/^https?:/i.test(proxy)) {
      throw new ConfigurationError(
        "The environment variable HTTPS_PROXY is no http:// or https:// address: correct it.",
      );
    }
    // Few installations have a proxy: the others need not load this at start.
    const { HttpsProxyAgent } = await import("https-proxy-agent");
    return new HttpsProxyAgent(proxy, this.#options);
  }
}
