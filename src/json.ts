/** Whether a value is an object as JSON has them: not null, not a list. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a value is a text that says something: an empty one says as little as a missing one. */
export function isFilledText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

export function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((entry) => typeof entry === "string");
}

/** What a text holds as JSON; undefined when it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Deeper than any record. The limit keeps a response that is nested without end from ending the run. */
const DEEPEST = 50;

/**
 * Removes fields and list items that are null, because null means absent. Works in place: nobody else holds the record.
 *
 * @param levels - how far below the record's own fields to look; with 0 the free-form objects inside it are left as sent
 */
export function removeNulls(record: unknown, levels = DEEPEST): void {
  if (Array.isArray(record)) removeNullItems(record, levels);
  else if (isObject(record)) removeNullFields(record, levels);
}

function removeNullFields(record: Record<string, unknown>, levels: number): void {
  for (const key in record) {
    const value = record[key];
    if (typeof value !== "object") continue;
    if (value === null) Reflect.deleteProperty(record, key);
    else if (levels > 0) removeNulls(value, levels - 1);
  }
}

function removeNullItems(items: unknown[], levels: number): void {
  let kept = 0;
  for (const item of items) {
    if (item === null) continue;
    if (levels > 0) removeNulls(item, levels - 1);
    items[kept++] = item;
  }
  items.length = kept;
}
