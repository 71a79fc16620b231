import type { Span } from "../scenario.ts";

/** Moments are milliseconds since the scenario began. */
export interface ScenarioFinding {
  readonly key: string;
  readonly environment: string;
  readonly type: string;
  /** Null for a finding that names one object. */
  readonly source: string | null;
  readonly target: string;
  readonly zone: string;
  /** When the risk really exists: the truth that only the checks know. */
  readonly real: readonly Span[];
  /** When the service does not list it although it exists: one analysis each. */
  readonly flaps: readonly Span[];
  /** When the list lacks it for longer, and the graph still has it. */
  readonly unlisted: readonly Span[];
  readonly accepted: readonly Span[];
}

export interface ScenarioEnvironment {
  readonly id: string;
  readonly name: string;
  readonly zones: readonly string[];
  readonly types: readonly string[];
  /** When the token does not see it. */
  readonly hidden: readonly Span[];
  /** From when on it does not exist any more. */
  readonly removedAt: number | null;
  /** When no collection runs. */
  readonly deadCollector: readonly Span[];
  /** When collections leave sessions out. */
  readonly deadSessions: readonly Span[];
  /** When the token does not see a zone of it. */
  readonly hiddenZones: readonly { readonly zone: string; readonly span: Span }[];
  /** Types that the service does not know any more, from a moment on. */
  readonly removedTypes: readonly { readonly type: string; readonly at: number }[];
  /** Types whose list the service fails to answer for a while. */
  readonly failingTypes?: readonly { readonly type: string; readonly span: Span }[];
}

/** How the service answers instead for a while. */
export type Trouble =
  | "down"
  | "html"
  | "drop"
  | "forbidden"
  | "empty lists"
  /** Lists of findings that join two objects are empty; the graph still has them. */
  | "empty pair lists"
  | "short lists"
  | "no count"
  | "other rows"
  /** Those of about half of the finding types. */
  | "some sparklines fail"
  /** Lists name both objects of a finding the other way round. */
  | "swapped rows";

export interface ScenarioAlert {
  readonly id: string;
  readonly environment: string;
  readonly type: string;
  readonly findings: readonly string[];
  readonly from: number;
  readonly priority: 100 | 80 | 60 | 40;
}

/** What a person does with an alert. */
export interface PersonAct {
  readonly at: number;
  readonly alert: string;
  readonly act: "close" | "reopen";
}

export interface ScenarioRun {
  readonly at: number;
  /** The host and the plugin die after so many messages. */
  readonly killAfter?: number;
  /** How long the run may take, in milliseconds; absent for as long as it likes. */
  readonly timeMs?: number;
  /** What the host does with closings in this run: it refuses them, or forgets them. */
  readonly closes?: "refused" | "lost";
  /** The host leaves out so many of a hundred alerts; the seed decides which. */
  readonly omits?: { readonly percent: number; readonly seed: number };
  /** The host has lost the job's state, or has a damaged one. */
  readonly state?: "lost" | "damaged";
}

/** What happens to a tenant and to the alerts of a host over weeks. */
export interface JobScenario {
  readonly seed: number;
  readonly environments: readonly ScenarioEnvironment[];
  readonly findings: readonly ScenarioFinding[];
  readonly alerts: readonly ScenarioAlert[];
  readonly analyses: readonly Span[];
  /** Milliseconds between two collections. */
  readonly collectEvery: number;
  readonly troubles: readonly { readonly span: Span; readonly trouble: Trouble }[];
  readonly runs: readonly ScenarioRun[];
  readonly acts: readonly PersonAct[];
  /** Whether the tenant offers `datapipe/status`. */
  readonly reportsAnalysis: boolean;
  /** From when on it does not any more; absent for never. */
  readonly silentFrom?: number;
  /** Whether an analysis adds no point to the sparkline of a type without findings. */
  readonly skipsEmptyTypes: boolean;
  /** By how much the points may differ that one analysis adds to sparklines, in milliseconds. */
  readonly pointsApart: number;
  /** Whether rows that are gone stay listed as deleted. */
  readonly marksDeleted: boolean;
  readonly pageSize: number;
  /** How many requests a second the tenant answers, which it does not say; absent for as many as it gets. */
  readonly mostPerSecond?: number;
  /** Every analysis gives the findings other ids. */
  readonly renewsIds: boolean;
  /** The clocks of host and service are set back at a moment. */
  readonly setBack: { readonly at: number; readonly by: number } | null;
  /** One of the clocks is ahead for a while. */
  readonly ahead: { readonly span: Span; readonly by: number; readonly who: "service" | "host" } | null;
  /** How far the host's clock is ahead of the service's, at most 50 minutes. */
  readonly hostAhead: number;
  /** Whether the host says who reopened an alert. */
  readonly reportsReopening: boolean;
  /** Whether the host says which priority an alert has now. */
  readonly reportsPriority: boolean;
  /** Whether the host keeps the patches of the messages. */
  readonly keepsPatches: boolean;
  /** From then on nothing goes wrong any more. */
  readonly quietFrom: number;
  readonly end: number;
}
