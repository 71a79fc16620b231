import type { Random } from "../random.ts";
import { BEFORE, type EnvironmentOddity, type EnvironmentPlan, FOREVER, type Span } from "../scenario.ts";
import { type Draft, momentIn } from "./draft.ts";

const TYPES = ["T0GenericAll", "T0WriteDACL", "Kerberoasting", "LargeDefaultGroupsGenericAll", "T0Logins"];
const ODD_TYPES = ["__proto__", "constructor", "a/b?c#d", "Ünïcode ✓", " blank ", "hasOwnProperty", "..", "%2F"];
const NAMES = ["CORP.TEST", "EMEA.CORP.TEST", "LAB.TEST", "Contoso"];
const ODD_NAMES = ["__proto__", "constructor", "\ud800", "All", "a, b", "[x]", "", " "];

/** More environments than there are requests at a time. */
export const CROWD = 9;

export function planEnvironments(draft: Draft): EnvironmentPlan[] {
  const { random } = draft;
  const count = random.weighted([
    [1, 70],
    [2, 70],
    [3, 40],
    [random.int(4, 7), 20],
    // Many enough for the rate limit to matter.
    [random.int(10, 30), 1],
    [random.int(CROWD + 1, 20), 1],
  ]);
  const changes = random.chance(0.25);
  const hostile = random.chance(0.1);
  const sameName = random.chance(0.08);
  return Array.from({ length: count }, (_, index) =>
    planEnvironment(draft, index, { changes, sameName, odd: hostile && random.chance(0.5) }),
  );
}

interface Habits {
  changes: boolean;
  sameName: boolean;
  odd: boolean;
}

function planEnvironment(draft: Draft, index: number, { changes, sameName, odd }: Habits): EnvironmentPlan {
  const { random } = draft;
  const oddity = random.weighted<EnvironmentOddity>([
    ["name is a number", 5],
    ["exposures is a text", 5],
    ["prototype property", 5],
    ["name of a million characters", 1],
  ]);
  const isNameless = odd && oddity === "name is a number";
  const perhaps = (probability: number): boolean => changes && random.chance(probability);
  return {
    id: odd && random.chance(0.4) ? oddId(random, index) : `S-1-5-21-${index + 1}`,
    name: isNameless ? null : nameOf(random, sameName ? 0 : index, odd),
    kind: random.pick(["active-directory", "active-directory", "azure"]),
    listed: perhaps(0.4) ? planSpans(draft) : always(),
    collected: perhaps(0.3) ? planSpans(draft) : always(),
    renames: perhaps(0.3) && !isNameless ? [{ at: momentIn(draft), name: "RENAMED.TEST" }] : [],
    types: planTypes(draft, changes, odd),
    ...(odd && { odd: oddity }),
  };
}

function oddId(random: Random, index: number): string {
  return `${random.pick(["__proto__", "a/b", "é", "x y"])}${index === 0 ? "" : index}`;
}

function nameOf(random: Random, index: number, odd: boolean): string | null {
  if (odd && random.chance(0.2)) return null;
  if (odd) return random.chance(0.2) ? "N".repeat(100_000) : random.pick(ODD_NAMES);
  return NAMES[index % NAMES.length] ?? null;
}

function planTypes(draft: Draft, changes: boolean, odd: boolean): EnvironmentPlan["types"] {
  const { random } = draft;
  const names = random.shuffled(odd ? [...ODD_TYPES, ...TYPES] : TYPES).slice(
    0,
    random.weighted([
      [1, 4],
      [2, 4],
      [3, 2],
    ]),
  );
  return names.map((name) => ({ name, listed: changes && random.chance(0.3) ? planSpans(draft) : always() }));
}

function always(): Span[] {
  return [[BEFORE, FOREVER]];
}

/** Comes later, goes at some time, or goes and comes back. */
function planSpans(draft: Draft): Span[] {
  const [first, second] = [momentIn(draft), momentIn(draft)].sort((a, b) => a - b) as [number, number];
  return draft.random.pick<Span[]>([
    [[first, FOREVER]],
    [[BEFORE, first]],
    [
      [BEFORE, first],
      [second + 1, FOREVER],
    ],
    [[first, second + 1]],
  ]);
}
