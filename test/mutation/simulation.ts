import { fork } from "node:child_process";
import { join } from "node:path";
import { build } from "esbuild";
import { ends } from "./child.ts";
import type { SourceCopy } from "./source-copy.ts";
import type { Scenarios, ScenarioReport } from "./scenarios.ts";

export type BrokenScenario = ScenarioReport & { readonly broken: NonNullable<ScenarioReport["broken"]> };

const BUNDLE = "dist/simulation-worker.mjs";

/**
 * Makes one file of the simulator and the sources as they are in the copy.
 *
 * @throws when the sources do not compile
 */
export async function bundleSimulation({ folder }: SourceCopy): Promise<void> {
  await build({
    absWorkingDir: folder,
    entryPoints: ["test/mutation/simulation-worker.ts"],
    outfile: BUNDLE,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    packages: "external",
    logLevel: "silent",
  });
}

/** Runs scenarios with the bundle of the copy, up to the first one that breaks an invariant unless `all` are asked for. */
export async function runScenarios({ folder }: SourceCopy, scenarios: Scenarios): Promise<BrokenScenario[]> {
  // Without the loader that this process may run under: it answers in real time, which the virtual clock does not wait for.
  const execArgv: string[] = [];
  const child = fork(join(folder, BUNDLE), { cwd: folder, execArgv, stdio: ["ignore", "ignore", "pipe", "ipc"] });
  let errors = "";
  child.stderr?.on("data", (piece: Buffer) => (errors = (errors + piece.toString()).slice(-2_000)));
  const broken: BrokenScenario[] = [];
  let finished = 0;
  const ended = await ends(child, (beat) => {
    child.on("message", (report: ScenarioReport) => {
      beat();
      finished = report.scenario + 1;
      if (report.broken !== null) broken.push({ scenario: report.scenario, broken: report.broken });
    });
    child.send(scenarios);
  });
  if (!ended) broken.push({ scenario: finished, broken: { invariant: "the scenario comes to an end", detail: "" } });
  else if (child.exitCode !== 0)
    broken.push({ scenario: finished, broken: { invariant: "the scenario can be run", detail: errors } });
  return broken;
}
