import { beforeAll, expect, test } from "@jest/globals";
import { realPlugin, warmUp } from "./plugin.ts";
import { simulate } from "./simulate.ts";
import { plainEnvironment, plainFinding, plainPoll, plainScenario } from "./scenarios.ts";
import { BEFORE, type FindingPlan, FOREVER, type Span } from "./scenario.ts";
import { HOUR, MINUTE } from "./world.ts";

const POLLS = 16;
const INTERVAL = 10 * MINUTE;
const ENVIRONMENTS = ["S-0", "S-1", "S-2", "S-3", "S-4"];
const TYPES = Array.from({ length: 11 }, (_, index) => `T${String(index).padStart(2, "0")}`);
const EMPTY_TYPES = 4;

beforeAll(warmUp);

test.each([15_000, 25_000, 30_000])(
  "Environments take turns although some of their finding types are empty and a run of %i ms has no time for all",
  async (deadlineMs) => {
    let count = 0;
    const finding = (environment: string, type: string, created: number): FindingPlan =>
      plainFinding(++count, { environment, type, created, visible: created + 1 });
    const findings = ENVIRONMENTS.flatMap((id) => [
      ...TYPES.slice(EMPTY_TYPES).map((type) => finding(id, type, -30 * HOUR)),
      ...Array.from({ length: POLLS }, (_, column) => finding(id, "T08", (column - 1) * INTERVAL)),
    ]);
    const types = TYPES.map((name) => ({ name, listed: [[BEFORE, FOREVER]] as Span[] }));
    const scenario = plainScenario({
      environments: ENVIRONMENTS.map((id) => plainEnvironment({ id, name: id, types })),
      findings,
      polls: Array.from({ length: POLLS }, (_, index) => plainPoll(1_000 + index * INTERVAL, { deadlineMs })),
    });
    scenario.tenant.announcedLimit = 2;
    const { history, violations } = await simulate(scenario, realPlugin, { stopEarly: false });
    expect(violations).toEqual([]);
    const alerts = history.runs.slice(POLLS / 2, POLLS).flatMap((run) => run.alerts);
    expect([...new Set(alerts.map(({ alert }) => alert.environmentId))].sort()).toEqual(ENVIRONMENTS);
  },
);
