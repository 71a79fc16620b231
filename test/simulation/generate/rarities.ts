import { Random } from "../random.ts";
import { type FindingPlan, FOREVER, type Misbehaviour, type Place, type Scenario, type Span } from "../scenario.ts";
import { DAY, HOUR, MINUTE } from "../world.ts";
import { appearLate, changeIdentities, comeBack, shapeNullables } from "./identities.ts";
import { meetHardships } from "./hardships.ts";
import { planDrift } from "./tenant.ts";
import {
  answerOthers,
  burdenTheLine,
  cutLists,
  misencode,
  overlapRuns,
  pageLists,
  refuseForEver,
  shortenLists,
  takeTurns,
} from "./wrong-answers.ts";

/** A change to a finished scenario. It draws from random numbers of its own, so that the others stay as they are. */
type Rarity = (scenario: Scenario, random: Random) => void;

/** What only few scenarios have, and how many of a hundred. */
const RARITIES: readonly (readonly [percent: number, rarity: Rarity])[] = [
  [12, shareTargets],
  [12, patchLate],
  [10, emptyLists],
  [12, moveClockInRuns],
  [8, giveOddIds],
  [50, hideUnlisted],
  [25, endLateRequests],
  [30, nameContexts],
  [10, announceLimit],
  [30, checkDates],
  [30, endAcceptance],
  [8, rename],
  [8, slowBodies],
  [20, lagSparklines],
  [15, meetHardships],
  [10, shapeNullables],
  [8, pageLists],
  [6, cutLists],
  [6, answerOthers],
  [8, changeIdentities],
  [5, comeBack],
  [5, appearLate],
  [8, refuseForEver],
  [6, burdenTheLine],
  [4, takeTurns],
  [3, overlapRuns],
  [4, misencode],
  [8, shortenLists],
  [6, countPages],
  [5, countPagesInPart],
  [5, refuseSmallLimits],
  [6, leaveAlerts],
  [8, refusePastEnd],
];

export function addRarities(scenario: Scenario, seeds: readonly number[]): Scenario {
  RARITIES.forEach(([percent, rarity], place) => {
    const random = new Random(...seeds, place + 1);
    if (random.chance(percent / 100)) rarity(scenario, random);
  });
  return scenario;
}

/** Some paths lead from several objects to the same one. */
function shareTargets({ findings }: Scenario, random: Random): void {
  const paths = findings.filter(({ shape }) => shape === "relationship");
  const targets = random.shuffled(paths).slice(0, random.int(1, 3));
  for (const path of paths) if (random.chance(0.5)) path.target = random.pick<FindingPlan>(targets).key;
}

/** The host stores an alert first and its patch after that; some runs are killed in between. */
function patchLate({ host, polls }: Scenario, random: Random): void {
  host.kind = "late patch";
  for (const poll of polls) {
    if (random.chance(0.3)) poll.kill ??= { afterMessages: random.spread(1, 12) };
    if (random.chance(0.3)) poll.maxEventsPerAlert ??= random.int(1, 5);
  }
}

/** The host leaves alerts for the next run, with all later ones of their streams, as far as its contract allows. */
function leaveAlerts({ host, environments, polls, faults }: Scenario, random: Random): void {
  host.kind = "atomic";
  // A finding type that environments list after the first alerts of a run gets its name with an alert.
  const newest = random.pick(environments.flatMap(({ types }) => types)).name;
  const since = random.pick(polls.slice(1)).at - 1;
  for (const { id, types } of environments) {
    const type = types.find(({ name }) => name === newest);
    if (type === undefined) continue;
    type.listed = [[since, FOREVER]];
    const what = { kind: "slow", ms: random.spread(500, 20_000) } as const;
    faults.push({ span: [0, FOREVER], place: { endpoint: "types", environment: id }, what });
  }
  for (const poll of polls) {
    if (random.chance(0.5)) poll.leaves = { percent: random.pick([5, 20, 60]), seed: random.int(1, 2 ** 30) };
    if (random.chance(0.3)) poll.maxEventsPerAlert ??= random.int(1, 5);
  }
}

