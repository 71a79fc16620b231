/** Longer names do not fit into a request line. */
const LONGEST_NAME = 1_000;

/**
 * Whether a value can name something in a request: text, not empty, and valid Unicode. A lone surrogate cannot be encoded
 * in a URL, so the request would be about another name.
 */
export function isName(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value.length <= LONGEST_NAME && value.isWellFormed();
}
