import { BadRequestError } from "../errors/errors.ts";

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
      throw new BadRequestError("A name or ID is empty. No request was sent. Enter it as the service shows it.", {
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

/** Leaves only the unreserved characters of RFC 3986, which no proxy has a reason to rewrite. */
function encode(text: string): string {
  return text
    .replace(/\p{Surrogate}/gu, "\uFFFD")
    .replace(/[^A-Za-z0-9._~-]+/gu, (run) =>
      encodeURIComponent(run).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`),
    );
}

/** A segment of dots alone would be read as a folder. */
function encodeSegment(text: string): string {
  return /^\.{1,2}$/.test(text) ? text.replaceAll(".", "%2E") : encode(text);
}

/** Longer names do not fit into a request line. */
const LONGEST_NAME = 1_000;

/**
 * Whether a value can name something in a request: text, not empty, and valid Unicode. A lone surrogate cannot be encoded
 * in a URL, so the request would be about another name.
 */
export function isName(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value.length <= LONGEST_NAME && value.isWellFormed();
}
