import type { Random } from "../random.ts";
import type { FindingPlan, NullableShape, Scenario } from "../scenario.ts";
import { DAY, HOUR } from "../world.ts";

const SHAPES: readonly NullableShape[] = [
  "absent",
  "null",
  "empty",
  "capitals",
  "more fields",
  "no valid",
  "valid is a text",
  "valid is a number",
  "text",
  "number",
  "list",
  "false",
];

/** Values that are optional look as no document says. */
export function shapeNullables({ findings }: Scenario, random: Random): void {
  for (const finding of findings) if (random.chance(0.5)) finding.nullable = random.pick(SHAPES);
}

type Change = (scenario: Scenario, finding: FindingPlan, at: number, random: Random) => FindingPlan[];

/** An analysis dates findings anew, gives them other ids, or gives their ids to others. */
const CHANGES: readonly Change[] = [redate, renew, reuse];

export function changeIdentities(scenario: Scenario, random: Random): void {
  const change = random.pick(CHANGES);
  const at = momentNear(scenario, random);
  const fit = scenario.findings.filter((finding) => isPlain(finding) && finding.visible < at);
  const chosen = random.shuffled(fit).slice(0, random.spread(1, 20));
  scenario.findings.push(...chosen.flatMap((finding) => change(scenario, finding, at, random)));
}

/** Shortly before a poll, or while it reads. */
function momentNear({ polls }: Scenario, random: Random): number {
  return random.pick(polls.slice(1)).at + random.pick([-1_000, -1, 5, 50, 500]);
}

/** Findings without an id of their own are other findings as soon as anything of them changes. */
function isPlain({ id, idPadding, deleted, created }: FindingPlan): boolean {
  const isExact = typeof id === "number" ? id > 0 && id < 2 ** 50 : id !== null && id !== "";
  return isExact && idPadding === undefined && deleted === undefined && typeof created === "number";
}

function redate(_scenario: Scenario, finding: FindingPlan, at: number, random: Random): FindingPlan[] {
  finding.redated = [{ at, created: at - random.pick([0, random.spread(1, 2 * DAY), random.spread(DAY, 400 * DAY)]) }];
  return [];
}

function renew(_scenario: Scenario, finding: FindingPlan, at: number, random: Random): FindingPlan[] {
  const created = random.chance(0.5) ? finding.created : at;
  const key = `${finding.key}-renewed`;
  const renewed = { ...structuredClone(finding), key, id: `${key}-id`, created, visible: at, sameAs: finding.key };
  finding.deleted = { at, rowStays: false };
  return [renewed];
}

function reuse(_scenario: Scenario, finding: FindingPlan, at: number, random: Random): FindingPlan[] {
  const created = random.chance(0.5) ? finding.created : at;
  const other = {
    ...structuredClone(finding),
    key: `${finding.key}-other`,
    created,
    visible: at + random.pick([0, HOUR]),
  };
  delete other.target;
  finding.deleted = { at, rowStays: false };
  return [other];
}

/** Some findings are not there for days. */
export function comeBack(scenario: Scenario, random: Random): void {
  const at = momentNear(scenario, random);
  const fit = scenario.findings.filter(({ visible, deleted, sameAs }) => visible < at && !deleted && !sameAs);
  for (const finding of random.shuffled(fit).slice(0, random.spread(1, 20))) {
    finding.deleted = { at, rowStays: random.chance(0.3), backAt: at + random.spread(HOUR, 5 * DAY) };
  }
}

/** Some findings become visible long after their date. */
export function appearLate({ findings }: Scenario, random: Random): void {
  for (const finding of random.shuffled(findings).slice(0, random.spread(1, 12))) {
    if (typeof finding.created === "number") finding.created = finding.visible - random.spread(DAY, 400 * DAY);
  }
}
