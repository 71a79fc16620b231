import { beforeAll, expect, test } from "@jest/globals";
import { realPlugin, warmUp } from "./plugin.ts";
import { simulate } from "./simulate.ts";
import { plainEnvironment, plainFinding, plainPoll, plainScenario } from "./scenarios.ts";
import { BEFORE, FOREVER, type Span } from "./scenario.ts";
import { MINUTE } from "./world.ts";

const POLLS = 16;
const INTERVAL = 10 * MINUTE;

beforeAll(warmUp);

test("Short runs at one request a second deliver everything, a little each, and list what they read only now and then", async () => {
  const names = Array.from({ length: 12 }, (_, index) => `T${String(index).padStart(2, "0")}`);
  const ids = ["S-0", "S-1", "S-2"];
  const findings = ids.flatMap((environment, row) =>
    names.map((type, column) => plainFinding(100 * row + column + 1, { environment, type, created: -3 * MINUTE })),
  );
  const types = names.map((name) => ({ name, listed: [[BEFORE, FOREVER]] as Span[] }));
  const scenario = plainScenario({
    environments: ids.map((id) => plainEnvironment({ id, name: id, types })),
    findings,
    polls: Array.from({ length: 20 }, (_, index) => plainPoll(1_000 + index * MINUTE, { deadlineMs: 8_000 })),
  });
  Object.assign(scenario.tenant, { announcedLimit: 1, documents: "text", datapipe: 200 });
  const { history, violations } = await simulate(scenario, realPlugin, { stopEarly: false });
  expect(violations).toEqual([]);
  const runs = history.runs.slice(0, 20);
  const delivered = runs.map(({ alerts }) => alerts.length);
  expect(delivered.reduce((sum, count) => sum + count)).toBe(findings.length);
});

test("Streams that wait for their turn because few requests are allowed take turns, and the service is not blamed", async () => {
  const names = Array.from({ length: 30 }, (_, index) => `T${String(index).padStart(2, "0")}`);
  const findings = names.flatMap((type, row) =>
    Array.from({ length: POLLS }, (_, column) => {
      const created = (column - 1) * INTERVAL;
      return plainFinding(row * 1_000 + column + 1, { type, created, visible: created + 1 });
    }),
  );
  const scenario = plainScenario({
    environments: [plainEnvironment({ types: names.map((name) => ({ name, listed: [[BEFORE, FOREVER]] })) })],
    findings,
    polls: Array.from({ length: POLLS }, (_, index) => plainPoll(1_000 + index * INTERVAL, { deadlineMs: 20_000 })),
  });
  scenario.tenant.announcedLimit = 1;
  const { history } = await simulate(scenario, realPlugin, { stopEarly: false });
  const runs = history.runs.slice(0, POLLS);
  for (const { result } of runs) expect(result?.message).not.toContain("did not respond in time");
  const served = runs.slice(-6).flatMap(({ alerts }) => alerts.map(({ alert }) => alert.findingType));
  expect([...new Set(served)].sort()).toEqual(names);
});
