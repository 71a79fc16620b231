import type { Logger } from "../../logger.ts";
import { rankOf } from "../../runtime/severity.ts";
import { isSameText } from "../../text.ts";
import type { ServiceError } from "../../service/errors/errors.ts";
import { type Pair, pairKey } from "../paths/path-pairs.ts";
import type { PathEntry } from "../paths/path-entry.ts";
import type { PathService } from "../paths/prove-path.ts";
import { provePairs } from "../paths/prove-pairs.ts";
import type { PacedService } from "../result/action-rate.ts";
import type { OpenFinding } from "./open-findings.ts";
import { type Cuts, rankCuts } from "./rank-cuts.ts";

/** At most this many different pairs of source and target are checked: one request each, a few seconds in all. */
export const MOST_PAIRS = 500;
/** Progress is reported each time this many pairs are checked. */
const BATCH = 50;

export interface FoundCuts extends Cuts {
  /** Findings that were not looked at, because there are more pairs than the limit. */
  leftOut: number;
  /** Findings that were not looked at, because of the rate limit or the end of the run. */
  notAsked: number;
  /** Findings of an object and itself: they have no path. */
  ofItself: number;
  /** The fault that made every request fail, if there was one. */
  cause: ServiceError | null;
}

/**
 * Where to cut the paths of some findings, the worst first. Sends one request for each different pair of source and target, and a
 * few more where no path is left.
 *
 * @param mostPairs - how many different pairs to check at most
 * @param progress - receives how many pairs were checked, and how many will be
 */
export async function findCuts(
  service: PathService & PacedService,
  findings: readonly OpenFinding[],
  log: Logger,
  { mostPairs = MOST_PAIRS, progress }: { mostPairs?: number; progress?: (done: number, all: number) => void } = {},
): Promise<FoundCuts> {
  const withPath = findings.filter(({ source, target }) => !isSameText(source, target));
  const groups = groupsOf(withPath);
  const chosen = groups.slice(0, mostPairs);
  const entries = new Map<string, PathEntry>();
  let cause: ServiceError | null = null;
  for (let at = 0; at < chosen.length; at += BATCH) {
    const pairs = chosen.slice(at, at + BATCH).map(({ pair }) => pair);
    const proved = await provePairs(service, pairs, null, log);
    for (const { pair, entry } of proved.answered) entries.set(pairKey(pair), entry);
    if (at === 0) cause = proved.cause;
    progress?.(Math.min(at + BATCH, chosen.length), chosen.length);
    // The rate limit was reached, or the run ends.
    if (proved.remaining > 0) break;
  }
  const answered = chosen.flatMap((group) => {
    const entry = entries.get(pairKey(group.pair));
    return entry === undefined ? [] : group.findings.map(({ findingType }) => ({ entry, findingType }));
  });
  const leftOut = countOf(groups.slice(mostPairs));
  return {
    ...rankCuts(answered),
    leftOut,
    notAsked: withPath.length - leftOut - answered.length,
    ofItself: findings.length - withPath.length,
    cause,
  };
}

interface Group {
  pair: Pair;
  findings: OpenFinding[];
}

function countOf(groups: readonly Group[]): number {
  return groups.reduce((sum, group) => sum + group.findings.length, 0);
}

/** Findings by their pair of objects: the worst severity first, then the most findings. */
function groupsOf(findings: readonly OpenFinding[]): Group[] {
  const byPair = new Map<string, Group>();
  for (const finding of findings) {
    const pair: Pair = { start: finding.source, end: finding.target, areIds: true };
    const group = byPair.get(pairKey(pair)) ?? { pair, findings: [] };
    group.findings.push(finding);
    byPair.set(pairKey(pair), group);
  }
  const worst = ({ findings: all }: Group): number => Math.min(...all.map(({ severity }) => rankOf(severity)));
  const ranked = [...byPair.values()].map((group) => ({ group, rank: worst(group) }));
  ranked.sort((a, b) => a.rank - b.rank || b.group.findings.length - a.group.findings.length);
  return ranked.map(({ group }) => group);
}
