import { counted, isSameText, listed, named, shortened } from "../../text.ts";

/** Longer than any real name; a service that sends a megabyte for one must not fill the result with it. */
const LONGEST_TEXT = 1_000;

/** A name of the service as a JSON result shows it. */
export function clipped(text: string): string {
  return shortened(text, LONGEST_TEXT);
}

/** The same for a value that may not be a text, which gives null. */
export function clippedOrNull(value: unknown): string | null {
  return typeof value === "string" ? clipped(value) : null;
}

interface TallyWords<S extends string> {
  /** What was done to those with the status `found`, as the first word of the sentence. */
  done: string;
  /** What is counted, in the singular. */
  noun: string;
  /** What to call each other status. */
  others: Readonly<Record<Exclude<S, "found">, string>>;
}

/**
 * "Found 3 of 5 names; ambiguous: A; not found: B."
 *
 * @param total - how many there are, including those that the next run gets to
 */
export function tally<S extends string>(
  items: readonly { label: string; status: S | "found" }[],
  { done, noun, others }: TallyWords<S>,
  total = items.length,
): string {
  const found = items.filter(({ status }) => status === "found").length;
  const rest = Object.entries<string>(others).flatMap(([status, words]) => {
    const labels = items.filter((item) => item.status === status).map(({ label }) => label);
    return labels.length > 0 ? [`${words}: ${listed(labels)}`] : [];
  });
  return `${[`${done} ${found} of ${counted(total, noun)}`, ...rest].join("; ")}.`;
}

/** A message names no more reasons than this; the JSON result has them all. */
const MOST_REASONS = 3;

/** Why something failed, each reason once. */
export function reasons(errors: readonly string[]): string[] {
  const different = [...new Set(errors)];
  const more = different.length - MOST_REASONS;
  return [...different.slice(0, MOST_REASONS), ...(more > 0 ? [`The JSON result has ${more} more reasons.`] : [])];
}

/** A text that stands for an object, and what is known of that. */
export interface NamedBy {
  text: string;
  objectId: string | null;
  name: string | null;
}

/** Which objects were found by another form of their names: the reader can check that they are the ones that are meant. */
export function otherForms(found: readonly NamedBy[]): string[] {
  const others = found.flatMap(({ text, objectId, name }) => {
    if (objectId === null || name === null) return [];
    return [objectId, name].some((known) => isSameText(known, clipped(text)))
      ? []
      : [`${named(text)} is ${named(name)}`];
  });
  return others.length === 0 ? [] : [`Found by another form of the name: ${listed([...new Set(others)])}.`];
}
