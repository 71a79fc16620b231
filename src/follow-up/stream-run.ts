import type { FindingKey } from "./finding-key.ts";
import type { ReadStream } from "./proof/after-read.ts";
import type { ReportedAnalysis } from "./proof/sparklines.ts";
import type { CounterCheckResult } from "./proof/verdict.ts";
import type { FollowUpMemory } from "./state/memory.ts";
import type { StreamMemory } from "./state/state.ts";
import type { FollowedStream } from "./streams.ts";

/**
 * What a run found out about one stream. `absent`: the service does not know its type any more. `still_absent`: an earlier run
 * found that after the same analysis. `behind`: its own sparkline does not show the last analysis, so that others have to be
 * asked first. `left`: there was no time.
 */
export type StreamOutcome =
  | { readonly kind: "read"; readonly read: ReadStream }
  | { readonly kind: "absent"; readonly analysis: number }
  | { readonly kind: "still_absent" }
  | { readonly kind: "unchanged" }
  | { readonly kind: "unknown"; readonly why: string }
  | { readonly kind: "behind" }
  | { readonly kind: "left" };

/** One stream in a run: what is known about it, what was read of it, and whether that still counts. */
export class StreamRun {
  readonly stream: FollowedStream;
  readonly #memory: FollowUpMemory;
  readonly #environmentId: string;
  outcome: StreamOutcome = { kind: "left" };
  /** The analysis for which its list was read; null as long as it was not. */
  readFor: ReportedAnalysis | null = null;
  /** Why its list is outdated; null when it is current, undefined before the comparison. */
  outdated: string | null | undefined;
  /** What the graph said about its findings; null as long as it was not asked. */
  checks: ReadonlyMap<FindingKey, CounterCheckResult> | null = null;

  constructor(stream: FollowedStream, memory: FollowUpMemory, environmentId: string) {
    this.stream = stream;
    this.#memory = memory;
    this.#environmentId = environmentId;
  }

  /** What is known from earlier runs, or from this one once it has judged the stream. */
  get known(): StreamMemory | undefined {
    return this.#memory.stream(this.#environmentId, this.stream.findingType);
  }

  remember(memory: StreamMemory): void {
    this.#memory.setStream(this.#environmentId, this.stream.findingType, memory);
  }

  /** Null when there was no complete read. */
  get read(): ReadStream | null {
    return this.outcome.kind === "read" ? this.outcome.read : null;
  }

  /** Whether there was no time for it. */
  get isLeft(): boolean {
    return this.outcome.kind === "left" || this.outcome.kind === "behind";
  }
}
