import { getProxyForUrl } from "proxy-from-env";
import type { ProxySetting } from "../errors/connection-errors.ts";
import { ProxySettingError } from "../errors/errors.ts";

/** In the order in which `proxy-from-env` looks at them for an https address. */
const VARIABLES = ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"];

/** The environment variable that names the proxy; HTTPS_PROXY when none does. */
function proxyVariable(): string {
  return VARIABLES.find((name) => process.env[name]) ?? "HTTPS_PROXY";
}

/** What the environment says about the proxy that was used. */
export function proxySetting(): ProxySetting {
  const variable = proxyVariable();
  return { variable, hasUser: (process.env[variable] ?? "").includes("@") };
}

/**
 * The URL of the proxy for an https address; null for none.
 *
 * @throws ProxySettingError that names the variable, and never repeats its value, which may contain a password
 */
export function proxyFor(origin: string): string | null {
  if (getProxyForUrl(origin) === "") return null;
  const variable = proxyVariable();
  const text = process.env[variable]?.trim() ?? "";
  // As curl does. The library would take the scheme of the address that is asked for.
  const proxy = text.includes("://") ? text : `http://${text}`;
  if (!/^https?:/i.test(proxy) || !URL.canParse(proxy)) {
    const instead = /^https_proxy$/i.test(variable) ? "" : ", set HTTPS_PROXY to an HTTP proxy";
    throw new ProxySettingError(
      `The environment variable ${variable} is not an http:// or https:// URL. Other proxies are not supported. No request was sent. Correct ${variable}${instead}, or add the host of Server to NO_PROXY to connect directly.`,
    );
  }
  if (!isDecodable(proxy)) {
    throw new ProxySettingError(
      `The user name or password in the environment variable ${variable} is not percent-encoded. No request was sent. Write each % in it as %25.`,
    );
  }
  return proxy;
}

function isDecodable(proxy: string): boolean {
  const { username, password } = new URL(proxy);
  try {
    // Each on its own: together, the end of one and the beginning of the other may be a code.
    for (const part of [username, password]) decodeURIComponent(part);
    return true;
  } catch {
    return false;
  }
}
