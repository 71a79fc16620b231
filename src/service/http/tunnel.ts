import http from "node:http";
import https from "node:https";
import net from "node:net";
import { LARGEST_HEADERS } from "../errors/connection-errors.ts";

/** How a proxy answered CONNECT. */
export interface TunnelResponse {
  readonly status: number;
  /** Leads to the target when the status is 200. The caller closes it. */
  readonly socket: net.Socket;
}

/**
 * Asks a proxy for a tunnel. Node reads the response, so its headers have a limit. Rejects with an error that has the code of the fault
 * as Node names it; one that begins with HPE_ says that the response is not valid HTTP.
 *
 * @param target - a name or an IP address, without brackets
 * @param options - of the connection to the proxy; its signal gives up a tunnel that is not open yet
 */
export function requestTunnel(
  proxy: URL,
  target: { readonly host: string; readonly port: number },
  options: https.RequestOptions,
): Promise<TunnelResponse> {
  const isSecure = proxy.protocol === "https:";
  const host = proxy.hostname.replace(/^\[|\]$/g, "");
  const authority = net.isIPv6(target.host) ? `[${target.host}]:${target.port}` : `${target.host}:${target.port}`;
  const request = (isSecure ? https : http).request({
    ...options,
    host,
    port: proxy.port || (isSecure ? 443 : 80),
    // Node would otherwise check the certificate of the proxy against the Host header, which names the target.
    servername: net.isIP(host) === 0 ? host : "",
    // Explicit, because NODE_TLS_REJECT_UNAUTHORIZED=0 would otherwise send the password to a proxy that is not checked.
    rejectUnauthorized: true,
    agent: false,
    method: "CONNECT",
    path: authority,
    // Node would send "close", and a proxy may obey it too soon.
    headers: {
      Host: authority,
      Connection: "keep-alive",
      "Proxy-Connection": "keep-alive",
      ...authorization(proxy),
    },
    maxHeaderSize: LARGEST_HEADERS,
  });
  return new Promise((resolve, reject) => {
    request.on("error", reject);
    request.once("connect", ({ statusCode = 0 }, socket, head) => {
      if (head.length > 0) socket.unshift(head);
      resolve({ status: statusCode, socket });
    });
    // Some proxies close the connection with their refusal, and Node then takes it for a plain response.
    request.once("response", ({ statusCode = 0, socket }) => {
      resolve({ status: statusCode, socket });
    });
    request.end();
  });
}

function authorization({ username, password }: URL): Record<string, string> {
  if (username === "" && password === "") return {};
  const pair = [username, password].map(decoded).join(":");
  return { "Proxy-Authorization": `Basic ${Buffer.from(pair).toString("base64")}` };
}

/** A part of a URL without its percent signs; as it stands when they mean nothing. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
