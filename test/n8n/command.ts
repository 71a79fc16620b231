import { mkdtemp, rm } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Argument, Command } from "commander";
import { buildPackages } from "../../src/packaging/build.ts";
import { n8n } from "../../src/packaging/n8n/index.ts";
import { tryFirstSteps } from "./first-steps.ts";
import { installN8n } from "./install.ts";
import { tryLint } from "./lint.ts";
import { tryQueueMode } from "./queue-trial.ts";
import { type ScreenOptions, tryScreens } from "./screens.ts";
import { rootDir } from "./trial.ts";

const PARTS = ["lint", "first-steps", "screens", "queue"] as const;
const command = new Command("npm run test:n8n --")
  .description("Installs a pinned n8n, and tries the package in it against the simulated tenant.")
  .addArgument(new Argument("[parts...]", "what to try").choices(PARTS).default(PARTS))
  .option("--cache <folder>", "keeps n8n between the runs", join(homedir(), ".cache/attack-path-analysis/n8n"))
  .option("--pictures <folder>", "where the pictures of the screens go", join(tmpdir(), "n8n-pictures"))
  .option("--chromium <path>", "the browser, from Debian's package chromium", "/usr/bin/chromium")
  .option("--kills <count>", "how many kills in queue mode", Number, 50)
  .parse();
interface Options extends ScreenOptions {
  cache: string;
  kills: number;
}
const { cache, kills, chromium, pictures } = command.opts<Options>();
const parts = new Set(command.processedArgs[0] as (typeof PARTS)[number][]);
const say = (line: string): void => {
  console.log(line);
};

const outDir = await mkdtemp(join(tmpdir(), "n8n-package-"));
try {
  const [artefact] = await buildPackages({ rootDir, outDir, targets: [n8n] });
  const trial = { installed: await installN8n(resolve(cache), say), tarball: artefact?.path ?? "", say };
  if (parts.has("lint")) await tryLint({ ...trial, cache: resolve(cache) });
  if (parts.has("first-steps")) await tryFirstSteps(trial);
  if (parts.has("screens")) await tryScreens(trial, { chromium, pictures: resolve(pictures) });
  if (parts.has("queue")) await tryQueueMode(trial, kills);
  say("Done.");
} finally {
  await rm(outDir, { recursive: true });
}
