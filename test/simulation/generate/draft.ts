import type { Random } from "../random.ts";
import { FOREVER, type Span } from "../scenario.ts";
import { HOUR, MINUTE } from "../world.ts";

/** What the parts of a scenario need to know while it is made up. */
export interface Draft {
  readonly random: Random;
  readonly pollTimes: readonly number[];
  /** When the last poll begins. */
  readonly duration: number;
}

/** A random moment of the scenario, often one at which the plugin is likely to be reading. */
export function momentIn({ random, pollTimes, duration }: Draft): number {
  if (random.chance(0.4)) return random.int(0, Math.max(1, duration));
  const poll = random.pick(pollTimes);
  return (
    poll + random.pick([random.int(-60_000, -1), random.int(0, 150), random.int(0, 1_000), random.int(1_000, 60_000)])
  );
}

/** A span of the scenario, from an instant to several polls long. */
export function spanIn(draft: Draft): Span {
  const { random } = draft;
  const from = random.chance(0.3) ? random.pick(draft.pollTimes) - 1 : momentIn(draft);
  const length = random.pick([
    random.spread(10, 2_000),
    random.spread(1_000, 10 * MINUTE),
    random.spread(10 * MINUTE, 12 * HOUR),
    random.spread(HOUR, 80 * HOUR),
    FOREVER,
  ]);
  return [from, Math.min(from + length, FOREVER)];
}
