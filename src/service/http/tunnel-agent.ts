import type http from "node:http";
import { checkServerIdentity, type PeerCertificate } from "node:tls";
import { HttpsProxyAgent } from "https-proxy-agent";
import { ProxyRefusal, UnreachableProxy } from "../errors/connection-errors.ts";
import { proxySetting } from "./proxy-setting.ts";

type Connect = HttpsProxyAgent<string>["connect"];

/** What a request tells this agent about itself. */
export interface TunnelOptions {
  /** Gives up a tunnel that is not open yet. It must not abort once the request has ended. */
  readonly openUntil: AbortSignal;
}

/**
 * Tunnels through a proxy, in which the certificate of the server must be for the host that was asked for. The library
 * hands Node only the name for SNI, and an IP address has none: Node would then check the certificate against the name of
 * the proxy.
 */
export class TunnelAgent extends HttpsProxyAgent<string> {
  override async connect(
    request: http.ClientRequest,
    options: Parameters<Connect>[1] & Partial<TunnelOptions>,
  ): ReturnType<Connect> {
    const { host = "", openUntil } = options;
    const checked = {
      checkServerIdentity: (_: string, certificate: PeerCertificate) => checkServerIdentity(host, certificate),
    };
    // Until there is a tunnel, the connection to the proxy is not the request's own: nothing else would close it.
    this.connectOpts = { ...this.connectOpts, signal: openUntil };
    try {
      return await super.connect(request, options.secureEndpoint ? { ...options, ...checked } : options);
    } catch (error) {
      throw openUntil?.aborted === true ? error : failureOf(error);
    }
  }
}

/**
 * Until the tunnel is open, each failure is one of the proxy. The library has no code for one that closes the connection instead of an
 * answer, or answers with something else than HTTP.
 */
function failureOf(error: unknown): Error {
  const message = error instanceof Error ? error.message : "";
  const isClosed = message.includes("ended before receiving CONNECT response");
  if (!isClosed && message.includes("proxy CONNECT response")) return new ProxyRefusal(null, proxySetting());
  return new UnreachableProxy(
    isClosed ? Object.assign(new Error(message), { code: "ECONNRESET" }) : error,
    proxySetting(),
  );
}
