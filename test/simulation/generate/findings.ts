import type { Random } from "../random.ts";
import {
  BEFORE,
  type EnvironmentPlan,
  type FindingOddity,
  type FindingPlan,
  FOREVER,
  type Span,
  type TenantPlan,
} from "../scenario.ts";
import { DAY, HOUR } from "../world.ts";
import { type Draft, momentIn } from "./draft.ts";

interface Setting {
  environments: readonly EnvironmentPlan[];
  tenant: TenantPlan;
  /** Analyses, in which findings come to be. */
  births: readonly Span[];
  /** The state is to have no room for all ids. */
  isFull: boolean;
}

/** What findings of one scenario may be like; a scenario in which everything happens tells little. */
interface Habits {
  ids: "ascending" | "shuffled" | "uuid" | "missing" | "mixed" | "number as text";
  late: boolean;
  future: boolean;
  undated: boolean;
  changes: boolean;
  hostile: boolean;
  /** Created at whole seconds, so that many share a moment and fractions have all lengths. */
  coarse: boolean;
}

const ODDITIES: readonly FindingOddity[] = [
  "lone surrogates",
  "prototype properties",
  "constructor properties",
  "huge name",
  "numbers as text",
  "wrong types",
  "deep properties",
  "control characters",
];

/** Rare, because they cost time. */
const LONG_IDS = 0.004;
const MILLION = 0.004;

type Draftling = Pick<FindingPlan, "created" | "visible">;

export function planFindings(draft: Draft, setting: Setting): FindingPlan[] {
  const { random } = draft;
  const habits: Habits = {
    ids:
      setting.isFull && random.chance(0.7)
        ? "uuid"
        : random.weighted<Habits["ids"]>([
            ["ascending", 6],
            ["shuffled", 2],
            ["uuid", 1],
            ["missing", 1],
            ["mixed", 1],
            ["number as text", 0.5],
          ]),
    late: random.chance(0.4),
    future: random.chance(0.15),
    undated: random.chance(0.2),
    changes: random.chance(0.3),
    hostile: random.chance(0.15),
    coarse: random.chance(0.5),
  };
  const born = [...planBacklog(draft, setting.isFull), ...planNew(draft, setting, habits)];
  const plans = born
    .sort((a, b) => a.visible - b.visible)
    .map((finding, index) => planFinding(draft, setting.environments, habits, finding, index));
  giveIds(random, plans, habits.ids, setting.tenant.idsPerStream);
  if (random.chance(LONG_IDS))
    for (const plan of random.shuffled(plans).slice(0, 3)) plan.idPadding = random.spread(5_000, 1_000_000);
  return plans;
}

/** What is there before the first poll. */
function planBacklog({ random }: Draft, isFull: boolean): Draftling[] {
  const count = random.weighted([
    [0, 2],
    [random.int(1, 5), 4],
    [random.int(5, 30), 3],
    [random.int(30, 120), 1],
    // Only what is new is remembered.
    [random.int(100, 250), isFull ? 10 : 0],
  ]);
  const oldest = isFull ? 2 * DAY : 400 * DAY;
  const batches = Array.from({ length: random.int(1, 4) }, () => -random.spread(HOUR, oldest));
  return Array.from({ length: count }, () => ({ created: random.pick(batches), visible: -HOUR }));
}

function planNew(draft: Draft, { births }: Setting, habits: Habits): Draftling[] {
  const { random } = draft;
  const born: Draftling[] = [];
  for (const [from, until] of births) {
    const batch = random.chance(0.1) ? random.int(10, 80) : random.int(0, 6);
    // Findings of one analysis share their date, or are dated while it runs; most of them appear when it is complete.
    const shared = random.pick([from, until]);
    const gradual = random.chance(0.3);
    for (let index = 0; index < batch; index++) {
      const created = random.chance(0.7) ? shared : random.int(from, until);
      born.push({ created, visible: gradual ? random.int(Math.max(created, from), until) : until });
    }
  }
  const stray = habits.late ? random.int(1, 12) : random.int(0, 3);
  for (let index = 0; index < stray; index++) {
    const visible = momentIn(draft);
    const delay = habits.late ? random.pick([random.spread(1, HOUR), random.spread(HOUR, DAY), DAY - 1, DAY]) : 0;
    born.push({ created: visible - delay, visible });
  }
  return born;
}

function planFinding(
  draft: Draft,
  environments: readonly EnvironmentPlan[],
  habits: Habits,
  { created, visible }: Draftling,
  index: number,
): FindingPlan {
  const { random } = draft;
  const environment = random.pick(environments);
  const at = habits.coarse && typeof created === "number" ? Math.floor(created / 1_000) * 1_000 : created;
  return {
    key: `f${index}`,
    environment: environment.id,
    type: random.pick(environment.types).name,
    id: null,
    created: habits.undated && random.chance(0.3) ? random.pick(["zero", "missing", "number", "garbage"]) : at,
    ...(habits.future && random.chance(0.3) && { future: random.spread(1_000, 10 * DAY) }),
    ...(!habits.coarse &&
      random.chance(0.5) && { nanoseconds: random.pick([0, 1, 120_000, 999_999, random.int(0, 999_999)]) }),
    visible,
    ...planFate(draft, habits, visible),
    shape: random.chance(0.7) ? "relationship" : "list",
    ...(habits.hostile &&
      random.chance(0.4) && { odd: random.chance(MILLION) ? "names of a million characters" : random.pick(ODDITIES) }),
  };
}

function planFate(
  draft: Draft,
  habits: Habits,
  visible: number,
): Pick<FindingPlan, "accepted" | "severities" | "deleted"> {
  const { random } = draft;
  const severities: FindingPlan["severities"] = [{ at: BEFORE, severity: severity(random, habits.hostile) }];
  if (!habits.changes) return { accepted: [], severities };
  if (random.chance(0.3)) severities.push({ at: momentIn(draft), severity: severity(random, habits.hostile) });
  const accepted: Span[] = random.chance(0.3) ? [[random.chance(0.5) ? BEFORE : momentIn(draft), FOREVER]] : [];
  if (!random.chance(0.3)) return { accepted, severities };
  const at = Math.max(visible, momentIn(draft));
  const backAt = random.chance(0.3) ? { backAt: at + random.spread(1_000, 3 * DAY) } : {};
  return { accepted, severities, deleted: { at, rowStays: random.chance(0.5), ...backAt } };
}

function severity(random: Random, hostile: boolean): string | number | null {
  if (hostile && random.chance(0.4)) return random.pick(["", "severe", 3, null, "CRITICAL", "__proto__", "medium "]);
  return random.pick(["critical", "high", "moderate", "low"]);
}

function giveIds(random: Random, plans: FindingPlan[], kind: Habits["ids"], perStream: boolean): void {
  const next = new Map<string, number>();
  const order = kind === "shuffled" ? random.shuffled(plans) : plans;
  for (const plan of order) {
    const sequence = perStream ? `${plan.environment}\n${plan.type}` : "";
    const number = (next.get(sequence) ?? random.pick([-1, 0, 100, 2_000_000_000])) + random.int(1, 3);
    next.set(sequence, number);
    const uuid = kind === "uuid" || (kind === "mixed" && random.chance(0.4));
    const missing = kind === "missing" || (kind === "mixed" && random.chance(0.3));
    plan.id = uuid ? uuidOf(random) : missing ? null : kind === "number as text" ? String(number) : number;
  }
}

function uuidOf(random: Random): string {
  const hex = Array.from({ length: 32 }, () => random.int(0, 15).toString(16)).join("");
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20)].join("-");
}
