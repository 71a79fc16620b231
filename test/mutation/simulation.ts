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

/** Runs scenarios with the bundle of the copy. @returns the first one that breaks an invariant, or null */
export async function runScenarios({ folder }: SourceCopy, scenarios: Scenarios): Promise<BrokenScenario | null> {
  // Without the loader that this process may run under: it answers in real time, which the virtual clock does not wait for.
  const execArgv: string[] = [];
  const child = fork(join(folder, BUNDLE), { cwd: folder, execArgv, stdio: ["ignore", "ignore", "pipe", "ipc"] });
  let errors = "";
  child.stderr?.on("data", (piece: Buffer) => (errors = (errors + piece.toString()).slice(-2_000)));
  let first: BrokenScenario | null = null;
  let finished = scenarios.from;
  const ended = await ends(child, (beat) => {
    child.on("message", (report: ScenarioReport) => {
      beat();
      const { scenario, broken } = report;
      finished = scenario + 1;
      if (broken !== null) first ??= { scenario, broken };
    });
    child.send(scenarios);
  });
  if (!ended) return { scenario: finished, broken: { invariant: "the scenario comes to an end", detail: "" } };
  if (child.exitCode !== 0)
    return { scenario: finished, broken: { invariant: "the scenario can be run", detail: errors } };
  return first;
}
