import { Random } from "../random.ts";
import type { Span, Scenario } from "../scenario.ts";
import { HOUR, MINUTE } from "../world.ts";
import { type Draft, momentIn } from "./draft.ts";
import { planEnvironments } from "./environments.ts";
import { planFaults } from "./faults.ts";
import { planFindings } from "./findings.ts";
import { planHost, planPolls, planPollTimes } from "./polls.ts";
import { addRarities } from "./rarities.ts";
import { planTenant } from "./tenant.ts";

/** The scenario of a number: always the same one for the same seed. */
export function generate(seed: number, number: number): Scenario {
  const random = new Random(seed, number);
  const pollTimes = planPollTimes(random);
  const draft: Draft = { random, pollTimes, duration: pollTimes.at(-1) ?? 0 };
  const { analyses, ...otherWork } = planWork(draft);
  const environments = planEnvironments(draft);
  const host = planHost(draft, environments);
  const tenant = planTenant(draft, host);
  const faults = planFaults(draft, environments);
  // Where the host's clock runs ahead and the service does not tell its time, nobody could know what is future.
  const needsTime = host.aheadMs > 0 || host.clock.length > 0;
  if (needsTime) tenant.dateHeader = "exact";
  const scenario: Scenario = {
    seed: random.int(1, 2 ** 30),
    tenant,
    environments,
    findings: planFindings(draft, {
      environments,
      tenant,
      births: [...analyses, ...(otherWork.brokenAnalyses ?? [])],
      isFull: host.stateCharacters !== undefined,
    }),
    analyses,
    ...otherWork,
    faults: faults.filter(({ what }) => !(needsTime && what.kind === "wrong date header")),
    host,
    polls: planPolls(draft, environments, host),
  };
  return addRarities(scenario, [seed, number]);
}

/** What the tenant does when: one thing at a time. Some analyses break off, and some of the time it takes data in. */
function planWork(draft: Draft): Pick<Scenario, "analyses" | "brokenAnalyses" | "ingestions"> {
  const { random } = draft;
  const spans = planSpans(draft);
  if (!random.chance(0.25)) return { analyses: spans };
  const kinds = spans.map(() => random.pick(["whole", "broken", "ingestion"]));
  const of = (kind: string): Span[] => spans.filter((_, index) => kinds[index] === kind);
  return { analyses: of("whole"), brokenAnalyses: of("broken"), ingestions: of("ingestion") };
}

function planSpans(draft: Draft): Span[] {
  const { random } = draft;
  const count = random.weighted([
    [0, 1],
    [random.int(1, 3), 4],
    [random.int(3, 8), 3],
  ]);
  let free = -Infinity;
  return Array.from({ length: count }, () => momentIn(draft))
    .sort((a, b) => a - b)
    .flatMap((from): Span[] => {
      if (from < free) return [];
      const until = from + random.pick([1, 50, 1_000, 30_000, 10 * MINUTE, HOUR]) + random.int(0, 100);
      free = until + 1;
      return [[from, until]];
    });
}
