import type { History, RunRecord } from "../history.ts";
import type { Fault, FindingPlan, Place, PollPlan } from "../scenario.ts";
import { DAY, type World } from "../world.ts";

/** Lists that are said to be empty and are not, without a count that contradicts them. */
const EMPTY_LISTS: ReadonlySet<string> = new Set(['{"data":[]}', '{"data":null}']);

export function isEmptyList({ what }: Fault): boolean {
  return what.kind === "body" && EMPTY_LISTS.has(what.text);
}

const REMEMBERED_MS = 6 * DAY;

/**
 * Whether the run reads the finding's stream although a list of finding types lacks it, because an earlier one read it: the
 * first run that hears such a list does, and each one after it, as long as the stream always has a finding.
 */
export function isReadAllTheSame(
  world: World,
  { runs }: History,
  run: RunRecord,
  fault: Fault,
  { environment, type }: FindingPlan,
): boolean {
  if (!lacksTypes(fault)) return false;
  const earlier = runs.slice(0, run.index);
  if (fault.span[0] > run.start) return false;
  const read = earlier.findLastIndex(
    (each) =>
      each.result?.status === "completed" &&
      each.left.size === 0 &&
      gave(each, { endpoint: "types", environment }) &&
      gave(each, { endpoint: "details", environment, type }),
  );
  const since = runs[read]?.start ?? -Infinity;
  const later = runs.slice(read + 1, run.index + 1);
  if (later.some(({ plan }) => plan.memory.kind !== "kept")) return false;
  const lists = world.scenario.faults.filter(lacksTypes);
  const heardBefore = later.some(
    (each) => each !== run && lists.some(({ span: [from, until] }) => each.end >= from && each.start <= until),
  );
  if (heardBefore) {
    const isSame = later.every(({ plan }) => selectionOf(plan) === selectionOf(run.plan));
    const found = world.findingsOf(environment, type);
    if (!isSame || !found.some((each) => world.isThereThroughout(each, since - world.lagMs, run.end))) return false;
  }
  if (later.some((each) => mayDeny(each, { environment, type }))) return false;
  return since >= run.start - REMEMBERED_MS && world.isListedThroughout(environment, type, since, run.start);
}

function selectionOf({ environments, types }: PollPlan): string {
  return JSON.stringify([environments, types]);
}

/** Whether a list of finding types lacks some, and nothing shows it. */
function lacksTypes(fault: Fault): boolean {
  return fault.place.endpoint === "types" && (isEmptyList(fault) || fault.what.kind === "short list");
}

/** Whether the service answered a request for findings of the stream as if it had none. */
function mayDeny({ requests }: RunRecord, { environment, type }: Place): boolean {
  return requests.some(
    (asked) =>
      asked.endpoint === "details" &&
      asked.environment === environment &&
      asked.type === type &&
      !asked.sound &&
      DENYING.has(asked.outcome),
  );
}

const DENYING: ReadonlySet<unknown> = new Set([200, 400, 404]);

/** Whether the service gave what a run asked for. */
function gave({ requests }: RunRecord, { endpoint, environment, type }: Place): boolean {
  return requests.some(
    (asked) => asked.sound && asked.endpoint === endpoint && asked.environment === environment && asked.type === type,
  );
}
