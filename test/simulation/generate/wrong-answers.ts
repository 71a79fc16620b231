import type { Random } from "../random.ts";
import type { Misbehaviour, OptionalRoute, Place, RefusalPlan, Span, Scenario, WirePlan } from "../scenario.ts";
import { DAY, HOUR, MINUTE } from "../world.ts";

export function pageLists({ tenant }: Scenario, random: Random): void {
  tenant.listPages = random.spread(1, 10);
}

/** A list ends before its end, from one poll on. */
export function cutLists(scenario: Scenario, random: Random): void {
  const place = random.weighted<Place>([
    [{ endpoint: "types", environment: random.pick(scenario.environments).id }, 2],
    [{ endpoint: "types" }, 2],
    [{ endpoint: "environments" }, 3],
  ]);
  strike(scenario, random, place, { kind: "cut list", size: random.int(0, 3) });
}

/** A list of finding types lacks some, from one poll on, and says nothing of it. */
export function shortenLists(scenario: Scenario, random: Random): void {
  const { id, types } = random.pick(scenario.environments);
  const place: Place = { endpoint: "types", ...(random.chance(0.7) && { environment: id }) };
  strike(scenario, random, place, { kind: "short list", size: random.int(0, types.length) });
}

/** A cache in front of the service ignores part of the query. */
export function answerOthers(scenario: Scenario, random: Random): void {
  const environment = random.pick(scenario.environments);
  const place: Place = {
    endpoint: "details",
    ...(random.chance(0.5) && { environment: environment.id }),
    ...(random.chance(0.3) && { type: random.pick(environment.types).name }),
  };
  strike(scenario, random, place, { kind: "other question", of: random.pick(["type", "environment"]) });
}

export function misencode(scenario: Scenario, random: Random): void {
  const place = random.pick<Place>([{}, { endpoint: "details" }, { endpoint: "document" }]);
  const how = random.pick(["byte order mark", "utf-16", "compressed"] as const);
  strike(scenario, random, place, { kind: "encoding", how });
}

function strike({ faults, polls }: Scenario, random: Random, place: Place, what: Misbehaviour): void {
  const from = random.pick(polls).at - 1;
  const span: Span = [from, from + random.spread(MINUTE, 2 * DAY)];
  faults.push({ span, ...(random.chance(0.3) && { times: random.int(1, 5) }), place, what });
}

const ROUTES: readonly OptionalRoute[] = ["datapipe", "sparkline", "document", "probe"];
const REFUSALS: readonly RefusalPlan["how"][] = [429, 500, 503, "silence"];

/** What only saves work or describes is never answered well. */
export function refuseForEver({ tenant }: Scenario, random: Random): void {
  const routes = random.shuffled(ROUTES).slice(0, random.int(1, ROUTES.length));
  tenant.refuses = routes.map((route) => ({ route, how: random.pick(REFUSALS) }));
}

/** A thin line for large records, a service that works long on each of them, or pages that are too large for something. */
export function burdenTheLine(scenario: Scenario, random: Random): void {
  scenario.tenant.wire = random.weighted<() => WirePlan>([
    [() => ({ bytesPerSecond: random.spread(20_000, 500_000), weight: random.spread(1, 40) }), 2],
    [() => ({ workPerRecordMs: random.spread(1, 2_000) }), 2],
    [
      () => ({
        largestPage: {
          records: random.pick([2, 4, 9, 30, 99]),
          how: random.pick(["request timed out", "too large"] as const),
        },
      }),
      2,
    ],
  ])();
  // Through a thin line, a list of such names takes longer than any list may take.
  for (const environment of scenario.environments) {
    if (environment.odd === "name of a million characters") delete environment.odd;
    environment.name = environment.name?.slice(0, 1_000) ?? null;
  }
  if (random.chance(0.3)) {
    strike(scenario, random, { endpoint: "details" }, { kind: "trickle", bytesPerSecond: random.spread(300, 20_000) });
  }
}

/** Replicas that are more or less behind. */
export function takeTurns({ tenant }: Scenario, random: Random): void {
  const behind = Array.from({ length: random.int(1, 3) }, () => random.spread(1_000, 2 * HOUR));
  tenant.replicas = random.shuffled([0, ...behind]);
}

/** A host that keeps to no contract. */
export function overlapRuns({ polls }: Scenario, random: Random): void {
  for (const poll of polls) if (random.chance(0.3)) poll.overlapAfterMs = random.spread(1, 10_000);
}