/** Shorter than the week for which a plugin has to remember what is no longer listed. */
const LONGEST_EMPTINESS_MS = 2 * DAY;

/** The service takes a list for empty, from one poll on. */
function emptyLists({ environments, faults, polls }: Scenario, random: Random): void {
  const from = random.pick(polls.slice(1)).at - 1;
  const environment = random.pick(environments).id;
  const place = random.weighted<Place>([
    [{ endpoint: "types", environment }, 4],
    [{ endpoint: "types" }, 2],
    [{ endpoint: "environments" }, 2],
    [{ endpoint: "details", environment }, 1],
  ]);
  const text = random.pick(['{"data":[]}', '{"data":null}']);
  const span: Span = [from, from + random.spread(MINUTE, LONGEST_EMPTINESS_MS)];
  faults.push({ span, place, what: { kind: "body", text } });
}

/** The host's clock is set, or drifts, while a run is on. */
function moveClockInRuns({ host, tenant, polls, faults }: Scenario, random: Random): void {
  // Two clocks that are both wrong leave nothing to hold on to, and somebody has to tell the time.
  if (tenant.clock.length > 0) return;
  if (faults.some(({ what }) => what.kind === "wrong date header")) return;
  tenant.dateHeader = "exact";
  host.movesInRuns = true;
  const largest = tenant.checksRequestDate ? 30 * MINUTE : 3 * DAY;
  // In runs with much to do: the first one, against a low limit.
  if (random.chance(0.5)) tenant.announcedLimit = random.int(3, 10);
  for (const poll of [...polls.slice(0, 1), ...random.shuffled(polls).slice(0, random.int(0, 2))]) {
    const from = poll.at + random.spread(20, 3_000);
    const span: Span = [from, from + random.spread(1_000, 12 * HOUR)];
    const aheadMs = random.pick([-1, 1]) * random.spread(1_000, largest);
    host.clock.push(random.chance(0.3) ? { span, aheadMs: 0, driftPpm: planDrift(random) } : { span, aheadMs });
  }
}

/** What a service may give as an id, although few do. */
const ODD_IDS: readonly ((id: number, random: Random) => number | string)[] = [
  (id) => -id,
  (id) => id + 2 ** 33,
  // Beyond this, JSON numbers have only even values.
  (id) => 2 ** 53 + 2 * id,
  (id, random) => (random.chance(0.3) ? "" : id),
  (id, random) => (random.chance(0.3) ? `${id}.0` : id),
];

function giveOddIds({ findings }: Scenario, random: Random): void {
  const odd = random.pick(ODD_IDS);
  for (const finding of findings) if (typeof finding.id === "number") finding.id = odd(finding.id, random);
}

/** Matters only where lists change. */
function hideUnlisted({ tenant }: Scenario, random: Random): void {
  tenant.unlisted = random.pick(["empty", 404]);
}

/** Matters only where requests are slow or hang. */
function endLateRequests({ tenant }: Scenario): void {
  tenant.endsLateRequests = true;
}

function nameContexts({ tenant }: Scenario): void {
  tenant.namesContexts = true;
}

function announceLimit({ tenant }: Scenario, random: Random): void {
  tenant.announcedLimit = random.pick([1, 2, 5, 10, 20, 40, 54, 100]);
}

/** The service refuses requests while the host's clock is wrong by more than an hour; in the end it is right again. */
function checkDates({ tenant, host }: Scenario): void {
  if (host.clock.length > 0 && Math.abs(host.aheadMs) < 50 * MINUTE) tenant.checksRequestDate = true;
}

/** A risk is accepted until a date. */
function endAcceptance({ findings }: Scenario, random: Random): void {
  for (const finding of findings) {
    if (random.chance(0.5)) continue;
    finding.accepted = finding.accepted.map(([from]): Span => [from, Math.max(from, 0) + random.spread(HOUR, 5 * DAY)]);
  }
}

