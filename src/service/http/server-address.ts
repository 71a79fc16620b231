import { ServerAddressError } from "../errors/errors.ts";

/** The address of a tenant, taken apart. */
export interface ServerAddress {
  /** Scheme, host, port if unusual, path prefix; no trailing slash. */
  readonly origin: string;
  readonly protocol: "https:" | "http:";
  /** Comes before each path of the API, such as `/tenant-a`; empty for most tenants. */
  readonly pathPrefix: string;
}

const EXAMPLE = "Enter the tenant's address, for example https://tenant.example.com.";

/**
 * Reads the value of the parameter Server.
 *
 * @throws ServerAddressError that says what to change; it never quotes the value, which may contain a password
 */
export function parseServerAddress(value: string): ServerAddress {
  const text = value.trim();
  checkCharacters(text);
  const url = parseUrl(withScheme(text));
  if (url.username !== "" || url.password !== "" || /^[^/]*\/\/[^/]*@/.test(withScheme(text))) {
    throw new ServerAddressError(
      "Server contains a user name or password. Remove it: the API token authenticates the requests.",
    );
  }
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    throw new ServerAddressError(`Server starts with a scheme other than https. ${EXAMPLE}`);
  }
  if (url.protocol === "http:" && !isLoopback(url.hostname)) {
    throw new ServerAddressError(
      "Server starts with http://. The findings would be sent unencrypted. Use https://. (http:// is allowed only for this machine itself.)",
    );
  }
  const pathPrefix = url.pathname.replace(/\/+$/, "");
  return { origin: `${url.protocol}//${url.host}${pathPrefix}`, protocol: url.protocol, pathPrefix };
}

function checkCharacters(text: string): void {
  if (text === "") throw new ServerAddressError(`Server is empty. ${EXAMPLE}`);
  if (/[\s\p{Cc}]/u.test(text)) throw new ServerAddressError(`Server contains spaces or line breaks. ${EXAMPLE}`);
  if (text.includes("\\")) throw new ServerAddressError(`Server contains a backslash. ${EXAMPLE}`);
  if (text.includes("?") || text.includes("#")) {
    throw new ServerAddressError(
      "Server contains a query or fragment (? or #). Enter only the scheme, the host and, if your tenant has one, the path.",
    );
  }
}

function withScheme(text: string): string {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return text;
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
