import { mkdtemp, rm } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Argument, Command } from "commander";
import { buildPackages } from "../../src/packaging/build.ts";
import { n8n } from "../../src/packaging/n8n/index.ts";
import { tryFirstSteps } from "./first-steps.ts";
import { installN8n } from "./install.ts";
import { tryQueueMode } from "./queue-trial.ts";
import { rootDir } from "./trial.ts";

const PARTS = ["first-steps", "queue"] as const;
const command = new Command("npm run test:n8n --")
  .description("Installs a pinned n8n, and tries the package in it against the simulated tenant.")
  .addArgument(new Argument("[parts...]", "what to try").choices(PARTS).default(PARTS))
  .option("--cache <folder>", "keeps n8n between the runs", join(homedir(), ".cache/attack-path-analysis/n8n"))
  .option("--kills <count>", "how many kills in queue mode", Number, 50)
  .parse();
const { cache, kills } = command.opts<{ cache: string; kills: number }>();
const parts = new Set(command.processedArgs[0] as (typeof PARTS)[number][]);
const say = (line: string): void => {
  console.log(line);
};

const outDir = await mkdtemp(join(tmpdir(), "n8n-package-"));
try {
  const [artefact] = await buildPackages({ rootDir, outDir, targets: [n8n] });
  const trial = { installed: await installN8n(resolve(cache), say), tarball: artefact?.path ?? "", say };
  if (parts.has("first-steps")) await tryFirstSteps(trial);
  if (parts.has("queue")) await tryQueueMode(trial, kills);
  say("Done.");
} finally {
  await rm(outDir, { recursive: true });
}
