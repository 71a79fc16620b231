import { type Clock, raceTimeout } from "../clock.ts";
import { endsTheRun } from "../service/errors/errors.ts";
import type { Environment } from "../service/resources/environments.records.ts";
import { analysisEvidence } from "./evidence.ts";
import { arrivalOf, type PollContext, type PollItem, type PollSource } from "./poll-items.ts";
import { readEnvironment } from "./read-environment.ts";
import { startingAt } from "./turns.ts";
import { pollTime } from "./time.ts";

/**
 * Lists the environments and gives a source for each selected one. When the list does not arrive in time, those that
 * the last complete list had are read meanwhile, and also when it cannot be loaded, or not to its end. Where few requests are allowed, a list that hangs is given up.
 */
export async function* readTenant(context: PollContext): AsyncGenerator<PollItem | PollSource[], void, undefined> {
  const { service, state, selection, clock, pace } = context;
  const remembered = state.listedEnvironments();
  const known = selection.scope(remembered, 0).selected;
  const givenUp = new AbortController();
  const listing = service.environments.list({ signal: givenUp.signal });
  const asked = analysisEvidence(context, known);
  const first = await arrivalOf(listing, context);
  const analysis = await asked;
  const time = pollTime(state.clock, clock.now(), service.time());
  yield { kind: "start", time };

  const sourceOf = (environment: Environment): PollSource => ({
    subject: { kind: "environment", environment },
    read: () => readEnvironment(context, environment, time, analysis),
  });
  const inOrder = (environments: readonly Environment[]): Environment[] =>
    startingAt(environments, ({ id }) => id === state.begin?.environmentId);
  const begun = new Set<string>();
  // A service that responds, but cannot list its environments, may still deliver their findings.
  const failed = first !== "listed" && first !== "late";
  if (first === "late" || (failed && service.responded && !endsTheRun(first.error))) {
    for (const { id } of known) begun.add(id);
    yield inOrder(known).map(sourceOf);
  }
  if (first === "late" && known.length > 0 && (await isLate(listing, pace.listMs, clock))) {
    givenUp.abort();
    return;
  }
  const { environments: listed, unreadable, incomplete } = await listing;
  const isListed = new Set(listed.map(({ id }) => id));
  const missing = incomplete === undefined ? [] : remembered.filter(({ id }) => !isListed.has(id));
  const scope = selection.scope([...listed, ...missing], unreadable);
  const selected = inOrder(scope.selected);
  yield { kind: "scope", scope: { ...scope, selected }, incomplete };
  yield selected.filter(({ id }) => !begun.has(id)).map(sourceOf);
  if (incomplete !== undefined && endsTheRun(incomplete)) throw incomplete;
}

async function isLate(listing: Promise<unknown>, ms: number, clock: Clock): Promise<boolean> {
  return ms !== Infinity && (await raceTimeout(listing, ms, clock)) === "late";
}
