import { DateTime } from "luxon";
import { access } from "node:fs/promises";
import { isIP } from "node:net";
import { manifest } from "../../generated/manifest.ts";
import { nodeInUse } from "../../runtime/node-in-use.ts";
import { isUntrusted } from "../../service/errors/connection-errors.ts";
import { ProxySettingError, ServiceError } from "../../service/errors/errors.ts";
import { proxySetting } from "../../service/http/proxy-setting.ts";
import { systemCode } from "../failures.ts";
import { type Check, type CheckResult, failed, ok, skipped, warning } from "./check.ts";
import { connectOnce, type Handshake, resolve, shakeHands } from "./network.ts";
import type { Examination } from "./examination.ts";

const OLDEST_NODE = 20;
/** A certificate that expires earlier is a warning. */
const SOON = { days: 14 };

/** From this machine to the service's certificate: everything that a request needs before it is sent. */
export const networkChecks: readonly Check[] = [
  {
    name: "versions",
    title: "Versions",
    needs: [],
    required: true,
    run() {
      const { version, cLibrary, architecture } = nodeInUse();
      const facts = { package: manifest.version, node: version, cLibrary, platform: process.platform, architecture };
      const text = `Package ${manifest.version}, Node.js ${version} (${process.platform} ${architecture}).`;
      return Number.parseInt(version, 10) < OLDEST_NODE
        ? failed(text, `Install Node.js ${OLDEST_NODE} or later.`, facts)
        : ok(text, facts);
    },
  },
  { name: "server", title: "Server address", needs: [], required: true, run: checkServer },
  { name: "proxy", title: "Proxy settings", needs: ["server"], required: true, run: checkProxy },
  { name: "dns", title: "Name resolution", needs: ["proxy"], required: true, run: checkName },
  { name: "tcp", title: "TCP connection", needs: ["dns"], required: true, run: checkTcp },
  { name: "tunnel", title: "Proxy tunnel", needs: ["tcp"], required: true, run: checkTunnel },
  { name: "tls", title: "TLS certificate", needs: ["tunnel"], required: true, run: checkTls },
];

function checkServer(examination: Examination): CheckResult {
  try {
    return ok(`${examination.address.origin}.`, { origin: examination.address.origin });
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return failed(error.message, "Enter the tenant's address, for example https://tenant.example.com.");
  }
}

function checkProxy(examination: Examination): CheckResult {
  try {
    const { proxy } = examination;
    if (proxy === null) return ok("No proxy applies.", { proxy: null });
    const { origin, username } = proxy;
    const user = username === "" ? "" : ", with a user name";
    return ok(`${proxySetting().variable} names ${origin}${user}.`, { proxy: origin, withUserName: username !== "" });
  } catch (error) {
    if (!(error instanceof ProxySettingError)) throw error;
    return failed(
      error.message,
      "Write it as http://proxy:port, or with a user name as http://user:password@proxy:port.",
    );
  }
}

/** "the server" or "the proxy": whichever a connection goes to first. */
function first(examination: Examination): string {
  return examination.proxy === null ? "server" : "proxy";
}

/** Where the address is set that a connection goes to first. */
function setting(examination: Examination): string {
  return examination.proxy === null ? "Server" : proxySetting().variable;
}

/** What else may help when nothing answers. */
function proxyHint(examination: Examination): string {
  return examination.proxy === null ? " If only a proxy may connect to the internet, set HTTPS_PROXY." : "";
}

async function checkName(examination: Examination): Promise<CheckResult> {
  const { host } = examination.firstPeer;
  if (isIP(host) !== 0) return ok(`${host} is an IP address.`, { addresses: [host] });
  try {
    const addresses = await resolve(examination.firstPeer, examination.patience);
    return ok(`${host} is ${addresses.join(", ")}.`, { addresses });
  } catch (error) {
    const code = systemCode(error);
    const temporary = code === "EAI_AGAIN" || code === "ETIMEDOUT";
    return failed(
      temporary
        ? `DNS did not answer when asked for the ${first(examination)} ${host} (${code}).`
        : `DNS does not know the host name ${host} of the ${first(examination)} (${code}).`,
      temporary
        ? `Check the DNS servers and the network of this machine.${proxyHint(examination)}`
        : `Check the spelling in ${setting(examination)}. If the name is known only inside a network, connect this machine to it.`,
      { code },
    );
  }
}

const TCP_CAUSES: ReadonlyMap<string, string> = new Map([
  ["ECONNREFUSED", "refuses connections: nothing listens there, or a firewall rejects them"],
  ["ETIMEDOUT", "does not answer: a firewall may drop the packets"],
  ["EHOSTUNREACH", "cannot be reached: there is no route to it"],
  ["ENETUNREACH", "cannot be reached: there is no route to its network"],
]);

async function checkTcp(examination: Examination): Promise<CheckResult> {
  const { host, port } = examination.firstPeer;
  try {
    const ms = await connectOnce(examination.firstPeer, examination.patience);
    return ok(`Port ${port} of ${host} accepts connections (${ms} ms).`, { host, port, ms });
  } catch (error) {
    const code = systemCode(error);
    return failed(
      `Port ${port} of the ${first(examination)} ${host} ${TCP_CAUSES.get(code) ?? "cannot be connected to"} (${code}).`,
      `Check host name and port in ${setting(examination)}, and that the firewall lets this machine connect.${proxyHint(examination)}`,
      { host, port, code },
    );
  }
}

