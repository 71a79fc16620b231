import { beforeAll, describe, expect, test } from "@jest/globals";
import { generate } from "./generate/generate.ts";
import { shrink } from "./shrink.ts";
import { realPlugin, warmUp } from "./plugin.ts";
import { simulate } from "./simulate.ts";
import {
  always,
  ENVIRONMENT,
  plainEnvironment,
  plainFinding,
  plainFindings,
  plainPoll,
  plainScenario,
} from "./scenarios.ts";
import { BEFORE, FOREVER, type Scenario } from "./scenario.ts";
import type { Flaw } from "./fake/flaws.ts";
import { fakePlugin } from "./fake/fake-plugin.ts";
import { DAY, HOUR } from "./world.ts";

beforeAll(warmUp);

async function invariantsBroken(scenario: Scenario, flaw: Flaw | null): Promise<string[]> {
  const { violations } = await simulate(scenario, fakePlugin(flaw));
  return violations.map(({ invariant }) => invariant);
}

describe("A plain plugin that reads everything and forgets nothing keeps every invariant", () => {
  test.each(Array.from({ length: 15 }, (_, number) => number))("in scenario %i of a fixed seed", async (number) => {
    const options = { except: ["small state", "within the announced limit"] };
    expect(await simulate(generate(20_261, number), fakePlugin(), options)).toMatchObject({ violations: [] });
  });
});

describe("A plugin with a flaw breaks the invariant that forbids it", () => {
  const many = plainScenario({ findings: plainFindings(5) });
  const paged: Scenario = { ...many, tenant: { ...many.tenant, pageCap: 2 } };
  const deleted = plainScenario({ findings: [plainFinding(1, { deleted: { at: 0, rowStays: true } })] });
  const refused = plainScenario({
    faults: [always({ kind: "rate limit", body: "text", retryAfter: null }, { endpoint: "types" })],
  });
  const broken = plainScenario({
    faults: [always({ kind: "status", status: 500, body: "json" }, { environment: ENVIRONMENT })],
    polls: [plainPoll(1_000)],
  });
  const webPages = plainScenario({
    faults: [always({ kind: "web page" }, { environment: ENVIRONMENT })],
    polls: [plainPoll(1_000)],
  });
  const killed = plainScenario({
    findings: plainFindings(200),
    polls: [plainPoll(1_000, { maxEventsPerAlert: 1, kill: { afterMessages: 30 } })],
  });
  const types = ["T1", "T2"];
  const twoTypes = plainScenario({
    environments: [plainEnvironment({ types: types.map((name) => ({ name, listed: [[BEFORE, FOREVER]] })) })],
    findings: types.map((type, index) => plainFinding(index + 1, { type })),
    polls: [plainPoll(1_000)],
  });
  const cached = { ...twoTypes, faults: [always({ kind: "other question", of: "type" }, { type: "T1" })] };
  const cut = { ...twoTypes, faults: [always({ kind: "cut list", size: 1 }, { endpoint: "types" })] };
  const short: Scenario = {
    ...twoTypes,
    findings: [...twoTypes.findings, plainFinding(3, { type: "T2", created: DAY, visible: DAY })],
    faults: [{ ...always({ kind: "short list", size: 1 }, { endpoint: "types" }), span: [DAY, FOREVER] }],
    polls: [plainPoll(1_000), plainPoll(DAY + HOUR), plainPoll(DAY + 3 * HOUR)],
  };
  const days = [0, 2, 4, 6].map((day) => plainPoll(1_000 + day * DAY));
  const gone = { at: DAY, rowStays: false };
  const reused = plainScenario({
    findings: [plainFinding(1, { deleted: gone }), plainFinding(2, { id: 1, visible: DAY })],
    polls: days,
  });
  const returned = plainScenario({
    findings: [plainFinding(1, { deleted: { ...gone, backAt: 6 * DAY } })],
    polls: [0, 3, 5, 8].map((day) => plainPoll(1_000 + day * DAY)),
  });
  const away = plainScenario({
    environments: [
      plainEnvironment({
        types: [
          {
            name: "T1",
            listed: [
              [BEFORE, DAY],
              [9 * DAY, FOREVER],
            ],
          },
        ],
      }),
    ],
    findings: [plainFinding(1, { type: "T1" })],
    polls: [0, 2, 5, 8, 10].map((day) => plainPoll(1_000 + day * DAY)),
  });
  away.tenant.unlisted = "empty";
  const unlucky = plainScenario({
    findings: plainFindings(1),
    polls: Array.from({ length: 8 }, (_, index) => plainPoll(1_000 + index * HOUR)),
  });
  unlucky.tenant.refuses = [{ route: "datapipe", how: 429 }];
  const dripping = plainScenario({
    findings: plainFindings(60),
    faults: [always({ kind: "trickle", bytesPerSecond: 600 }, { endpoint: "details" })],
  });
  const large = plainScenario({ findings: plainFindings(20) });
  large.tenant.wire = { largestPage: { records: 9, how: "too large" } };
  const cases: [Flaw, string, Scenario][] = [
    ["delivers whatever rows come", "real findings", cached],
    ["delivers whatever rows come", "other answers are noticed", cached],
    ["believes a list that is cut", "cut lists are noticed", cut],
    ["believes a list that is short", "completed means all", short],
    ["tells findings apart by their ids alone", "completed means all", reused],
    ["never forgets what is gone", "eventually everything", returned],
    ["gives what returns its old alert", "returns are new", away],
    ["ends a run where an optional route refuses", "healthy ones are read", unlucky],
    ["takes long answers for silence", "waits for bodies", dripping],
    ["keeps asking for large pages", "catches up", large],
    ["loses the last finding of a page", "completed means all", many],
    ["stops after the first page", "completed means all", paged],
    ["forgets what it delivered", "exactly once", many],
    ["delivers deleted findings", "no deleted findings", deleted],
    ["waits forever", "one result", many],
    ["writes the token key", "kept secret", many],
    ["goes on after a refusal", "stops when refused", refused],
    ["names no failures", "failures are named", broken],
    ["names no failures", "failures are named", webPages],
    [
      "writes the whole state with each alert",
      "linear patches",
      { ...killed, polls: [plainPoll(1_000, { maxEventsPerAlert: 1 })] },
    ],
    ["sends no patches", "exactly once", killed],
  ];

  test.each(cases)("%s: %s", async (flaw, invariant, scenario) => {
    expect(await invariantsBroken(scenario, flaw)).toContain(invariant);
    expect(await invariantsBroken(scenario, null)).toEqual([]);
  });
});

