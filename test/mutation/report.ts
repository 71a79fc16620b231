import type { Mutant } from "./mutant.ts";

export type Outcome = "unit" | "simulation" | "survived";

/** What became of one bug. */
export interface Verdict {
  readonly mutant: Mutant;
  readonly outcome: Outcome;
  /** The test or invariant that noticed it; empty when nothing did. */
  readonly by: string;
  readonly ms: number;
}

const LONGEST_NAME = 92;
const LONGEST_BY = 80;
const TITLES: Readonly<Record<Outcome, string>> = {
  unit: "Killed by unit tests",
  simulation: "Killed by the simulation",
  survived: "Survived",
};

/** Bugs that survived and were not expected to. */
export function missed(verdicts: readonly Verdict[]): Verdict[] {
  return verdicts.filter(({ mutant, outcome }) => outcome === "survived" && mutant.tolerated === undefined);
}

export function line({ mutant, by, ms }: Verdict): string {
  const seconds = `${(ms / 1000).toFixed(1)} s`.padStart(8);
  return `${seconds}  ${shortened(mutant.name, LONGEST_NAME).padEnd(LONGEST_NAME)}  ${shortened(reason(mutant, by), LONGEST_BY)}`.trimEnd();
}

function reason({ file, tolerated }: Mutant, by: string): string {
  if (by !== "") return by;
  return tolerated === undefined ? file : `tolerated: ${tolerated}`;
}

export function table(verdicts: readonly Verdict[]): string {
  const sections = (["unit", "simulation", "survived"] as const).flatMap((outcome) => {
    const here = verdicts.filter((verdict) => verdict.outcome === outcome);
    return [`${TITLES[outcome]}: ${here.length}`, ...here.map(line), ""];
  });
  return sections.join("\n");
}

export function toJson(verdicts: readonly Verdict[], general: Readonly<Record<string, unknown>>): string {
  const bugs = verdicts.map(({ mutant: { name, file, tolerated }, outcome, by, ms }) => ({
    name,
    file,
    outcome,
    by,
    seconds: Math.round(ms / 100) / 10,
    ...(tolerated === undefined ? {} : { tolerated }),
  }));
  return `${JSON.stringify({ ...general, bugs }, null, 2)}\n`;
}

function shortened(text: string, longest: number): string {
  const oneLine = text.replace(/\s+/g, " ");
  return oneLine.length > longest ? `${oneLine.slice(0, longest - 1)}…` : oneLine;
}
