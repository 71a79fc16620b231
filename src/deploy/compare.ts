import { isDeepStrictEqual } from "node:util";

/** What is compared: things by name, each with its fields. A field that one side does not have is not compared. */
export type Parts = ReadonlyMap<string, Readonly<Record<string, unknown>>>;

/** What differs, one line for each thing: `action "Ping": other Description`. */
export function differences(installed: Parts, built: Parts): string[] {
  return [...built].flatMap(([name, fields]) => {
    const there = installed.get(name);
    if (there === undefined) return [`${name}: not on the platform`];
    const differing = Object.keys(fields).filter(
      (field) => there[field] !== undefined && !isDeepStrictEqual(plain(there[field]), plain(fields[field])),
    );
    return differing.length === 0 ? [] : [`${name}: other ${differing.join(", ")}`];
  });
}

/** What the platform has beyond what was built. */
export function surplus(installed: Parts, built: Parts): string[] {
  return [...installed.keys()].filter((name) => !built.has(name)).map((name) => `${name}: only on the platform`);
}

/** The platform may write a number as a text, nothing as null, and lines with other endings. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plain(inner)]));
  }
  return String((value as string | number | boolean | null | undefined) ?? "")
    .replace(/\r\n?/g, "\n")
    .replace(/[ \t]+$/gm, "")
    .trim();
}
