/** Which stories a worker is to tell. */
export interface Stories {
  readonly seed: number;
  readonly count: number;
  /** Numbers of stories to leave out. */
  readonly without: readonly number[];
  /** Tells all of them, whatever they break. */
  readonly all: boolean;
}

/** One story is over. */
export interface StoryReport {
  readonly story: number;
  /** The first law that it broke, and how; null when all of them held. */
  readonly broken: { readonly law: string; readonly detail: string } | null;
}
