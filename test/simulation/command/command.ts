import { fork } from "node:child_process";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { Command, InvalidArgumentError } from "commander";
import { generate } from "../generate/generate.ts";
import { largeStories } from "../large.ts";
import type { Story } from "../story.ts";
import { bundleWorker } from "./bundle.ts";
import type { Report, Tally, Work } from "./messages.ts";

interface Options {
  runs?: number;
  seconds?: number;
  seed: number;
  story?: number;
  replay?: string;
  large: boolean;
  jobs: number;
  all: boolean;
  shrink: number;
  output: string;
  except: string[];
}

function count(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError("A whole number is expected.");
  return Number(text);
}

/** @returns the exit code: 1 when a law was broken */
export async function main(argv: readonly string[]): Promise<number> {
  const options = new Command("npm run simulate --")
    .description("Runs the core of the plugin through made-up stories on a virtual clock and checks what it promises.")
    .option("--runs <number>", "stories to run (default: 1000, or as many as there is time for)", count)
    .option("--seconds <number>", "real seconds to run for", count)
    .option("--seed <number>", "seed of the stories (default: a fresh one)", count, Math.floor(Math.random() * 1e9))
    .option("--story <number>", "run only this story of the seed", count)
    .option("--replay <file>", "run the story in this file")
    .option("--large", "run the stories of the largest tenants, one after the other", false)
    .option("--jobs <number>", "processes", count, 1)
    .option("--all", "go on after a violation, and sum up at the end", false)
    .option("--shrink <seconds>", "how long to make a story smaller; 0 for not at all", count, 30)
    .option("--except <law...>", "laws that are not checked", [])
    .option("--output <folder>", "where the smaller stories go", "dist/simulation")
    .parse([...argv])
    .opts<Options>();
  return new Campaign(options).run();
}

class Campaign {
  readonly #options: Options;
  readonly #tally: Tally = { stories: 0, polls: 0, delivered: 0, cpuMs: 0 };
  readonly #broken = new Map<string, number[]>();
  readonly #began = performance.now();
  #said = 0;

  constructor(options: Options) {
    this.#options = options;
  }

  async run(): Promise<number> {
    const { seed, story, replay, jobs, large } = this.#options;
    if (replay === undefined && !large) say(`seed ${seed}`);
    const worker = await bundleWorker();
    try {
      if (large) await this.#runLarge(worker);
      const single =
        replay !== undefined ? await readStory(replay) : story !== undefined ? generate(seed, story) : null;
      const processes = large ? 0 : single === null ? jobs : 1;
      await Promise.all(Array.from({ length: processes }, (_, first) => this.#work(worker, first, processes, single)));
    } finally {
      await rm(worker, { force: true });
    }
    this.#sumUp();
    return this.#broken.size === 0 ? 0 : 1;
  }

  async #runLarge(worker: string): Promise<void> {
    for (const [name, story] of Object.entries(largeStories)) {
      const began = performance.now();
      await this.#work(worker, 0, 1, story());
      say(`${name}: ${((performance.now() - began) / 1000).toFixed(0)} s`);
      if (this.#stopped) return;
    }
  }

  #work(worker: string, first: number, step: number, replay: Story | null): Promise<void> {
    const { seed, runs, seconds, all, shrink, except } = this.#options;
    const stories = runs ?? (seconds === undefined ? 1_000 : null);
    const work: Work = {
      seed,
      first,
      step,
      stories,
      seconds: seconds ?? null,
      keepGoing: all,
      replay,
      shrinkSeconds: shrink,
      except,
    };
    return new Promise((done, failed) => {
      const child = fork(worker, { execArgv: ["--enable-source-maps", "--max-semi-space-size=64"] });
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
      for (const name of ["stories", "polls", "delivered", "cpuMs"] as const) this.#tally[name] += report.tally[name];
      if (performance.now() - this.#said > 10_000) this.#progress();
    }
    if (report.type !== "violation") return;
    const { law } = report.violation;
    const stories = this.#broken.get(law) ?? [];
    this.#broken.set(law, stories);
    stories.push(report.story ?? -1);
    if (stories.length === 1 || !this.#options.all) await this.#tell(report);
    if (!this.#options.all) this.#stop();
  }

  async #tell(report: Report & { type: "violation" }): Promise<void> {
    const { law, detail, run } = report.violation;
    const { seed, replay = "" } = this.#options;
    const story = report.story ?? this.#options.story;
    const again = story === undefined ? `--replay ${replay}` : `--seed ${seed} --story ${story}`;
    say(`\n${law}: broken by story ${story ?? replay} of seed ${seed} in poll ${run}\n  ${detail}`);
    say(`  npm run simulate -- ${again}`);
    await this.#store(report, law, story);
  }

  async #store(report: Report & { type: "violation" }, law: string, story: number | undefined): Promise<void> {
    const { seed, output } = this.#options;
    const file = resolve(output, `${law.replaceAll(" ", "-")}-${seed}-${story ?? "replay"}.json`);
    await mkdir(dirname(file), { recursive: true });
    const stored = report.shrunk ?? report.original;
    await writeFile(file, `${JSON.stringify({ law, story: stored }, null, 2)}\n`);
    const size = `${stored.polls.length} polls, ${stored.findings.length} findings, ${stored.faults.length} faults`;
    say(`  ${report.shrunk === null ? "whole" : "smaller"} story (${size}): npm run simulate -- --replay ${file}`);
  }

  #stop(): void {
    this.#stopped = true;
    for (const child of this.#children) child.kill();
  }

  #progress(): void {
    this.#said = performance.now();
    const { stories, polls, delivered, cpuMs } = this.#tally;
    const seconds = (performance.now() - this.#began) / 1000;
    const rate = `${(stories / seconds).toFixed(1)} stories/s, ${(cpuMs / Math.max(1, polls)).toFixed(2)} ms of processor time per poll`;
    say(`${stories} stories, ${polls} polls, ${delivered} findings delivered in ${seconds.toFixed(0)} s (${rate})`);
  }

  #sumUp(): void {
    this.#progress();
    for (const [law, stories] of this.#broken) {
      say(`${law}: ${stories.length} stories, such as ${stories.slice(0, 12).join(", ")}`);
    }
    say(this.#broken.size === 0 ? "Every law held." : "Laws were broken.");
  }
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

async function readStory(file: string): Promise<Story> {
  const { story } = JSON.parse(await readFile(file, "utf8")) as { story: Story };
  return story;
}
