import { fork } from "node:child_process";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { Command } from "commander";
import { count } from "../../support/count-option.ts";
import { generate } from "../generate/generate.ts";
import { largeScenarios } from "../large.ts";
import type { Scenario } from "../scenario.ts";
import { bundleWorker } from "./bundle.ts";
import type { Report, Tally, Work } from "./messages.ts";

interface Options {
  runs?: number;
  seconds?: number;
  seed: number;
  from: number;
  scenario?: number;
  replay?: string;
  large: boolean;
  job: boolean;
  jobs: number;
  all: boolean;
  shrink: number;
  output: string;
  except: string[];
}

/** @returns the exit code: 1 when an invariant was broken */
export async function main(argv: readonly string[]): Promise<number> {
  const options = new Command("npm run simulate --")
    .description(
      "Runs the core of the plugin through generated scenarios on a virtual clock and checks what it promises.",
    )
    .option("--runs <number>", "scenarios to run (default: 1000, or as many as there is time for)", count)
    .option("--seconds <number>", "real seconds to run for", count)
    .option("--seed <number>", "seed of the scenarios (default: a fresh one)", count, Math.floor(Math.random() * 1e9))
    .option("--from <number>", "first of the scenarios, to go on with a seed", count, 0)
    .option("--scenario <number>", "run only this scenario of the seed", count)
    .option("--replay <file>", "run the scenario in this file")
    .option("--large", "run the scenarios of the largest tenants, one after the other", false)
    .option("--job", "run the job Follow Up Findings instead of the connector", false)
    .option("--jobs <number>", "processes", count, 1)
    .option("--all", "go on after a violation, and sum up at the end", false)
    .option("--shrink <seconds>", "how long to make a scenario smaller; 0 for not at all", count, 30)
    .option("--except <invariant...>", "invariants that are not checked", [])
    .option("--output <folder>", "where the smaller scenarios go", "dist/simulation")
    .parse([...argv])
    .opts<Options>();
  return new Campaign(options).run();
}

class Campaign {
  readonly #options: Options;
  readonly #tally: Tally = { scenarios: 0, polls: 0, delivered: 0, cpuMs: 0 };
  readonly #broken = new Map<string, number[]>();
  readonly #began = performance.now();
  #said = 0;

  constructor(options: Options) {
    this.#options = options;
  }

