import type { Random } from "../random.ts";
import { BEFORE, FOREVER, type Span, type Scenario } from "../scenario.ts";
import { MINUTE } from "../world.ts";

type Hardship = (scenario: Scenario, random: Random) => void;

/** What leaves work to later runs. Where several meet, few runs get to their end. */
const HARDSHIPS: readonly Hardship[] = [
  fewAlerts,
  crumbs,
  smallPages,
  killMost,
  shortRuns,
  omitDates,
  comeAndGo,
  choose,
  manyTypes,
];

export function meetHardships(scenario: Scenario, random: Random): void {
  for (const hardship of HARDSHIPS) if (random.chance(0.4)) hardship(scenario, random);
}

function fewAlerts({ polls }: Scenario, random: Random): void {
  const most = random.int(1, 3);
  for (const poll of polls) if (random.chance(0.9)) poll.maxAlerts = most;
}

function crumbs({ polls }: Scenario, random: Random): void {
  const most = random.int(1, 3);
  for (const poll of polls) poll.maxEventsPerAlert = most;
}

function smallPages({ tenant }: Scenario, random: Random): void {
  tenant.pageCap = random.int(1, 4);
}

function killMost({ polls }: Scenario, random: Random): void {
  for (const poll of polls) if (random.chance(0.8)) poll.kill = { afterMessages: random.int(1, 8) };
}

/** Long and short ones in turns, so that one begins what the other has to end. */
function shortRuns({ polls }: Scenario, random: Random): void {
  for (const poll of polls) {
    poll.deadlineMs = random.chance(0.5) ? random.int(2_000, 8_000) : random.spread(8_000, 10 * MINUTE);
  }
}

/** The findings of some types have no usable time. */
function omitDates({ environments, findings }: Scenario, random: Random): void {
  const names = [...new Set(environments.flatMap(({ types }) => types.map(({ name }) => name)))];
  const undated = random.shuffled(names).slice(0, random.int(1, Math.max(1, names.length)));
  for (const finding of findings) {
    if (undated.includes(finding.type) && random.chance(0.8)) finding.created = random.pick(["zero", "missing"]);
  }
}

/** Some types are not listed for a few polls, from just before one on or while it reads. */
function comeAndGo({ environments, polls }: Scenario, random: Random): void {
  for (const type of environments.flatMap(({ types }) => types)) {
    if (random.chance(0.5)) continue;
    const [gone, back] = random
      .shuffled(polls)
      .slice(0, 2)
      .map(({ at }) => at + random.pick([-1, 5, 20, 100]))
      .sort((a, b) => a - b);
    if (gone === undefined || back === undefined) continue;
    type.listed = [
      [BEFORE, gone],
      [back, FOREVER],
    ];
  }
}

/** Polls select other finding types in turns. */
function choose({ environments, polls }: Scenario, random: Random): void {
  const names = [...new Set(environments.flatMap(({ types }) => types.map(({ name }) => name)))];
  const plain = names.filter((name) => name.trim() === name);
  for (const poll of polls) {
    if (random.chance(0.5)) continue;
    const chosen = plain.filter(() => random.chance(0.5));
    poll.types = chosen.length === 0 ? ["All"] : chosen;
  }
}

/** Environments have more types than a run has time for, and many of them are empty. */
function manyTypes({ environments, findings, tenant }: Scenario, random: Random): void {
  for (const { id, types } of environments.slice(0, 6)) {
    const names = Array.from({ length: random.int(3, 9) }, (_, index) => `Many${index}`);
    types.push(...names.map((name) => ({ name, listed: [[BEFORE, FOREVER]] as Span[] })));
    const filled = random.shuffled(names).slice(0, random.int(1, names.length));
    const taken = new Set<string>();
    for (const finding of findings) {
      const type = random.pick(filled);
      // Ids may be unique in their stream only.
      const place = JSON.stringify([type, finding.id]);
      if (finding.environment !== id || taken.has(place) || random.chance(0.4)) continue;
      taken.add(place);
      finding.type = type;
    }
  }
  if (random.chance(0.3)) tenant.announcedLimit ??= random.int(1, 4);
}
