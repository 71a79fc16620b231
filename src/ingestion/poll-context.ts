import type { Clock } from "../clock.ts";
import type { AttackPathService } from "../service/attack-path-service.ts";
import type { Descriptions } from "./descriptions.ts";
import type { StateStore } from "./state/state-store.ts";

/** What the sources of a poll share. They read the state; only `poll` changes it. */
export interface PollContext {
  readonly service: AttackPathService;
  readonly state: StateStore;
  readonly descriptions: Descriptions;
  readonly clock: Clock;
  /** How long a run waits, in milliseconds, for something that it can go on without. */
  readonly patienceMs: number;
  readonly selectedEnvironments: readonly string[];
  readonly selectedFindingTypes: readonly string[];
  /** Findings in one alert at most. */
  readonly batchSize: number;
}

/** Epoch seconds, the unit of the state. */
export function nowSeconds({ clock }: Pick<PollContext, "clock">): number {
  return Math.max(0, Math.floor(clock.now() / 1000));
}
