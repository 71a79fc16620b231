import { createHash } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { Command, InvalidArgumentError } from "commander";
import { count } from "../support/count-option.ts";
import { mutate, type Mutant } from "./mutant.ts";
import { mutants } from "./mutants.ts";
import { line, missed, table, toJson, type Verdict } from "./report.ts";
import { Baseline, type Notice, type Workplace } from "./baseline.ts";
import { bundleSimulation, runScenarios } from "./simulation.ts";
import { root, SourceCopy } from "./source-copy.ts";
import { UnitTests } from "./unit-tests.ts";

interface Options {
  only: string[];
  sample?: number;
  seed: number;
  jobs: number;
  quick: boolean;
  scenarios?: number;
  scenarioSeed: number;
  knownFailures: boolean;
  json: boolean;
}

const SCENARIOS = 200;
const QUICK_SCENARIOS = 60;

function atLeastOne(text: string): number {
  if (count(text) === 0) throw new InvalidArgumentError("At least 1 is expected.");
  return count(text);
}

/** @returns the exit code: 1 when a bug was not noticed, or could not be tried */
export async function main(argv: readonly string[]): Promise<number> {
  const options = new Command("npm run mutants --")
    .description(
      "Puts deliberate bugs into a copy of the sources, one at a time, and checks that the unit tests or the simulation notice each.",
    )
    .option("--only <text...>", "only the bugs whose name or file contains one of these texts", [])
    .option("--sample <number>", "only so many bugs, chosen by the seed", atLeastOne)
    .option("--seed <number>", "seed of the sample (default: a fresh one)", count, Math.floor(Math.random() * 1e9))
    .option("--jobs <number>", "bugs that are tried at a time", atLeastOne, availableParallelism())
    .option("--quick", `the simulation only, with ${QUICK_SCENARIOS} scenarios`, false)
    .option("--scenarios <number>", `scenarios of the simulation (default: ${SCENARIOS})`, atLeastOne)
    .option("--scenario-seed <number>", "seed of the scenarios", count, 1)
    .option(
      "--known-failures",
      "go on although the sources fail without any bug, and pass over what fails in them",
      false,
    )
    .option("--json", "print the result as JSON", false)
    .parse([...argv])
    .opts<Options>();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));
  return new Campaign(options).run();
}

class Campaign {
  readonly #options: Options;
  readonly #began = performance.now();
  readonly #verdicts: Verdict[] = [];
  readonly #baseline: Baseline;
  /** What would notice a bug fails without it. Then nothing can be said about bugs, unless the user knows of it. */
  #failsWithoutBug = false;

  constructor(options: Options) {
    this.#options = options;
    this.#baseline = new Baseline(options.scenarioSeed);
  }

  async run(): Promise<number> {
    const { sample, seed, jobs, json } = this.#options;
    if (sample !== undefined)
      this.#say(`sample of ${sample} by seed ${seed}: npm run mutants -- --sample ${sample} --seed ${seed}`);
    const chosen = this.#chosen();
    const misplaced = await withoutPlace(chosen);
    for (const { name, file, find } of misplaced) {
      process.stderr.write(`${file} does not contain exactly once: ${find}\n  (${name})\n`);
    }
    if (misplaced.length > 0) return 1;
    const workplaces: Workplace[] = [];
    for (let job = 0; job < Math.min(jobs, Math.max(1, chosen.length)); job++) {
      const copy = await SourceCopy.make();
      workplaces.push({ copy, tests: await UnitTests.in(copy) });
    }
    const waiting = [...chosen];
    await Promise.all(workplaces.map((workplace) => this.#work(workplace, waiting)));
    if (this.#failsWithoutBug) return 1;
    const order = new Map(chosen.map((mutant, index) => [mutant, index]));
    this.#verdicts.sort((a, b) => (order.get(a.mutant) ?? 0) - (order.get(b.mutant) ?? 0));
    const result = toJson(this.#verdicts, {
      seconds: this.#seconds(),
      ...(sample === undefined ? {} : { sample, seed }),
    });
    await mkdir(join(root, "dist"), { recursive: true });
    await writeFile(join(root, "dist/mutants.json"), result);
    if (json) process.stdout.write(result);
    return this.#sumUp();
  }

  #chosen(): Mutant[] {
    const { only, sample, seed } = this.#options;
    const isMeant = ({ name, file }: Mutant): boolean =>
      only.length === 0 || only.some((text) => `${name}\n${file}`.toLowerCase().includes(text.toLowerCase()));
    const named = mutants.filter(isMeant);
    if (sample === undefined) return named;
    const rank = ({ name }: Mutant): string => createHash("sha256").update(`${seed}\n${name}`).digest("hex");
    return named
      .map((mutant) => ({ mutant, at: rank(mutant) }))
      .sort((a, b) => (a.at < b.at ? -1 : 1))
      .slice(0, sample)
      .map(({ mutant }) => mutant);
  }

  async #work(workplace: Workplace, waiting: Mutant[]): Promise<void> {
    for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
      const began = performance.now();
      const notice = await this.#judge(workplace, mutant);
      if (this.#failsWithoutBug) return;
      const done = { mutant, ...(notice ?? { outcome: "survived", by: "" }), ms: performance.now() - began } as const;
      this.#verdicts.push(done);
      this.#say(`${done.outcome.padEnd(10)} ${line(done)}`);
    }
  }

