import { beforeAll, describe, expect, test } from "@jest/globals";
import { warmUp } from "../plugin.ts";
import { generateStory } from "./generate.ts";
import { tellStory } from "./tell.ts";

const STORIES = 4;

describe("the job Follow Up Findings", () => {
  beforeAll(warmUp);

  test("closes what was fixed, and never anything else", async () => {
    let closings = 0;
    for (let number = 0; number < STORIES; number++) {
      const outcome = await tellStory(generateStory(11, number));
      expect({ number, violations: outcome.violations }).toEqual({ number, violations: [] });
      closings += outcome.closings;
    }
    expect(closings).toBeGreaterThan(0);
  });

  test("goes through the same story in the same way", async () => {
    const [first, second] = [await tellStory(generateStory(11, 3)), await tellStory(generateStory(11, 3))];
    expect(second).toEqual(first);
  });
});
