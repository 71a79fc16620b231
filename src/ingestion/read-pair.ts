import type { Logger } from "../runtime/modules.ts";
import type { Alert, JsonObject } from "../runtime/protocol.ts";
import { findingIdentity } from "../service/finding-identity.ts";
import type { Finding } from "../service/records/findings.ts";
import type { AttackPathService, FindingsPage } from "../service/attack-path-service.ts";
import { alertOf } from "./alert.ts";
import type { Documents } from "./documents.ts";
import { eventOf, type EventFrame } from "./event.ts";
import { endsTheRun } from "./failures.ts";
import type { Ledger } from "./ledger.ts";
import { PairProgress, type PairState } from "./pair-progress.ts";
import { pairName, type PlannedPair } from "./plan.ts";

/** What all pairs of a run share. */
export interface ReadContext {
  service: AttackPathService["findings"];
  documents: Documents;
  ledger: Ledger;
  /** Epoch milliseconds of the run. */
  now: number;
  /** Reads windows that a probe would call unchanged. */
  sweep: boolean;
  maxEventsPerAlert: number;
  frame: Omit<EventFrame, "environment" | "findingType" | "title">;
  deliver(alert: Alert, checkpoint?: JsonObject): Promise<void>;
  log: Logger;
  tally: Tally;
}

export interface Tally {
  findings: number;
  alerts: number;
  /** Values that did not fit the service's schema; their findings were delivered without them. */
  misfits: number;
}

export interface Turn {
  alerts: number;
}

interface Held {
  finding: Finding;
  identity: string;
}

/**
 * Reads what is new of a pair and delivers it, alert by alert, each with the checkpoint that covers just what was
 * delivered. Errors of the service are thrown after what was read before them has been delivered.
 *
 * @param turn - how many alerts the pair may still deliver; counted down here
 * @returns false when the turn was over before the end of the pair
 */
export async function readPair(pair: PlannedPair, context: ReadContext, turn: Turn): Promise<boolean> {
  const { service, ledger } = context;
  pair.progress = "unfinished";
  const stored = ledger.pair(pair);
  const progress = new PairProgress(stored, context.now);
  const query = { environmentId: pair.environmentId, findingType: pair.findingType, ...progress.query };
  if (stored?.cursor && stored.pass === null && !context.sweep) {
    const { total, newest } = await service.probe(query);
    if (progress.isUnchanged(total, newest?.created_at)) return true;
  }
  const held: Held[] = [];
  const flush = (state: () => PairState): Promise<boolean> => deliverHeld(pair, held, state, context, turn);
  try {
    for await (const page of service.pages(query)) {
      reportMisfits(pair, page, context);
      for (const [index, finding] of page.findings.entries()) {
        const identity = findingIdentity(finding);
        if (!progress.consider(identity, finding.created_at, page.skip + index)) continue;
        held.push({ finding, identity });
        if (held.length === context.maxEventsPerAlert && !(await flush(() => progress.interrupted()))) return false;
      }
    }
  } catch (error) {
    await flush(() => progress.interrupted()).catch((second: unknown) => {
      if (!endsTheRun(second)) throw second;
    });
    throw error;
  }
  if (held.length === 0) ledger.keep(pair, progress.completed());
  return flush(() => progress.completed());
}

/** @returns false when the turn is over; what is held then stays undelivered and uncommitted */
async function deliverHeld(
  pair: PlannedPair,
  held: Held[],
  state: () => PairState,
  context: ReadContext,
  turn: Turn,
): Promise<boolean> {
  if (held.length === 0) return true;
  const texts = await context.documents.read(pair.findingType);
  if (turn.alerts < 1) return false;
  turn.alerts -= 1;
  const frame = { ...context.frame, ...pair, title: texts.title || pair.findingType };
  const events = held.map(({ finding, identity }) => eventOf(finding, identity, frame, context.now));
  held.length = 0;
  pair.delivered = true;
  context.tally.findings += events.length;
  context.tally.alerts += 1;
  const patch = context.ledger.commit(pair, state(), context.documents.toStore(pair.findingType));
  await context.deliver(alertOf(events, frame, texts), patch);
  return true;
}

function reportMisfits(pair: PlannedPair, page: FindingsPage, { log, tally }: ReadContext): void {
  tally.misfits += page.misfits.length;
  for (const { position, path, problem } of page.misfits.slice(0, 5)) {
    log.warn(`${pairName(pair)}: finding ${position} has an unexpected value at ${path} (${problem}); it is left out`);
  }
  const more = page.misfits.length - 5;
  if (more > 0) log.warn(`${pairName(pair)}: ${more} more unexpected values on the same page are left out`);
}
