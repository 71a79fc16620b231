import type { Random } from "../random.ts";
import type { ClockFault, EnvironmentPlan, HostPlan, Memory, PollPlan } from "../scenario.ts";
import { DAY, HOUR, MINUTE } from "../world.ts";
import { CROWD } from "./environments.ts";
import { planDrift } from "./tenant.ts";
import { type Draft, spanIn } from "./draft.ts";

/** Polls before the quiet end, which has three more at least. */
const LEAST_POLLS = 17;
const MOST_POLLS = 19;

export function planPollTimes(random: Random): number[] {
  const scales: [number, number][] = [
    [1_000, MINUTE],
    [MINUTE, 30 * MINUTE],
    [30 * MINUTE, 6 * HOUR],
    [6 * HOUR, 3 * DAY],
  ];
  const usual = random.weighted([
    [scales[0]!, 2],
    [scales[1]!, 4],
    [scales[2]!, 3],
    [scales[3]!, 1],
  ]);
  let at = random.int(0, HOUR);
  return Array.from({ length: random.int(LEAST_POLLS, MOST_POLLS) }, () => {
    const [least, most] = random.chance(0.75) ? usual : random.pick(scales);
    return (at += random.spread(least, most));
  });
}

export function planHost(draft: Draft, environments: readonly EnvironmentPlan[]): HostPlan {
  const { random } = draft;
  const isWrong = random.chance(0.08);
  return {
    kind: random.chance(0.6) ? "atomic" : "late checkpoint",
    aheadMs: random.chance(0.15) ? random.int(-20, 20) * 30 * MINUTE + random.int(-5_000, 5_000) : 0,
    clock: isWrong ? [planClock(draft)] : [],
    ...(random.chance(0.012) && { stateCharacters: planRoom(random, environments) }),
  };
}

/** Room for what is known of each stream, and for some of the ids. */
function planRoom(random: Random, environments: readonly EnvironmentPlan[]): number {
  const streams = environments.reduce((sum, { types }) => sum + types.length, 0);
  return 300 + 200 * environments.length + 150 * streams + random.spread(50, 3_000);
}

function planClock(draft: Draft): ClockFault {
  const { random } = draft;
  const span = spanIn(draft);
  if (random.chance(0.3)) return { span, aheadMs: 0, driftPpm: planDrift(random) };
  return { span, aheadMs: random.pick([-1, 1]) * random.spread(MINUTE, 3 * DAY) };
}

/** What may happen to polls in one scenario; a scenario in which everything happens tells little. */
interface Habits {
  isCrowd: boolean;
  limits: boolean;
  deadlines: boolean;
  kills: boolean;
  memory: boolean;
  selection: boolean;
  slowHost: boolean;
}

/** Time for every environment that answers, however many do not. */
const CROWD_DEADLINE_MS: [number, number] = [MINUTE, 6 * MINUTE];

export function planPolls(
  { random, pollTimes }: Draft,
  environments: readonly EnvironmentPlan[],
  host: HostPlan,
): PollPlan[] {
  const isCrowd = environments.length > CROWD;
  const habits: Habits = {
    isCrowd,
    limits: random.chance(0.3),
    deadlines: isCrowd || random.chance(0.3),
    kills: random.chance(0.35),
    memory: random.chance(0.2),
    selection: random.chance(0.15),
    slowHost: random.chance(0.05),
  };
  const polls = pollTimes.map((at) => planPoll(random, at, habits, environments));
  // Many small alerts fill the state little by little, and leave something behind when a run is killed.
  const inCrumbs = host.stateCharacters !== undefined ? random.chance(0.7) : habits.kills && random.chance(0.4);
  return inCrumbs ? polls.map((poll) => ({ ...poll, maxEventsPerAlert: random.int(1, 5) })) : polls;
}

function planPoll(random: Random, at: number, habits: Habits, environments: readonly EnvironmentPlan[]): PollPlan {
  const perhaps = <T>(habit: boolean, probability: number, plan: () => T): T | null =>
    habit && random.chance(probability) ? plan() : null;
  const stopAfterMs = perhaps(habits.kills, 0.1, () => random.spread(1, 2_000));
  return {
    at,
    deadlineMs: perhaps(habits.deadlines, 0.6, () =>
      habits.isCrowd && random.chance(0.7) ? random.int(...CROWD_DEADLINE_MS) : random.spread(3_000, 10 * MINUTE),
    ),
    maxAlerts: perhaps(habits.limits, 0.7, () => random.spread(1, 20)),
    maxEventsPerAlert: perhaps(habits.limits, 0.5, () => random.spread(1, 50)),
    environments: perhaps(habits.selection, 0.5, () => selectEnvironments(random, environments)),
    types: perhaps(habits.selection, 0.3, () => selectTypes(random, environments)),
    kill: perhaps(habits.kills, 0.3, () => planKill(random)),
    ...(stopAfterMs !== null && { stopAfterMs }),
    memory: perhaps(habits.memory, 0.2, () => planMemory(random)) ?? { kind: "kept" },
    hostMs: habits.slowHost ? random.spread(1, 500) : 0,
  };
}

function planKill(random: Random): PollPlan["kill"] {
  return random.chance(0.7) ? { afterMessages: random.spread(1, 30) } : { afterMs: random.spread(1, 2_000) };
}

function planMemory(random: Random): Memory {
  return random.weighted<Memory>([
    [{ kind: "lost" }, 1],
    [{ kind: "stale", back: random.int(1, 10) }, 1],
    [{ kind: "damaged", how: random.pick(["junk", "truncated", "field"]), seed: random.int(1, 2 ** 30) }, 1],
  ]);
}

function selectEnvironments(random: Random, environments: readonly EnvironmentPlan[]): string[] {
  const chosen = environments.filter(() => random.chance(0.6));
  const names = chosen.map(({ id, name, odd }) => {
    // Names with a meaning in the parameter's own syntax are selected by id.
    const text =
      name === null ||
      odd === "name of a million characters" ||
      !/^[\w.]+$/.test(name) ||
      name === "All" ||
      random.chance(0.4)
        ? id
        : name;
    return random.chance(0.5) ? text.toLowerCase() : text;
  });
  return names.length === 0 || random.chance(0.1) ? [...names, "NO SUCH ENVIRONMENT"] : names;
}

function selectTypes(random: Random, environments: readonly EnvironmentPlan[]): string[] {
  const types = [...new Set(environments.flatMap((environment) => environment.types.map(({ name }) => name)))];
  const chosen = types.filter((type) => type.trim() === type && random.chance(0.6));
  return chosen.length === 0 ? ["All"] : chosen;
}
