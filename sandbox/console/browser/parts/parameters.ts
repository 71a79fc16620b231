import type { Parameter } from "../../../../src/manifest/manifest.ts";
import type { Json, JsonObject } from "../../../../src/runtime/protocol.ts";

/** What stands in a form, by label: text as typed, or whether a box is ticked. */
export type Draft = Readonly<Record<string, string | boolean>>;

/** One of the values that are offered for a list. */
export interface Choice {
  /** What goes into the list. */
  value: string;
  note?: string;
  /** Other ways in which a person may have written it, in lower case. */
  aliases?: readonly string[];
}

/** What a form starts with: what is set, else the default. Secrets start empty. */
export function draftOf(parameters: readonly Parameter[], values: JsonObject): Draft {
  return Object.fromEntries(
    parameters.map(({ name, type, secret, default: preset }) => {
      const value = secret ? (values[name] ?? null) : (values[name] ?? preset);
      return [name, type === "boolean" ? value === true : textOf(value)];
    }),
  );
}

/** Whether two drafts of one form hold the same. */
export function isSameDraft(draft: Draft, other: Draft): boolean {
  return Object.entries(draft).every(([name, value]) => other[name] === value);
}

/** A value as a person would type it. */
export function textOf(value: Json | undefined): string {
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? value : Array.isArray(value) ? listText(value.map(String)) : JSON.stringify(value);
}

/** What goes to the server. What was left empty is absent: a secret stays as it is, everything else takes its default. */
export function valuesOf(parameters: readonly Parameter[], draft: Draft): JsonObject {
  const entries = parameters.flatMap(({ name, type }): [string, Json][] => {
    const value = draft[name] ?? "";
    if (typeof value === "boolean") return [[name, value]];
    const text = value.trim();
    if (text === "") return [];
    return [[name, type === "integer" && /^-?\d+$/.test(text) ? Number(text) : text]];
  });
  return Object.fromEntries(entries);
}

/** What a person must still do, by label. The server checks the rest and names the parameter. */
export function missingIn(
  parameters: readonly Parameter[],
  draft: Draft,
  secretsSet: readonly string[],
): Record<string, string> {
  const entries = parameters.flatMap((parameter) => {
    const message = missing(parameter, draft[parameter.name] ?? "", secretsSet.includes(parameter.name));
    return message === null ? [] : [[parameter.name, message]];
  });
  return Object.fromEntries(entries) as Record<string, string>;
}

function missing(parameter: Parameter, value: string | boolean, isSet: boolean): string | null {
  const { name, type, mandatory, minimum } = parameter;
  if (typeof value === "boolean") return null;
  const text = value.trim();
  if (text === "") return mandatory && !isSet ? `Enter ${name}.` : null;
  if (type === "list") return listEntries(text).length === 0 ? `Choose at least one value for ${name}, or All.` : null;
  if (type !== "integer") return null;
  if (!/^-?\d+$/.test(text)) return `${name} must be a whole number.`;
  return minimum !== undefined && Number(text) < minimum ? `${name} must be at least ${minimum}.` : null;
}

/** The entries of a list as typed: comma-separated, or a JSON array. */
export function listEntries(text: string): string[] {
  if (text.trimStart().startsWith("[")) {
    try {
      const parsed: unknown = JSON.parse(text);
      if (Array.isArray(parsed)) return parsed.map(String);
    } catch {
      // Being typed: the server says what is wrong with it.
    }
  }
  return text
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");
}

/** The text of a list; a JSON array where it has no entries, or one that could not stand between commas. */
export function listText(entries: readonly string[]): string {
  const isPlain =
    entries.length > 0 && entries.every((entry) => !/[,[\]"]/.test(entry) && entry === entry.trim() && entry !== "");
  return isPlain ? entries.join(", ") : JSON.stringify(entries);
}

/** Whether a list takes everything that there is. */
export function takesAll(text: string): boolean {
  return listEntries(text).some((entry) => entry.toLowerCase() === "all");
}

/** Puts an entry into a list or takes it out, however it was written. */
export function toggled(text: string, choice: Choice, isWanted: boolean): string {
  const others = listEntries(text).filter((entry) => !isChoice(entry, choice) && entry.toLowerCase() !== "all");
  return listText(isWanted ? [...others, choice.value] : others);
}

export function isChosen(text: string, choice: Choice): boolean {
  return listEntries(text).some((entry) => isChoice(entry, choice));
}

function isChoice(entry: string, { value, aliases = [] }: Choice): boolean {
  return entry === value || aliases.includes(entry.toLowerCase());
}
