/** Readers for a result that may hold anything: what does not fit counts as absent, nothing throws. */

export type Fields = Readonly<Record<string, unknown>>;

export function fields(value: unknown): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

export function items(value: unknown): Fields[] {
  return Array.isArray(value) ? value.map(fields) : [];
}

/** A text that says something; null otherwise. */
export function text(value: unknown): string | null {
  return typeof value === "string" && value.trim() !== "" ? value : null;
}

export function count(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}
