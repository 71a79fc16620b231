import { beforeAll, describe, expect, test } from "@jest/globals";
import { warmUp } from "../plugin.ts";
import { generateJobScenario } from "./generate.ts";
import { type JobOutcome, runJobScenario } from "./run-scenario.ts";

const SCENARIOS = 4;

describe("the job Follow Up Findings", () => {
  const outcomes: JobOutcome[] = [];

  beforeAll(async () => {
    await warmUp();
    for (let number = 0; number < SCENARIOS; number++)
      outcomes.push(await runJobScenario(generateJobScenario(11, number)));
  });

  test("closes what was fixed, and never anything else", () => {
    expect(outcomes.map(({ violations }) => violations)).toEqual(outcomes.map(() => []));
    expect(outcomes.some(({ closings }) => closings > 0)).toBe(true);
  });

  test("closes what is fixed one by one, although runs miss some of its alerts, or another environment", async () => {
    const { violations, closings } = await runJobScenario(generateJobScenario(5151, 50));
    expect(violations).toEqual([]);
    expect(closings).toBeGreaterThan(10);
  });

  test("runs the same scenario in the same way", async () => {
    expect(await runJobScenario(generateJobScenario(11, 2))).toEqual(outcomes[2]);
  });
});
