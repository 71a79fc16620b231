/** What was given: without the names whose value is null, undefined or empty. */
export function given<T extends object>(values: { [K in keyof T]: T[K] | null | undefined }): T {
  const entries = Object.entries(values).filter(([, value]) => value !== null && value !== undefined && value !== "");
  return Object.fromEntries(entries) as T;
}

/** One of the values that are known; null for any other text. */
export function oneOf<T extends string>(text: string | null, known: readonly T[]): T | null {
  return known.find((value) => value === text) ?? null;
}
