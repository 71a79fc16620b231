import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "@jest/globals";
import { realPlugin, warmUp } from "./plugin.ts";
import { simulate } from "./simulate.ts";
import { plainFindings, plainStory } from "./stories.ts";
import type { Story } from "./story.ts";

const folder = join(import.meta.dirname, "regressions");
const files = readdirSync(folder).filter((file) => file.endsWith(".json"));

beforeAll(warmUp);

test("A quiet story keeps every law", async () => {
  expect((await simulate(plainStory({ findings: plainFindings(3) }), realPlugin)).violations).toEqual([]);
});

// Each file is a story that broke a law once; its name is a sentence that says what was wrong.
for (const file of files) {
  test(file.replace(/\.json$/, "").replaceAll("-", " "), async () => {
    const { story } = JSON.parse(readFileSync(join(folder, file), "utf8")) as { story: Story };
    const { violations } = await simulate(story, realPlugin);
    expect(violations).toEqual([]);
  });
}
