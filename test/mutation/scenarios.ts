/** Which scenarios a worker is to run. */
export interface Scenarios {
  readonly seed: number;
  readonly count: number;
  /** Numbers of scenarios to leave out. */
  readonly without: readonly number[];
  /** Tells all of them, whatever they break. */
  readonly all: boolean;
}

/** One scenario is over. */
export interface ScenarioReport {
  readonly scenario: number;
  /** The first invariant that it broke, and how; null when all of them held. */
  readonly broken: { readonly invariant: string; readonly detail: string } | null;
}
