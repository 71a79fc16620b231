import type http from "node:http";
import { checkServerIdentity } from "node:tls";
import { HttpsProxyAgent } from "https-proxy-agent";

type Connect = HttpsProxyAgent<string>["connect"];

/**
 * Tunnels through a proxy, in which the certificate of the server must be for the host that was asked for. The library
 * hands Node only the name for SNI, and an IP address has none: Node would then check the certificate against the name of
 * the proxy.
 */
export class TunnelAgent extends HttpsProxyAgent<string> {
  override connect(request: http.ClientRequest, options: Parameters<Connect>[1]): ReturnType<Connect> {
    if (!options.secureEndpoint) return super.connect(request, options);
    const { host = "" } = options;
    return super.connect(request, {
      ...options,
      checkServerIdentity: (_, certificate) => checkServerIdentity(host, certificate),
    });
  }
}
