import type { History, RunRecord } from "../history.ts";
import type { Fault, FindingPlan, Place } from "../story.ts";
import { DAY, type World } from "../world.ts";

/** Lists that are said to be empty and are not, without a count that contradicts them. */
const EMPTY_LISTS: ReadonlySet<string> = new Set(['{"data":[]}', '{"data":null}']);

export function isEmptyList({ what }: Fault): boolean {
  return what.kind === "body" && EMPTY_LISTS.has(what.text);
}

const REMEMBERED_MS = 6 * DAY;

/**
 * Whether the run is the first to hear that an environment has no finding types, after one that read the finding's stream.
 * It reads the types that it knows once more.
 */
export function isReadOnceMore(
  world: World,
  { runs }: History,
  run: RunRecord,
  fault: Fault,
  { environment, type }: FindingPlan,
): boolean {
  if (!isEmptyList(fault) || fault.place.endpoint !== "types") return false;
  const earlier = runs.slice(0, run.index);
  const heardBefore = earlier.some(({ end }) => end >= fault.span[0]);
  if (heardBefore || fault.span[0] > run.start) return false;
  const read = earlier.findLastIndex(
    (each) =>
      each.result?.status === "completed" &&
      gave(each, { endpoint: "types", environment }) &&
      gave(each, { endpoint: "details", environment, type }),
  );
  const since = runs[read]?.start ?? -Infinity;
  const isKept = runs.slice(read + 1, run.index + 1).every(({ plan }) => plan.memory.kind === "kept");
  return isKept && since >= run.start - REMEMBERED_MS && world.isListedThroughout(environment, type, since, run.start);
}

/** Whether the service gave what a run asked for. */
function gave({ requests }: RunRecord, { endpoint, environment, type }: Place): boolean {
  return requests.some(
    (asked) => asked.sound && asked.endpoint === endpoint && asked.environment === environment && asked.type === type,
  );
}
