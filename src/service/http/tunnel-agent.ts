import type http from "node:http";
import net from "node:net";
import tls, { checkServerIdentity, type PeerCertificate } from "node:tls";
import { HttpsProxyAgent } from "https-proxy-agent";
import { codeOf, ProxyRefusal, UnreachableProxy } from "../errors/connection-errors.ts";
import { proxySetting } from "./proxy-setting.ts";
import { requestTunnel } from "./tunnel.ts";

type Connect = HttpsProxyAgent<string>["connect"];

/** What a request tells this agent about itself. */
export interface TunnelOptions {
  /** Gives up a tunnel that is not open yet. Closing the agent does not. */
  readonly openUntil: AbortSignal;
  /** Called with true when the proxy is asked for a tunnel, and with false once it has answered; not when it is given up. */
  readonly onTunnel: (isOpening: boolean) => void;
}

/**
 * Tunnels through a proxy. The library keeps the connections; it is not used to ask for a tunnel, because it reads a response without
 * an end until the memory is full. The certificate of the server must be for the host that was asked for, also if that is an IP address,
 * for which there is no SNI: Node would then check the certificate against the name of the proxy.
 */
export class TunnelAgent extends HttpsProxyAgent<string> {
  override async connect(_: http.ClientRequest, options: Parameters<Connect>[1] & TunnelOptions): ReturnType<Connect> {
    const { host = "", port, openUntil, onTunnel } = options;
    const socket = await this.#open({ host, port }, { openUntil, onTunnel });
    return tls.connect({
      ...options,
      // Of a request, it is the target. To TLS, it would be a socket file.
      path: "",
      servername: net.isIP(host) === 0 ? host : "",
      checkServerIdentity: (_name: string, certificate: PeerCertificate) => checkServerIdentity(host, certificate),
      socket,
    });
  }

  /** Until the tunnel is open, each failure is one of the proxy. */
  async #open(
    target: { host: string; port: number },
    { openUntil: signal, onTunnel }: TunnelOptions,
  ): Promise<net.Socket> {
    onTunnel(true);
    try {
      const { status, socket } = await requestTunnel(this.proxy, target, { ...this.connectOpts, signal });
      onTunnel(false);
      if (status === 200) return socket;
      socket.destroy();
      throw new ProxyRefusal(status, proxySetting());
    } catch (error) {
      if (signal.aborted || error instanceof ProxyRefusal) throw error;
      throw codeOf(error).startsWith("HPE_")
        ? new ProxyRefusal(null, proxySetting())
        : new UnreachableProxy(error, proxySetting());
    }
  }
}
