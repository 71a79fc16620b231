import type { Missing } from "./state/state.ts";
import { MASS_WINDOW_MS } from "./waits.ts";

const MOST_AT_ONCE = 10;
const LARGEST_SHARE = 0.3;

/**
 * Whether so many findings of an environment vanished at once that its collectors are the likelier cause. It holds until they
 * return, however long that takes: what vanished together stays together.
 *
 * @param vanished - findings that are absent, those of alerts that the job has closed included
 * @param known - how many findings the alerts have, the vanished ones included
 */
export function brakeHolds(vanished: Iterable<Missing>, known: number): boolean {
  const most = Math.max(MOST_AT_ONCE, LARGEST_SHARE * known);
  const times = Float64Array.from([...vanished].map(({ at }) => at)).sort();
  let from = 0;
  for (let until = 0; until < times.length; until++) {
    while ((times[until] ?? 0) - (times[from] ?? 0) > MASS_WINDOW_MS) from++;
    if (until - from + 1 > most) return true;
  }
  return false;
}
