import { ServerAddressError } from "./errors.ts";

/** Where a tenant is. */
export interface ServerAddress {
  /** Scheme, host, port if unusual, path prefix; no trailing slash. */
  readonly origin: string;
  readonly protocol: "https:" | "http:";
  /** What stands before each path of the API on the wire, such as `/tenant-a`; empty for most. */
  readonly pathPrefix: string;
}

const EXAMPLE = "Enter the tenant's address, for example https://tenant.example.com.";

/**
 * Reads the value of the parameter Server.
 *
 * @throws ServerAddressError that says what to change; it never repeats the value, which may hold a password
 */
export function parseServerAddress(value: string): ServerAddress {
  const text = value.trim();
  refuseOddities(text);
  const url = parseUrl(withScheme(text));
  if (url.username !== "" || url.password !== "" || /^[^/]*\/\/[^/]*@/.test(withScheme(text))) {
    throw new ServerAddressError("Server holds a user name or password: remove it, the token is what authenticates.");
  }
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    throw new ServerAddressError(`Server starts with a scheme that is not https. ${EXAMPLE}`);
  }
  if (url.protocol === "http:" && !isLoopback(url.hostname)) {
    throw new ServerAddressError(
      "Server starts with http://, which would show the findings to the network: write https:// (http is allowed for this machine itself).",
    );
  }
  const pathPrefix = url.pathname.replace(/\/+$/, "");
  return { origin: `${url.protocol}//${url.host}${pathPrefix}`, protocol: url.protocol, pathPrefix };
}

function refuseOddities(text: string): void {
  if (text === "") throw new ServerAddressError(`Server is empty. ${EXAMPLE}`);
  if (/[\s\p{Cc}]/u.test(text)) throw new ServerAddressError(`Server holds blanks or line breaks inside. ${EXAMPLE}`);
  if (text.includes("\\")) throw new ServerAddressError(`Server holds a backslash. ${EXAMPLE}`);
  if (text.includes("?") || text.includes("#")) {
    throw new ServerAddressError(
      "Server holds a query or fragment (? or #), as if copied from a page: keep only the part up to the host and, if your tenant has one, its path.",
    );
  }
}

function withScheme(text: string): string {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return text;
  // "https:host" would otherwise be read as a host named https.
  if (/^https?:/i.test(text) || text.startsWith("/") || text.startsWith(":")) {
    throw new ServerAddressError(`Server is not a complete address. ${EXAMPLE}`);
  }
  return `https://${text}`;
}

function parseUrl(text: string): URL {
  try {
    return new URL(text);
  } catch {
    throw new ServerAddressError(`Server cannot be read as an address. ${EXAMPLE}`);
  }
}

function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d{1,3}){3}$/.test(hostname);
}
