/** One deliberate bug: a small edit of one source file. */
export interface Mutant {
  /** The wrong behaviour, as a sentence. */
  readonly name: string;
  /** The file, from the project's root. */
  readonly file: string;
  /** Source text that occurs exactly once in the file. Short, so that it outlives changes around it. */
  readonly find: string;
  readonly replace: string;
  /** Why no test has to notice the bug. */
  readonly tolerated?: string;
}

export type Bug = Omit<Mutant, "file">;

/** The bugs of one file. */
export function bugsIn(file: string, bugs: readonly Bug[]): Mutant[] {
  return bugs.map((bug) => ({ ...bug, file }));
}

/** How often a text occurs in another one. */
export function occurrences(source: string, text: string): number {
  return source.split(text).length - 1;
}

/** The source with the bug in it; null when the place is not exactly one. */
export function mutate(source: string, { find, replace }: Mutant): string | null {
  const [before, after, ...more] = source.split(find);
  return before === undefined || after === undefined || more.length > 0 ? null : before + replace + after;
}
