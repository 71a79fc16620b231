import type { History, RunRecord, Violation } from "../history.ts";
import type { World } from "../world.ts";
import { severities, times } from "./alerts.ts";
import {
  alertIds,
  completedMeansAll,
  exactlyOnce,
  limits,
  noDeleted,
  realFindings,
  returnsAreNew,
  undelivered,
} from "./deliveries.ts";
import { passesNobodyOver, takesTurns } from "./fairness.ts";
import type { Invariant } from "./invariant.ts";
import { inTime, keptSecret, noAccident, oneResult, shortMessage } from "./messages.ts";
import { neverIdle, withinTheAnnouncedLimit } from "./pace.ts";
import { catchesUp, waitsForBodies } from "./patience.ts";
import { promisedBy } from "./promises.ts";
import {
  failuresAreNamed,
  getsOn,
  givesUpOnSilence,
  healthyOnesAreRead,
  stopsWhenRefused,
  withinTheLimit,
} from "./service.ts";
import { undeliveredReturns } from "./vanished.ts";
import { describe, said } from "./wording.ts";
import { cutListsAreNoticed, otherAnswersAreNoticed } from "./wrong-answers.ts";
import { damageIsSaid, linearPatches, ownStateIsGood, smallState } from "./state.ts";

/** What the plugin promises. Each invariant is checked after every run; the first one that is broken names the violation. */
export const invariants: Readonly<Record<string, Invariant>> = {
  "one result": oneResult,
  "in time": inTime,
  "no accident": noAccident,
  "short message": shortMessage,
  "kept secret": keptSecret,
  "real findings": realFindings,
  "no deleted findings": noDeleted,
  "exactly once": exactlyOnce,
  "alert ids": alertIds,
  "returns are new": returnsAreNew,
  "completed means all": completedMeansAll,
  limits,
  severities,
  times,
  "within the limit": withinTheLimit,
  "within the announced limit": withinTheAnnouncedLimit,
  "never idle": neverIdle,
  "stops when refused": stopsWhenRefused,
  "gives up on silence": givesUpOnSilence,
  "gets on": getsOn,
  "takes turns": takesTurns,
  "passes nobody over": passesNobodyOver,
  "healthy ones are read": healthyOnesAreRead,
  "catches up": catchesUp,
  "waits for bodies": waitsForBodies,
  "other answers are noticed": otherAnswersAreNoticed,
  "cut lists are noticed": cutListsAreNoticed,
  "failures are named": failuresAreNamed,
  "small state": smallState,
  "linear patches": linearPatches,
  "own state is good": ownStateIsGood,
  "damage is said": damageIsSaid,
};

/** The invariant that is checked once, at the end. */
export const EVENTUALLY = "eventually everything";

export type Except = ReadonlySet<string>;

export function checkRun(world: World, history: History, run: RunRecord, except: Except): Violation[] {
  return Object.entries(invariants).flatMap(([invariant, check]) => {
    const detail = except.has(invariant) ? null : check(world, history, run);
    return detail === null ? [] : [{ invariant, detail, run: run.index }];
  });
}

/** The service is well, nothing changes, and there was time: the last run is complete and nothing is missing. */
export function checkScenario(world: World, history: History, except: Except): Violation[] {
  const last = history.runs.at(-1);
  if (last === undefined || except.has(EVENTUALLY)) return [];
  // Without an environment to poll a run rightly fails.
  if (!world.environmentsAt(last.start).some((environment) => world.isCollected(environment, last.start))) return [];
  const violation = (detail: string): Violation[] => [{ invariant: EVENTUALLY, detail, run: last.index }];
  if (last.result?.status !== "completed" && !lacksDescriptions(world, last)) {
    return violation(`the service is well and the run says ${last.result?.status ?? "nothing"}: ${said(last)}`);
  }
  const missing = undelivered(promisedBy(world, history, last), history, last);
  if (missing.length > 0) return violation(`never delivered: ${describe(world, missing)}`);
  const returned = undeliveredReturns(world, history, last);
  return returned === null ? [] : violation(returned);
}

/** A tenant that always refuses its documents leaves a run partial, and nothing else with it. */
function lacksDescriptions({ scenario }: World, { result }: RunRecord): boolean {
  return result?.status === "partial" && scenario.tenant.refuses?.some(({ route }) => route === "document") === true;
}
