import type { SourceCopy } from "./source-copy.ts";
import { bundleSimulation, runScenarios } from "./simulation.ts";
import type { UnitTests } from "./unit-tests.ts";

/** A copy of the sources and its tests, for one bug at a time. */
export interface Workplace {
  readonly copy: SourceCopy;
  readonly tests: UnitTests;
}

/** What noticed a bug. */
export type Notice =
  | { readonly outcome: "unit"; readonly by: string; readonly file: string }
  | { readonly outcome: "simulation"; readonly by: string; readonly scenario: number };

/**
 * What the sources fail without any bug. Only what noticed a bug is tried without it, and each once: all the rest would
 * take more than a minute before the first bug.
 */
export class Baseline {
  /** Names of tests that fail without any bug. */
  readonly tests = new Set<string>();
  /** Scenarios that break an invariant without any bug. */
  readonly scenarios = new Set<number>();
  readonly #triedFiles = new Set<string>();
  readonly #soundScenarios = new Set<number>();
  readonly #seed: number;

  constructor(seed: number) {
    this.#seed = seed;
  }

  /** Whether the notice says nothing about the bug, which must not be in the copy any more. */
  async explains(notice: Notice, workplace: Workplace): Promise<boolean> {
    if (notice.outcome === "unit") {
      await this.#tryFile(notice.file, workplace);
      return this.tests.has(notice.by);
    }
    await this.#tryScenario(notice.scenario, workplace);
    return this.scenarios.has(notice.scenario);
  }

  async #tryFile(file: string, { tests }: Workplace): Promise<void> {
    if (this.#triedFiles.has(file)) return;
    for (const { name } of await tests.run([file])) this.tests.add(name);
    this.#triedFiles.add(file);
  }

  async #tryScenario(scenario: number, { copy }: Workplace): Promise<void> {
    if (this.#soundScenarios.has(scenario)) return;
    await bundleSimulation(copy);
    const only = { seed: this.#seed, from: scenario, to: scenario + 1, without: [] };
    const isBroken = (await runScenarios(copy, only)) !== null;
    (isBroken ? this.scenarios : this.#soundScenarios).add(scenario);
  }
}
