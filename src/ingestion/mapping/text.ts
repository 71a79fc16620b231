/** The text as JSON and every host can carry it: no lone surrogates, and no longer than `longest` characters. */
export function bounded(text: string, longest: number): string {
  return (text.length <= longest ? text : `${text.slice(0, longest)}…`).toWellFormed();
}
