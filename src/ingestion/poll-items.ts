import { type Clock, raceTimeout } from "../clock.ts";
import type { AttackPathService } from "../service/attack-path-service.ts";
import type { ServiceError } from "../service/errors/errors.ts";
import type { Environment } from "../service/resources/environments.records.ts";
import type { Description, Descriptions } from "./descriptions.ts";
import type { Source } from "./interleave.ts";
import type { OptionalRoutes } from "./optional-routes.ts";
import type { Pace } from "./pace.ts";
import type { PollTime } from "./time.ts";
import type { Batch } from "./read-stream.ts";
import { type Scope, type Stream } from "./scope.ts";
import type { Selection } from "./selection.ts";
import type { EnvironmentDecision, Evidence, StreamReason } from "./skip-decision.ts";
import type { StreamMemory } from "./state/state.ts";
import type { StateStore } from "./state/state-store.ts";

/** Everything that happens in a poll, in the order in which it happens. */
export type PollItem =
  | StartItem
  | ScopeItem
  | EnvironmentItem
  | TypesItem
  | ReadingItem
  | UnchangedItem
  | NewsItem
  | NoNewsItem
  | GoneItem;

/** The clocks are known; reading begins. */
export interface StartItem {
  readonly kind: "start";
  readonly time: PollTime;
}

/** The environments are listed and narrowed to the selected ones. */
export interface ScopeItem {
  readonly kind: "scope";
  readonly scope: Scope;
  /** Why the list may lack environments; absent when it is whole. */
  readonly incomplete?: ServiceError | undefined;
}

/** It is decided what to do with an environment. */
export interface EnvironmentItem extends EnvironmentDecision {
  readonly kind: "environment";
  readonly environment: Environment;
  readonly evidence: Evidence;
  /** The finding types of the last runs, which are to be read until the list says otherwise; none when it is skipped. */
  readonly known: readonly string[];
}

/** The finding types of an environment are listed and narrowed to the selected ones. */
export interface TypesItem {
  readonly kind: "types";
  readonly environment: Environment;
  readonly offered: readonly string[];
  readonly selected: readonly string[];
  /** Those of the selected ones that are known from earlier runs and not offered. */
  readonly unlisted: readonly string[];
  /** Entries of the list that are not valid names. */
  readonly unreadable: number;
  /** Why the list may lack finding types; absent when it is whole. */
  readonly incomplete?: ServiceError | undefined;
}

/** A page of a stream has arrived: a stream is slow only when the service is silent, not when it has much to list. */
export interface ReadingItem {
  readonly kind: "reading";
}

/** A probe showed that the stream holds nothing new. */
export interface UnchangedItem {
  readonly kind: "unchanged";
  readonly stream: Stream;
  /** Whether it holds any finding in its window. */
  readonly hasFindings: boolean;
}

/** New findings of a stream, to be delivered as one alert. */
export interface NewsItem extends Batch {
  readonly kind: "news";
  readonly reason: StreamReason;
  readonly description: Description;
}

/** A stream was read, to its end or as far as it could be, and nothing (more) in it is new. */
export interface NoNewsItem extends Batch {
  readonly kind: "no_news";
  readonly reason: StreamReason;
}

/** The environment does not list the finding type any more, and the service has no findings of it. */
export interface GoneItem {
  readonly kind: "gone";
  readonly stream: Stream;
  readonly memory: StreamMemory;
}

/** What a source of a poll reads. */
export type PollSubject =
  | { readonly kind: "tenant" }
  | { readonly kind: "environment"; readonly environment: Environment }
  | { readonly kind: "stream"; readonly stream: Stream };

export type PollSource = Source<PollItem, PollSubject>;

/** What the sources of a poll see of the state: only `poll` changes it. */
export type StateView = Pick<
  StateStore,
  | "clock"
  | "firstRun"
  | "begin"
  | "environment"
  | "listedEnvironments"
  | "knownTypes"
  | "knownRequests"
  | "stream"
  | "roomFor"
>;

/** What the sources of a poll share. */
export interface PollContext {
  readonly service: AttackPathService;
  readonly state: StateView;
  readonly descriptions: Descriptions;
  /** Streams whose findings have arrived and wait for their description: they keep their turn if the run ends meanwhile. */
  readonly awaitingDescription: Set<Stream>;
  readonly routes: OptionalRoutes;
  readonly pace: Pace;
  readonly clock: Clock;
  readonly selection: Selection;
  /** Findings in one alert at most. */
  readonly batchSize: number;
}

/** Whether a list arrives while the run is patient, or the error that it fails with. What it holds is in the listing itself. */
export function arrivalOf(
  listing: Promise<unknown>,
  { clock, pace }: Pick<PollContext, "clock" | "pace">,
): Promise<"listed" | "late" | { readonly error: unknown }> {
  const arrival = listing.then(
    () => "listed" as const,
    (error: unknown) => ({ error }),
  );
  return raceTimeout(arrival, pace.patienceMs, clock);
}
