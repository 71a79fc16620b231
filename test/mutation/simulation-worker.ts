import { generate } from "../simulation/generate/generate.ts";
import { realPlugin, warmUp } from "../simulation/plugin.ts";
import { simulate } from "../simulation/simulate.ts";
import type { Stories, StoryReport } from "./stories.ts";

async function tell({ seed, count, without, all }: Stories): Promise<void> {
  await warmUp();
  const left = new Set(without);
  for (let story = 0; story < count; story++) {
    if (left.has(story)) continue;
    const { violations } = await simulate(generate(seed, story), realPlugin);
    const [violation] = violations;
    const broken = violation === undefined ? null : { law: violation.law, detail: violation.detail };
    process.send?.({ story, broken } satisfies StoryReport);
    if (broken !== null && !all) return;
  }
}

process.once("message", (stories: Stories) => {
  tell(stories).then(
    () => {
      process.disconnect();
    },
    (error: unknown) => {
      process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
      process.exit(2);
    },
  );
});