  /** What notices a bug, and fails for no other reason. */
  async #judge(workplace: Workplace, mutant: Mutant): Promise<Notice | null> {
    const explained = new Set<string>();
    for (;;) {
      const notice = await workplace.copy.withBug(mutant, () => this.#tried(workplace, mutant));
      if (notice === null || !(await this.#baseline.explains(notice, workplace))) return notice;
      // A test that hangs or ends its process cannot be passed over.
      if (explained.has(notice.by)) throw new Error(`Nothing can be said about "${mutant.name}": ${notice.by} fails.`);
      explained.add(notice.by);
      process.stderr.write(`Fails without any bug: ${notice.by}\n`);
      this.#failsWithoutBug = !this.#options.knownFailures;
      if (this.#failsWithoutBug) return null;
    }
  }

  async #tried({ copy, tests }: Workplace, { file }: Mutant): Promise<Notice | null> {
    const { quick, scenarioSeed: seed } = this.#options;
    // First of all, because a bug that does not compile would fail every test.
    await bundleSimulation(copy);
    const [failure] = quick ? [] : await tests.run(tests.of(file), this.#baseline.tests);
    if (failure !== undefined) return { outcome: "unit", by: failure.name, file: failure.file };
    const without = [...this.#baseline.scenarios];
    const found = await runScenarios(copy, { seed, from: 0, to: this.#scenarios, without });
    if (found === null) return null;
    const { scenario, broken } = found;
    return { outcome: "simulation", by: `${broken.invariant}, scenario ${scenario} of seed ${seed}`, scenario };
  }

  get #scenarios(): number {
    return this.#options.scenarios ?? (this.#options.quick ? QUICK_SCENARIOS : SCENARIOS);
  }

  #sumUp(): number {
    const survivors = missed(this.#verdicts);
    this.#say(`\n${table(this.#verdicts)}`);
    const said = survivors.length === 0 ? "Every bug was noticed" : `Bugs that nothing noticed: ${survivors.length}`;
    this.#say(`${said} (${this.#verdicts.length} bugs in ${this.#seconds()} s; dist/mutants.json has them all).`);
    return survivors.length === 0 ? 0 : 1;
  }

  #seconds(): number {
    return Math.round((performance.now() - this.#began) / 1000);
  }

  #say(text: string): void {
    if (!this.#options.json) process.stdout.write(`${text}\n`);
  }
}

async function withoutPlace(chosen: readonly Mutant[]): Promise<Mutant[]> {
  const placed = await Promise.all(
    chosen.map(async (mutant) => ({ mutant, source: await readFile(join(root, mutant.file), "utf8") })),
  );
  return placed.filter(({ mutant, source }) => mutate(source, mutant) === null).map(({ mutant }) => mutant);
}