test("A plugin whose state grows beyond the bound of the scenario breaks the invariant of the small state", async () => {
  const findings = plainFindings(250).map((finding) => ({ ...finding, id: `text-${finding.key}` }));
  const scenario = plainScenario({
    findings,
    polls: [plainPoll(1_000, { maxEventsPerAlert: 5 })],
    host: { kind: "atomic", aheadMs: 0, clock: [], stateCharacters: 500 },
  });
  expect(await invariantsBroken(scenario, null)).toContain("small state");
  expect((await simulate(scenario, realPlugin)).violations).toEqual([]);
});

test("A plugin that forgets what a killed run left breaks the invariant of completeness", async () => {
  // The tenant says that nothing has changed since the run that was killed.
  const scenario = plainScenario({
    findings: plainFindings(20),
    polls: [plainPoll(1_000, { maxEventsPerAlert: 5, kill: { afterMessages: 2 } }), plainPoll(60_000)],
  });
  expect(await invariantsBroken(scenario, null)).toEqual([]);
  const { violations } = await simulate(scenario, fakePlugin("takes what it began for complete"));
  expect(violations[0]).toMatchObject({ invariant: "completed means all", run: 1 });
});

describe("Simulation", () => {
  test("The same scenario runs the same way each time", async () => {
    const outputs = async () => {
      const { history } = await simulate(generate(3, 14), fakePlugin());
      return history.runs.map(({ start, end, output }) => ({ start, end, output }));
    };
    expect(await outputs()).toEqual(await outputs());
  });

  test("A scenario survives being stored as JSON", () => {
    for (let number = 0; number < 50; number++) {
      const scenario = generate(4, number);
      expect(JSON.parse(JSON.stringify(scenario))).toEqual(scenario);
    }
  });

  test("A host that ends a run at its deadline keeps what it has stored", async () => {
    const scenario = plainScenario({
      findings: plainFindings(3),
      faults: [{ ...always({ kind: "hang", head: false }, { endpoint: "details" }), span: [0, HOUR] }],
      polls: [plainPoll(1_000, { deadlineMs: 5_000 }), plainPoll(2 * HOUR)],
    });
    const { violations, history } = await simulate(scenario, fakePlugin());
    expect(violations).toEqual([]);
    expect(history.runs.slice(0, 2).map(({ alerts }) => alerts.length)).toEqual([0, 1]);
  });
});

describe("Shrinking", () => {
  test("What does not matter for a violation is taken away", async () => {
    const scenario = plainScenario({
      environments: [plainEnvironment(), plainEnvironment({ id: "S-1-5-21-2", name: "LAB.TEST" })],
      findings: [...plainFindings(6), plainFinding(7, { environment: "S-1-5-21-2", odd: "lone surrogates" })],
      faults: [always({ kind: "slow", ms: 500 }), always({ kind: "wrong date header", value: null })],
      polls: [1, 2, 3, 4, 5].map((hours) => plainPoll(hours * HOUR, { maxAlerts: 9, maxEventsPerAlert: 3 })),
      host: { kind: "atomic", aheadMs: 5_000, clock: [] },
    });
    const flaw: Flaw = "forgets what it delivered";
    const small = await shrink(scenario, { invariant: "exactly once" }, fakePlugin(flaw), 20_000);
    expect(await invariantsBroken(small, flaw)).toContain("exactly once");
    expect(small.findings).toHaveLength(1);
    expect(small.faults).toEqual([]);
    expect(small.environments).toHaveLength(1);
    expect(small.polls.length).toBeLessThanOrEqual(1);
  });
});
