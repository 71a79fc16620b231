import { BadRequestError } from "./errors.ts";

/** One `name=value` of a query; names may repeat and keep their order. */
export type QueryPair = readonly [name: string, value: string | number | boolean];

/**
 * The path of an operation with its values percent-encoded: path`/api/v2/domains/${id}/details`.
 *
 * @throws BadRequestError when a value is empty: the path would be that of another operation
 */
export function path(template: TemplateStringsArray, ...values: (string | number)[]): string {
  return template.reduce((text, piece, index) => {
    const value = String(values[index - 1]);
    if (value === "") {
      throw new BadRequestError("An empty id or name cannot be asked for: hand in the one that the service gave.", {
        whoActs: "analyst",
      });
    }
    return text + encodeSegment(value) + piece;
  });
}

/** The request target as it is signed and sent, byte for byte. */
export function requestTarget(pathPrefix: string, path: string, query: readonly QueryPair[]): string {
  const pairs = query.map(([name, value]) => `${encode(name)}=${encode(String(value))}`);
  return pathPrefix + path + (pairs.length > 0 ? `?${pairs.join("&")}` : "");
}

/** Leaves only the unreserved characters of RFC 3986: nothing on the way has a reason to rewrite those. */
function encode(text: string): string {
  return text
    .replace(/\p{Surrogate}/gu, "\uFFFD")
    .replace(/[^A-Za-z0-9._~-]+/gu, (run) =>
      encodeURIComponent(run).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`),
    );
}

/** A segment of dots alone would mean a folder. */
function encodeSegment(text: string): string {
  return /^\.{1,2}$/.test(text) ? text.replaceAll(".", "%2E") : encode(text);
}
