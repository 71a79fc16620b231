/** Which scenarios a worker is to run, up to the first one that breaks an invariant. */
export interface Scenarios {
  readonly seed: number;
  /** Number of the first one. */
  readonly from: number;
  /** Number behind the last one. */
  readonly to: number;
  /** Numbers of scenarios to leave out. */
  readonly without: readonly number[];
}

/** One scenario is over. */
export interface ScenarioReport {
  readonly scenario: number;
  /** The first invariant that it broke, and how; null when all of them held. */
  readonly broken: { readonly invariant: string; readonly detail: string } | null;
}
