import { lookup } from "node:dns/promises";
import net from "node:net";
import tls from "node:tls";
import { DateTime } from "luxon";
import { type Clock, withTimeout } from "../../clock.ts";
import { rejectOnAbort } from "../../runtime/run-deadline.ts";
import { requestTunnel, type TunnelResponse } from "../../service/http/tunnel.ts";

/** A machine that a connection goes to. */
export interface Peer {
  /** A name or an IP address, without brackets. */
  readonly host: string;
  readonly port: number;
}

/** Long enough for a slow network, and no one waits longer in front of a terminal. */
const PATIENCE_MS = 10_000;

/** How long somebody waits for an answer of the network. */
export interface Patience {
  readonly clock: Clock;
  /** Ends the wait, as Ctrl-C does. */
  readonly stop: AbortSignal;
}

function inTime<T>(promise: Promise<T>, { clock, stop }: Patience): Promise<T> {
  const late = Object.assign(new Error("timed out"), { code: "ETIMEDOUT" });
  return rejectOnAbort(withTimeout(promise, PATIENCE_MS, clock, late), stop);
}

/** The addresses of a host, as Node's own connections find them: from the hosts file or from DNS. */
export async function resolve({ host }: Peer, patience: Patience): Promise<string[]> {
  const addresses = await inTime(lookup(host, { all: true }), patience);
  return addresses.map(({ address }) => address);
}

/** Connects, says how long that took in milliseconds, and hangs up. */
export async function connectOnce({ host, port }: Peer, patience: Patience): Promise<number> {
  const { clock } = patience;
  const started = clock.monotonic();
  const socket = net.connect({ host, port });
  try {
    await inTime(once(socket, "connect"), patience);
    return clock.monotonic() - started;
  } finally {
    socket.destroy();
  }
}

/** Asks a proxy for a tunnel. The socket leads to the target when the status is 200. */
export async function openTunnel(proxy: URL, target: Peer, patience: Patience): Promise<TunnelResponse> {
  const stop = new AbortController();
  try {
    return await inTime(requestTunnel(proxy, target, { signal: stop.signal }), patience);
  } catch (error) {
    stop.abort();
    throw error;
  }
}

export function peerOf({ protocol, hostname, port }: URL): Peer {
  const usual = protocol === "https:" ? 443 : 80;
  return { host: hostname.replace(/^\[|\]$/g, ""), port: port === "" ? usual : Number(port) };
}

/** What a server showed in its TLS handshake. */
export interface Handshake {
  readonly protocol: string | null;
  /** Code of what is wrong with the chain of certificates; null when this machine trusts it. */
  readonly chainProblem: string | null;
  /** Whether the certificate is for the host. */
  readonly fitsHost: boolean;
  readonly issuer: string;
  /** Names and addresses that the certificate is for. */
  readonly names: string;
  /** Epoch milliseconds. */
  readonly validTo: number;
}

/** Looks at the certificate of a server. Nothing is sent to it, so this may look at one that is not trusted. */
export async function shakeHands(
  { host, port }: Peer,
  through: net.Socket | null,
  patience: Patience,
): Promise<Handshake> {
  const socket = tls.connect({
    ...(through ? { socket: through } : { port }),
    host,
    ...(net.isIP(host) === 0 ? { servername: host } : {}),
    rejectUnauthorized: false,
    checkServerIdentity: () => undefined,
  });
  try {
    await inTime(once(socket, "secureConnect"), patience);
    const certificate = socket.getPeerCertificate();
    return {
      protocol: socket.getProtocol(),
      chainProblem: socket.authorized ? null : String(socket.authorizationError),
      fitsHost: tls.checkServerIdentity(host, certificate) === undefined,
      issuer: [certificate.issuer.O ?? [], certificate.issuer.CN ?? []].flat().join(", "),
      names: certificate.subjectaltname ?? [certificate.subject.CN ?? []].flat().join(", "),
      validTo: expiryOf(certificate.valid_to),
    };
  } finally {
    socket.destroy();
  }
}

/** Epoch milliseconds of a time as Node writes it, such as `Nov  3 15:10:56 2026 GMT`; NaN when it has another form. */
function expiryOf(text: string): number {
  return DateTime.fromFormat(text.replaceAll(/ +/g, " "), "MMM d HH:mm:ss yyyy 'GMT'", {
    zone: "utc",
    locale: "en",
  }).toMillis();
}

function once(socket: net.Socket, event: "connect" | "secureConnect"): Promise<void> {
  return new Promise((resolve, reject) => {
    // Stays, because a socket that is destroyed late may still report an error.
    socket.on("error", reject);
    socket.once(event, () => {
      resolve();
    });
    socket.once("close", () => {
      reject(Object.assign(new Error("closed"), { code: "ECONNRESET" }));
    });
  });
}
