import type { Violation } from "../history.ts";
import type { Story } from "../story.ts";

/** What a worker is to do: the stories `first`, `first + step`, … of a seed, until there are no more or time is over. */
export interface Work {
  seed: number;
  first: number;
  step: number;
  /** How many stories there are; null for as many as there is time for. */
  stories: number | null;
  /** Real seconds; null for no limit. */
  seconds: number | null;
  /** Goes on after a violation. */
  keepGoing: boolean;
  /** Runs this story instead. */
  replay: Story | null;
  /** Makes a story that breaks a law smaller, for so many real seconds. */
  shrinkSeconds: number;
  /** Laws that are not checked. */
  except: string[];
}

/** What a worker has done since its last report. */
export interface Tally {
  stories: number;
  polls: number;
  delivered: number;
  /** Milliseconds of processor time. */
  cpuMs: number;
}

export type Report =
  | { type: "tally"; tally: Tally }
  | { type: "violation"; story: number | null; violation: Violation; shrunk: Story | null; original: Story }
  | { type: "done" };