/** One environment gets other names, perhaps that of another one, and polls select it by the names that it has. */
function rename({ environments, polls }: Scenario, random: Random): void {
  const renamed = random.pick(environments);
  if (renamed.name === null || renamed.odd !== undefined) return;
  const names = ["NORTH.TEST", "south.test", renamed.name, ...environments.flatMap(({ name }) => name ?? [])];
  const plain = names.filter((name) => /^[\w.]+$/.test(name));
  renamed.renames = random
    .shuffled(polls)
    .slice(0, random.int(1, 3))
    .map(({ at }) => ({ at: at + random.pick([-1, 1, 100]), name: random.pick(plain) }))
    .sort((a, b) => a.at - b.at);
  for (const poll of polls) {
    const { name } = renamed.renames.findLast(({ at }) => at <= poll.at) ?? renamed;
    if (name !== null && random.chance(0.6)) poll.environments = [name];
  }
}

/** A slow line: bodies drip in, or their parts come with long pauses. */
function slowBodies({ environments, faults, polls }: Scenario, random: Random): void {
  const from = random.pick(polls).at - 1;
  const place = random.weighted<Place>([
    [{}, 2],
    [{ endpoint: "details" }, 3],
    [{ environment: random.pick(environments).id }, 3],
    [{ endpoint: "document" }, 1],
  ]);
  const span: Span = [from, from + random.spread(MINUTE, 2 * DAY)];
  const what: Misbehaviour = { kind: "slow body", ms: random.spread(100, 60_000), pieces: random.spread(1, 30) };
  faults.push({ span, ...(random.chance(0.5) && { times: random.int(1, 12) }), place, what });
}

/** The service counts the records of each page. */
function countPages({ tenant }: Scenario, random: Random): void {
  tenant.counts = { of: "page", limit: random.pick(["asked", "absent"]) };
}

/** Some environments count the records of each page. No list can show that a page of an unusual size was cut. */
function countPagesInPart(scenario: Scenario, random: Random): void {
  const { environments, tenant } = scenario;
  const counting = random.shuffled(environments).slice(0, random.int(1, environments.length));
  const limit = random.pick(["asked", "absent"] as const);
  tenant.counts = { of: "page", limit, environments: counting.map(({ id }) => id) };
  tenant.pageCap = random.pick([10, 16, 20]);
  scenario.faults = scenario.faults.filter(({ what }) => what.kind !== "page cap");
}

/** A service with page sizes of its own, which may count the records of a page, or no further than a number. */
function refuseSmallLimits({ tenant }: Scenario, random: Random): void {
  // Nobody could read a list whose pages must be small and may not.
  if (tenant.wire?.largestPage !== undefined) return;
  tenant.smallestLimit = random.pick([5, 10]);
  const counts = random.pick([null, "page", "list"] as const);
  if (counts === null) return;
  tenant.pageCap = random.pick([10, 16, 20]);
  tenant.counts = counts === "page" ? { of: "page", limit: "absent" } : { of: "list", most: tenant.pageCap };
}

/** The service refuses a position that its list does not have, as that of a run that was cut short may be. */
function refusePastEnd({ tenant, findings, polls }: Scenario, random: Random): void {
  tenant.pastEnd = random.pick([400, 404]);
  const poll = random.pick(polls);
  poll.maxAlerts ??= random.int(1, 3);
  poll.maxEventsPerAlert ??= random.int(1, 5);
  const at = poll.at + random.spread(1, HOUR);
  for (const finding of findings)
    if (finding.visible < poll.at && random.chance(0.8)) finding.deleted ??= { at, rowStays: false };
}

/** Matters only where nothing else tells when an analysis ended. */
function lagSparklines({ tenant }: Scenario, random: Random): void {
  tenant.sparklineLagMs = random.spread(MINUTE, 2 * HOUR);
}
