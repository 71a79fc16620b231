import type { PlaybookCard, Product } from "./platform-api.ts";

export type PlatformFields = Record<string, unknown>;

/** Whether a record of the ontology is about all events of the product. */
export function isAboutProduct({ source, product, eventName }: PlatformFields, wanted: Product): boolean {
  return (
    typeof source === "string" &&
    source.toLowerCase() === wanted.source.toLowerCase() &&
    product === wanted.product &&
    textOr(eventName, null) === null
  );
}

export function textOr<T>(value: unknown, otherwise: T): string | T {
  return typeof value === "string" && value !== "" ? value : otherwise;
}

export function fields(value: unknown): PlatformFields {
  return typeof value === "object" && value !== null ? (value as PlatformFields) : {};
}

/** Some lists come as such, others under a name; none at all is an empty list. */
export function list(value: unknown, name = "items"): PlatformFields[] {
  const items: unknown = Array.isArray(value) ? value : fields(value)[name];
  return Array.isArray(items) ? items.map(fields) : [];
}

/** The playbooks in a list, whose cards hold more than that. */
export function playbookCards(value: unknown, name?: string): PlaybookCard[] {
  return list(value, name).map((card) => ({ identifier: String(card["identifier"]), name: String(card["name"]) }));
}
