import type { Random } from "../random.ts";
import { type EnvironmentPlan, type Fault, FOREVER, type Misbehaviour, type Place } from "../scenario.ts";
import { DAY, MINUTE } from "../world.ts";
import { CROWD } from "./environments.ts";
import { type Draft, spanIn } from "./draft.ts";

export function planFaults(draft: Draft, environments: readonly EnvironmentPlan[]): Fault[] {
  const { random } = draft;
  const count = random.weighted([
    [0, 3],
    [random.int(1, 3), 5],
    [random.int(3, 8), 2],
  ]);
  const strays = Array.from({ length: count }, (): Fault => {
    const what = planMisbehaviour(random);
    return {
      span: spanIn(draft),
      ...(random.chance(0.4) && { times: random.int(1, 5) }),
      place: planPlace(random, what, environments),
      what,
    };
  });
  if (environments.length > CROWD && random.chance(0.7))
    return [...strays.slice(0, 1), ...planSilence(draft, environments)];
  return random.chance(0.08) ? [...strays, planHiccup(draft)] : strays;
}

/** More environments hang than there are requests at a time: before the head of the response, or in the middle of it. */
function planSilence(draft: Draft, environments: readonly EnvironmentPlan[]): Fault[] {
  const { random } = draft;
  const from = random.pick(draft.pollTimes) - 1;
  const span: Fault["span"] = [from, random.pick([from + random.spread(MINUTE, 3 * DAY), FOREVER])];
  const silent = random.shuffled(environments).slice(0, random.int(CROWD, environments.length - 1));
  const head = random.pick([[true], [false], [true, false]]);
  const endpoint = random.weighted<Place>([
    [{}, 2],
    [{ endpoint: "types" }, 1],
    [{ endpoint: "details" }, 1],
  ]);
  return silent.map(({ id }) => ({
    span,
    place: { ...endpoint, environment: id },
    what: { kind: "hang", head: random.pick(head) },
  }));
}

/** The time of the last analysis is not to be had in one poll; it is in the polls before and after. */
function planHiccup({ random, pollTimes }: Draft): Fault {
  const poll = random.int(1, pollTimes.length - 2);
  const span: Fault["span"] = [(pollTimes[poll] ?? 0) - 1, (pollTimes[poll + 1] ?? 0) - 1];
  return { span, place: { endpoint: "datapipe" }, what: { kind: "status", status: 500, body: anyBody(random) } };
}

/** One kind more would change the scenarios of every seed: add it as a rarity. */
function planMisbehaviour(random: Random): Misbehaviour {
  return random.weighted<() => Misbehaviour>([
    [
      () => ({
        kind: "status",
        status: random.pick([500, 502, 503, 504, 408, 403, 404, 400, 302]),
        body: anyBody(random),
      }),
      5,
    ],
    [() => ({ kind: "status", status: 401, body: "json" }), 0.5],
    [
      () => ({
        kind: "rate limit",
        body: random.pick(["json", "text"]),
        retryAfter: random.pick([null, "1", "3600", "soon"]),
      }),
      1,
    ],
    [
      () => ({
        kind: "drop",
        code: random.pick(["ECONNRESET", "ECONNREFUSED", "EPIPE", "ETIMEDOUT", "ENOTFOUND", "EAI_AGAIN"]),
      }),
      3,
    ],
    [() => ({ kind: "broken body" }), 1],
    [() => ({ kind: "hang", head: random.chance(0.4) }), 2],
    [() => ({ kind: "slow", ms: random.spread(100, 60_000) }), 2],
    [() => ({ kind: "truncated" }), 1],
    [() => ({ kind: "web page" }), 1],
    [() => ({ kind: "body", text: random.pick(BODIES) }), 1],
    [() => ({ kind: "count", lie: random.pick(["small", "big", "missing", "null", "text", "zero", "negative"]) }), 3],
    [() => ({ kind: "null data" }), 1],
    [() => ({ kind: "empty page" }), 1],
    [() => ({ kind: "repeated page" }), 1],
    [() => ({ kind: "duplicates" }), 1],
    [() => ({ kind: "unstable order" }), 1],
    [() => ({ kind: "page cap", cap: random.int(1, 10) }), 1],
    [() => ({ kind: "odd entries" }), 1],
    [() => ({ kind: "wrong date header", value: random.pick([null, "just now", ""]) }), 1],
  ])();
}

function anyBody(random: Random): "json" | "html" | "text" | "empty" {
  return random.pick(["json", "json", "html", "text", "empty"]);
}

const BODIES = ["", "null", "[]", "{}", '"text"', '{"data":5}', '{"data":{}}', '{"data":[null]}', '{"errors":[]}', "{"];

/** Faults of content strike where their content is; the others strike anywhere. */
function planPlace(random: Random, what: Misbehaviour, environments: readonly EnvironmentPlan[]): Place {
  const details = new Set([
    "count",
    "null data",
    "empty page",
    "repeated page",
    "duplicates",
    "unstable order",
    "page cap",
  ]);
  const environment = random.pick(environments);
  const where = random.chance(0.5) ? { environment: environment.id } : {};
  const type = random.chance(0.2) ? { type: random.pick(environment.types).name } : {};
  if (details.has(what.kind)) return { endpoint: "details", ...where, ...type };
  if (what.kind === "odd entries") return { endpoint: random.pick(["environments", "types"] as const) };
  return random.weighted<Place>([
    [{}, 2],
    [{ environment: environment.id }, 4],
    [{ endpoint: "details", ...where, ...type }, 3],
    [{ endpoint: "types", ...where }, 1],
    [{ endpoint: "environments" }, 1],
    [{ endpoint: "document" }, 1],
    [{ endpoint: "sparkline" }, 1],
    [{ endpoint: "datapipe" }, 1],
  ]);
}