async function checkTunnel(examination: Examination): Promise<CheckResult> {
  const { host, port } = examination.server;
  try {
    const tunnel = await examination.tunnel();
    if (tunnel === null) return skipped("Not needed: no proxy applies.");
    tunnel.socket.destroy();
    const { status } = tunnel;
    if (status === 200) return ok(`The proxy connects to ${host}:${port}.`, { status });
    return failed(...tunnelProblem(examination, status), { status });
  } catch (error) {
    const code = systemCode(error);
    if (isUntrusted(code)) {
      const cause = `The certificate of the proxy is not issued by a certificate authority (CA) that this machine trusts (${code}).`;
      return failed(cause, await trustFix("If that is a private CA"), { code });
    }
    return failed(
      `The proxy did not answer the request for a tunnel (${code}).`,
      `Check that ${proxySetting().variable} is the address of an HTTP proxy, with the right scheme and port.`,
      { code },
    );
  }
}

/** What a proxy means by its refusal, and what to do. */
function tunnelProblem({ server: { host, port }, proxy }: Examination, status: number): [cause: string, fix: string] {
  if (status !== 407) {
    return [
      `The proxy refuses to connect to ${host}:${port} (status ${status}).`,
      `Ask the administrator of the proxy to allow CONNECT to ${host}:${port}, or add ${host} to NO_PROXY to connect directly.`,
    ];
  }
  const { variable } = proxySetting();
  return (proxy?.username ?? "") === ""
    ? [
        "The proxy requires a user name and password (status 407).",
        `Write them into ${variable}: http://user:password@proxy:port.`,
      ]
    : [
        "The proxy refuses this user name and password (status 407).",
        `Correct them in ${variable}. Write special characters in them with percent signs, such as %40 for @.`,
      ];
}

async function checkTls(examination: Examination): Promise<CheckResult> {
  if (examination.address.protocol === "http:") return skipped("Not needed: the server is this machine.");
  try {
    const tunnel = await examination.tunnel();
    return await judgeCertificate(
      await shakeHands(examination.server, tunnel?.socket ?? null, examination.patience),
      examination,
    );
  } catch (error) {
    const code = systemCode(error);
    return failed(
      `The server does not complete a TLS handshake (${code}).`,
      "Check that Server names a host and port that speak https, and that no firewall intercepts the connection.",
      { code },
    );
  }
}

const OR_CLOCK = "If they are valid today, the clock of this machine is wrong: set it.";

/** What a certificate means for requests. */
export async function judgeCertificate(
  handshake: Handshake,
  { server, clock }: Pick<Examination, "server" | "clock">,
): Promise<CheckResult> {
  const { chainProblem, fitsHost, issuer, names, validTo } = handshake;
  const end = DateTime.fromMillis(validTo).toUTC();
  const expires = end.toISODate() ?? "";
  const facts = { ...handshake, validTo: expires };
  const now = clock.now();
  if (chainProblem === "CERT_HAS_EXPIRED" && validTo < now) {
    return failed(`The certificate expired on ${expires}.`, `Renew the certificate of the server. ${OR_CLOCK}`, facts);
  }
  if (chainProblem !== null && !isUntrusted(chainProblem)) {
    return failed(
      `The certificate, or one that it rests on, is not valid (${chainProblem}).`,
      `Have the certificates of the server checked and renewed. ${OR_CLOCK}`,
      facts,
    );
  }
  const named = `The certificate is for another host name than ${server.host}. It is for ${names}.`;
  if (chainProblem !== null) {
    return failed(
      `The certificate is not issued by a certificate authority (CA) that this machine trusts. Its issuer is ${issuer} (${chainProblem}).${fitsHost ? "" : ` ${named}`}`,
      await trustFix("If that is a private CA, or the CA of a proxy that inspects TLS"),
      facts,
    );
  }
  if (!fitsHost) {
    return failed(
      named,
      "Enter one of these names as Server, or issue a certificate for the name that you use.",
      facts,
    );
  }
  if (end < DateTime.fromMillis(now).plus(SOON)) {
    return warning(`The certificate expires on ${expires}.`, "Renew it before that day.", facts);
  }
  return ok(`Issued by ${issuer} for ${server.host}, valid until ${expires}.`, facts);
}

/** @param condition - when the authority is to be trusted */
async function trustFix(condition: string): Promise<string> {
  const fix = `${condition}, set the environment variable NODE_EXTRA_CA_CERTS to the file with its certificate.`;
  return `${fix}${await extraAuthorities()}`;
}

/** Node only warns about a file that it cannot read, and goes on without it. */
async function extraAuthorities(): Promise<string> {
  const file = process.env["NODE_EXTRA_CA_CERTS"] ?? "";
  if (file === "") return "";
  const readable = await access(file).then(
    () => true,
    () => false,
  );
  return readable
    ? " The file that it names now does not hold this authority."
    : " The file that it names now cannot be read.";
}
