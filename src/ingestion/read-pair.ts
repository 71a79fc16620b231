import type { Logger } from "../runtime/modules.ts";
import { findingIdentity } from "../service/finding-identity.ts";
import type { Finding } from "../service/records/findings.ts";
import type { AttackPathService, Misfit } from "../service/attack-path-service.ts";
import { alertOf } from "./alert.ts";
import type { PairKey } from "./checkpoint.ts";
import type { Documents } from "./documents.ts";
import { eventOf, type EventFrame } from "./event.ts";
import { endsTheRun } from "../service/errors.ts";
import type { Ledger } from "./ledger.ts";
import type { Outbox } from "./outbox.ts";
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
  outbox: Outbox;
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
  pair.progress = "unfinished";
  if (!context.sweep && (await isUnchanged(pair, context))) return true;
  const resumed = (context.ledger.pair(pair)?.pass?.skip ?? 0) > 0;
  const complete = await readWindow(pair, context, turn);
  // One finding deleted and another one added further up leave every position behind them as it was.
  if (complete && resumed && !(await isUnchanged(pair, context))) return readWindow(pair, context, turn);
  return complete;
}

async function isUnchanged(pair: PlannedPair, { service, ledger, now }: ReadContext): Promise<boolean> {
  const stored = ledger.pair(pair);
  if (stored?.cursor == null || stored.pass !== null) return false;
  const progress = new PairProgress(stored, now);
  const { total, lastAdded } = await service.probe({ ...keyOf(pair), ...progress.query });
  return progress.isUnchanged(total, lastAdded && findingIdentity(lastAdded));
}

async function readWindow(pair: PlannedPair, context: ReadContext, turn: Turn): Promise<boolean> {
  const { service, ledger } = context;
  const progress = new PairProgress(ledger.pair(pair), context.now);
  const query = { ...keyOf(pair), ...progress.query };
  const held: Held[] = [];
  // Alongside the first page: a limit that is met on a later one must not find findings without their texts.
  if (ledger.pair(pair) === null) void context.documents.read(pair.findingType).catch(() => undefined);
  const flush = (state: () => PairState): Promise<boolean> => deliverHeld(pair, held, state, context, turn);
  try {
    for await (const page of service.pages(query)) {
      const fresh = new Set<number>();
      for (const [index, finding] of page.findings.entries()) {
        const identity = findingIdentity(finding);
        if (!progress.consider(identity, finding.created_at, page.skip + index)) continue;
        fresh.add(page.skip + index);
        held.push({ finding, identity });
        if (held.length === context.maxEventsPerAlert && !(await flush(() => progress.interrupted()))) return false;
      }
      reportMisfits(
        pair,
        page.misfits.filter(({ position }) => fresh.has(position)),
        context,
      );
      // While the host takes the alerts of a page, nothing else of it stays in memory.
      page.findings.length = 0;
      await context.outbox.emptied();
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

function keyOf({ environmentId, findingType }: PlannedPair): PairKey {
  return { environmentId, findingType };
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
  const alert = alertOf(events, frame, texts);
  context.outbox.send(alert, context.ledger.commit(pair, state(), context.documents.toStore(pair.findingType)));
  return true;
}

const MISFITS_NAMED = 5;

function reportMisfits(pair: PlannedPair, misfits: Misfit[], { log, tally }: ReadContext): void {
  tally.misfits += misfits.length;
  for (const { position, path, problem } of misfits.slice(0, MISFITS_NAMED)) {
    log.warn(`${pairName(pair)}: finding ${position} has an unexpected value at ${path} (${problem}); it is left out`);
  }
  const more = misfits.length - MISFITS_NAMED;
  if (more > 0) log.warn(`${pairName(pair)}: ${more} more unexpected values on the same page are left out`);
}
