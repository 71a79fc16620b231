import type { IncomingMessage } from "node:http";

export type Body = Record<string, unknown>;

/** One request to a stand-in. */
export interface Call {
  /** "METHOD path" */
  name: string;
  query: string;
  body: Buffer;
  headers: IncomingMessage["headers"];
}

export class Violation extends Error {}

export function check(condition: boolean, what: string): asserts condition {
  if (!condition) throw new Violation(what);
}

/** The body as JSON. */
export function jsonOf({ name, body, headers }: Call): unknown {
  if (name.startsWith("GET ")) return null;
  check(headers["content-type"] === "application/json", "the body is not declared as JSON");
  return JSON.parse(body.toString("utf8")) as unknown;
}

export function keys(body: unknown, expected: string[]): asserts body is Body {
  check(typeof body === "object" && body !== null, "the body is no object");
  const found = Object.keys(body).sort();
  check(JSON.stringify(found) === JSON.stringify([...expected].sort()), `the keys are ${found.join(", ")}`);
}

/** A grouping rule in the words of an API. `more`: its other fields. */
export function checkRule(body: unknown, spell: (word: string) => string, more: string[]): asserts body is Body {
  const oneOf = (words: string[], given: unknown): boolean => words.map(spell).includes(String(given));
  keys(body, ["category", "categoryDetails", "groupingType", "entityType", ...more]);
  check(oneOf(["all", "alert-type", "data-source", "product-name"], body["category"]), "category is unknown");
  check(oneOf(["entities", "source-grouping-identifier", "none"], body["groupingType"]), "groupingType is unknown");
  check(Array.isArray(body["entityType"]), "entityType is no list");
  for (const detail of body["categoryDetails"] as unknown[]) keys(detail, ["identifier", "displayName"]);
}
