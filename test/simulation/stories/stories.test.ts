import { beforeAll, describe, expect, test } from "@jest/globals";
import { warmUp } from "../plugin.ts";
import { generateStory } from "./generate.ts";
import { type StoryOutcome, tellStory } from "./tell.ts";

const STORIES = 4;

describe("the job Follow Up Findings", () => {
  const outcomes: StoryOutcome[] = [];

  beforeAll(async () => {
    await warmUp();
    for (let number = 0; number < STORIES; number++) outcomes.push(await tellStory(generateStory(11, number)));
  });

  test("closes what was fixed, and never anything else", () => {
    expect(outcomes.map(({ violations }) => violations)).toEqual(outcomes.map(() => []));
    expect(outcomes.some(({ closings }) => closings > 0)).toBe(true);
  });

  test("goes through the same story in the same way", async () => {
    expect(await tellStory(generateStory(11, 2))).toEqual(outcomes[2]);
  });
});
