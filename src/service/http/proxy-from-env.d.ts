declare module "proxy-from-env" {
  /** The proxy that HTTPS_PROXY, ALL_PROXY and NO_PROXY name for a URL; empty when none applies. */
  export function getProxyForUrl(url: string): string;
}
