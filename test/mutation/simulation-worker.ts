import { generate } from "../simulation/generate/generate.ts";
import { realPlugin, warmUp } from "../simulation/plugin.ts";
import { simulate } from "../simulation/simulate.ts";
import type { Scenarios, ScenarioReport } from "./scenarios.ts";

async function run({ seed, from, to, without }: Scenarios): Promise<void> {
  await warmUp();
  const left = new Set(without);
  for (let scenario = from; scenario < to; scenario++) {
    if (left.has(scenario)) continue;
    const { violations } = await simulate(generate(seed, scenario), realPlugin);
    const [violation] = violations;
    const broken = violation === undefined ? null : { invariant: violation.invariant, detail: violation.detail };
    process.send?.({ scenario, broken } satisfies ScenarioReport);
    if (broken !== null) return;
  }
}

process.once("message", (scenarios: Scenarios) => {
  run(scenarios).then(
    () => {
      process.disconnect();
    },
    (error: unknown) => {
      process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
      process.exit(2);
    },
  );
});
