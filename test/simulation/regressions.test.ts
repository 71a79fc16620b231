import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "@jest/globals";
import { realPlugin, warmUp } from "./plugin.ts";
import { simulate } from "./simulate.ts";
import { plainFindings, plainScenario } from "./scenarios.ts";
import type { Scenario } from "./scenario.ts";

const folder = join(import.meta.dirname, "regressions");
const files = readdirSync(folder).filter((file) => file.endsWith(".json"));

beforeAll(warmUp);

test("A quiet scenario keeps every invariant", async () => {
  expect((await simulate(plainScenario({ findings: plainFindings(3) }), realPlugin)).violations).toEqual([]);
});

// Each file is a scenario that broke an invariant once; its name is a sentence that says what was wrong.
for (const file of files) {
  test(file.replace(/\.json$/, "").replaceAll("-", " "), async () => {
    const { scenario } = JSON.parse(readFileSync(join(folder, file), "utf8")) as { scenario: Scenario };
    const { violations } = await simulate(scenario, realPlugin);
    expect(violations).toEqual([]);
  });
}
