import type { Violation } from "../history.ts";
import type { Scenario } from "../scenario.ts";

/** What a worker is to do: the scenarios `first`, `first + step`, … of a seed, until there are no more or time is over. */
export interface Work {
  /** Runs scenarios of the job instead of the connector. */
  job: boolean;
  seed: number;
  first: number;
  step: number;
  /** The first scenario that is not run; null for as many as there is time for. */
  end: number | null;
  /** Real seconds; null for no limit. */
  seconds: number | null;
  /** Goes on after a violation. */
  keepGoing: boolean;
  /** Runs this scenario instead. */
  replay: Scenario | null;
  /** Makes a scenario that breaks an invariant smaller, for so many real seconds. */
  shrinkSeconds: number;
  /** Invariants that are not checked. */
  except: string[];
}

/** What a worker has done since its last report. */
export interface Tally {
  scenarios: number;
  polls: number;
  delivered: number;
  /** Milliseconds of processor time. */
  cpuMs: number;
}

export type Report =
  | { type: "tally"; tally: Tally }
  | {
      type: "violation";
      scenario: number | null;
      violation: Violation;
      shrunk: Scenario | null;
      original: Scenario | null;
    }
  | { type: "done" };
