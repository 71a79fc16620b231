/** The text as JSON and every host can carry it: no lone surrogates, and no longer than `longest` characters. */
export function bounded(text: string, longest: number): string {
  return (text.length <= longest ? text : `${text.slice(0, longest)}…`).toWellFormed();
}

/** The first text that says something: an empty one says as little as a missing one. */
export function firstText(...texts: readonly (string | undefined)[]): string | undefined {
  return texts.find((text) => text !== undefined && text !== "");
}