  async run(): Promise<number> {
    const { seed, scenario, replay, jobs, large } = this.#options;
    if (replay === undefined && !large) say(`seed ${seed}`);
    const worker = await bundleWorker();
    try {
      if (large) await this.#runLarge(worker);
      const single =
        replay !== undefined
          ? await readScenario(replay)
          : scenario !== undefined && !this.#options.job
            ? generate(seed, scenario)
            : null;
      const processes = large ? 0 : single === null ? jobs : 1;
      await Promise.all(Array.from({ length: processes }, (_, first) => this.#work(worker, first, processes, single)));
    } finally {
      await rm(worker, { force: true });
    }
    this.#sumUp();
    return this.#broken.size === 0 ? 0 : 1;
  }

  async #runLarge(worker: string): Promise<void> {
    for (const [name, scenario] of Object.entries(largeScenarios)) {
      const began = performance.now();
      await this.#work(worker, 0, 1, scenario());
      say(`${name}: ${((performance.now() - began) / 1000).toFixed(0)} s`);
      if (this.#stopped) return;
    }
  }

  #work(worker: string, first: number, step: number, replay: Scenario | null): Promise<void> {
    const { seed, runs, seconds, all, shrink, except, job, scenario } = this.#options;
    const only = job && scenario !== undefined;
    const from = only ? scenario : this.#options.from;
    const scenarios = only ? 1 : (runs ?? (seconds === undefined ? 1_000 : null));
    const work: Work = {
      job,
      seed,
      first: from + first,
      step,
      end: scenarios === null ? null : from + scenarios,
      seconds: seconds ?? null,
      keepGoing: all,
      replay,
      shrinkSeconds: shrink,
      except,
    };
    return new Promise((done, failed) => {
      // Source maps take a tenth of the time, and only a scenario that is run again shows stacks.
      const mapped = replay === null ? [] : ["--enable-source-maps"];
      const child = fork(worker, { execArgv: [...mapped, "--max-semi-space-size=64"] });
      this.#children.push(child);
      let over = false;
      let reports = Promise.resolve();
      child.on("message", (report: Report) => {
        if (report.type === "done") over = true;
        reports = reports.then(() => this.#take(report));
      });
      child.on("exit", (code) => {
        reports.then(() => {
          if (over || this.#stopped) done();
          else failed(new Error(`A worker ended with exit code ${code ?? "none"}.`));
        }, failed);
      });
      child.send(work);
    });
  }

  readonly #children: ReturnType<typeof fork>[] = [];
  #stopped = false;

  async #take(report: Report): Promise<void> {
    if (report.type === "tally") {
      for (const name of ["scenarios", "polls", "delivered", "cpuMs"] as const) this.#tally[name] += report.tally[name];
      if (performance.now() - this.#said > 10_000) this.#progress();
    }
    if (report.type !== "violation") return;
    const { invariant } = report.violation;
    const scenarios = this.#broken.get(invariant) ?? [];
    this.#broken.set(invariant, scenarios);
    scenarios.push(report.scenario ?? -1);
    if (scenarios.length === 1 || !this.#options.all) await this.#describe(report);
    if (!this.#options.all) this.#stop();
  }

  async #describe(report: Report & { type: "violation" }): Promise<void> {
    const { invariant, detail, run } = report.violation;
    const { seed, replay = "" } = this.#options;
    const scenario = report.scenario ?? this.#options.scenario;
    const again = scenario === undefined ? `--replay ${replay}` : `--seed ${seed} --scenario ${scenario}`;
    const place = run < 0 ? "" : ` in poll ${run}`;
    say(`\n${invariant}: broken by scenario ${scenario ?? replay} of seed ${seed}${place}\n  ${detail}`);
    say(`  npm run simulate -- ${this.#options.job ? "--job " : ""}${again}`);
    if (report.original !== null) await this.#store(report, report.original, scenario);
  }

  async #store(
    report: Report & { type: "violation" },
    original: Scenario,
    scenario: number | undefined,
  ): Promise<void> {
    const { seed, output } = this.#options;
    const { invariant } = report.violation;
    const file = resolve(output, `${invariant.replaceAll(" ", "-")}-${seed}-${scenario ?? "replay"}.json`);
    await mkdir(dirname(file), { recursive: true });
    const stored = report.shrunk ?? original;
    await writeFile(file, `${JSON.stringify({ invariant, scenario: stored }, null, 2)}\n`);
    const size = `${stored.polls.length} polls, ${stored.findings.length} findings, ${stored.faults.length} faults`;
    say(`  ${report.shrunk === null ? "whole" : "smaller"} scenario (${size}): npm run simulate -- --replay ${file}`);
  }

  #stop(): void {
    this.#stopped = true;
    for (const child of this.#children) child.kill();
  }

  #progress(): void {
    this.#said = performance.now();
    const { scenarios, polls, delivered, cpuMs } = this.#tally;
    const seconds = (performance.now() - this.#began) / 1000;
    const rate = `${(scenarios / seconds).toFixed(1)} scenarios/s, ${(cpuMs / Math.max(1, polls)).toFixed(2)} ms of processor time per poll`;
    const { job } = this.#options;
    const what = job
      ? `${scenarios} scenarios, ${polls} runs, ${delivered} alerts closed`
      : `${scenarios} scenarios, ${polls} polls, ${delivered} findings delivered`;
    say(`${what} in ${seconds.toFixed(0)} s (${rate})`);
  }

  #sumUp(): void {
    this.#progress();
    for (const [invariant, scenarios] of this.#broken) {
      say(`${invariant}: ${scenarios.length} scenarios, such as ${scenarios.slice(0, 12).join(", ")}`);
    }
    say(this.#broken.size === 0 ? "Every invariant held." : "Invariants were broken.");
  }
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

async function readScenario(file: string): Promise<Scenario> {
  const { scenario } = JSON.parse(await readFile(file, "utf8")) as { scenario: Scenario };
  return scenario;
}
