import { ServerAddressError } from "../errors/errors.ts";

/** The parts of a tenant's address. */
export interface ServerAddress {
  /** Scheme, host, port if unusual, path prefix; no trailing slash. */
  readonly origin: string;
  readonly protocol: "https:" | "http:";
  /** In lower case; an IPv6 address stands in brackets. */
  readonly hostname: string;
  /** Comes before each path of the API, such as `/tenant-a`; empty for most tenants. */
  readonly pathPrefix: string;
}

const EXAMPLE = "Enter the tenant's address, for example https://tenant.example.com.";

/**
 * Reads the value of the parameter Server: the address of the tenant, or that of any of its pages as a browser shows it.
 * A scheme may be missing. Query, fragment and the dot at the end of a host name are left out, and so is the path from its
 * first segment `ui` or `api` on, in any letter case: the pages of a tenant are under /ui, its operations under /api. What
 * is left of the path is the prefix that a reverse proxy puts before both.
 *
 * @throws ServerAddressError that says what to change; it never quotes the value, which may contain a password
 */
export function parseServerAddress(value: string | undefined): ServerAddress {
  const text = (value ?? "").replace(/[?#].*$/s, "").trim();
  checkCharacters(text);
  const url = parseUrl(withScheme(text));
  const hostname = url.hostname.replace(/\.$/, "");
  if (url.username !== "" || url.password !== "" || /^[^/]*\/\/[^/]*@/.test(withScheme(text))) {
    throw new ServerAddressError(
      "Server contains a user name or password. Remove it: the API token authenticates the requests.",
    );
  }
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    throw new ServerAddressError(`Server starts with a scheme other than https. ${EXAMPLE}`);
  }
  // Such as https://https://host or https//host.
  if (hostname === "https" || hostname === "http") {
    throw new ServerAddressError(`Server contains https twice, or without its colon. ${EXAMPLE}`);
  }
  if (url.protocol === "http:" && !isLoopback(hostname)) {
    throw new ServerAddressError(
      "Server starts with http://. The findings would be sent unencrypted. Use https://. (http:// is allowed only for this machine itself.)",
    );
  }
  const port = url.port === "" ? "" : `:${url.port}`;
  const pathPrefix = prefixOf(url.pathname);
  const origin = `${url.protocol}//${hostname}${port}${pathPrefix}`;
  return { origin, protocol: url.protocol, hostname, pathPrefix };
}

/** The address of a tenant as it is used, see `ServerAddress`; null where the plugin would refuse it. */
export function originIn(server: string | undefined): string | null {
  try {
    return parseServerAddress(server).origin;
  } catch {
    return null;
  }
}

function prefixOf(pathname: string): string {
  const segments = pathname.split("/").filter((segment) => segment !== "");
  const own = segments.findIndex((segment) => /^(ui|api)$/i.test(segment));
  const kept = own === -1 ? segments : segments.slice(0, own);
  return kept.map((segment) => `/${segment}`).join("");
}

function checkCharacters(text: string): void {
  if (text === "") throw new ServerAddressError(`Server is empty. ${EXAMPLE}`);
  if (/[\s\p{Cc}]/u.test(text)) throw new ServerAddressError(`Server contains spaces or line breaks. ${EXAMPLE}`);
  if (/["'`\u2018\u2019\u201c\u201d]/.test(text))
    throw new ServerAddressError(`Server contains quotation marks. ${EXAMPLE}`);
  if (text.includes("\\")) throw new ServerAddressError(`Server contains a backslash. ${EXAMPLE}`);
}

function withScheme(text: string): string {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return text;
  if (text.startsWith("//")) return `https:${text}`;
  // Otherwise "https:host" would be read as a host named https.
  if (/^https?:/i.test(text) || text.startsWith("/") || text.startsWith(":")) {
    throw new ServerAddressError(`Server is not a complete address. ${EXAMPLE}`);
  }
  return `https://${text}`;
}

function parseUrl(text: string): URL {
  try {
    return new URL(text);
  } catch {
    throw new ServerAddressError(`Server is not a valid address. ${EXAMPLE}`);
  }
}

function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d{1,3}){3}$/.test(hostname);
}
