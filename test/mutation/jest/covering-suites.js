import { readFileSync, writeFileSync } from "node:fs";
import TestSequencer from "@jest/test-sequencer";

const NAMES = "test-names.json";

/**
 * Stryker names the tests that reach a change, and Jest would load every suite to find them. The run without a change leaves
 * the names of each suite in the copy of the sources, so that the others load only the suites that have such a test.
 */
export default class CoveringSuites extends TestSequencer {
  #pattern;

  constructor(options) {
    super(options);
    this.#pattern = options.globalConfig.testNamePattern;
  }

  sort(tests) {
    if (!this.#pattern) return tests;
    const pattern = new RegExp(this.#pattern, "i");
    const names = JSON.parse(readFileSync(NAMES, "utf8"));
    return tests
      .filter(({ path }) => names[path]?.some((name) => pattern.test(name)))
      .sort((a, b) => (a.duration ?? 0) - (b.duration ?? 0));
  }

  cacheResults(_tests, { testResults }) {
    if (this.#pattern) return;
    const names = testResults.map((suite) => [suite.testFilePath, suite.testResults.map(({ fullName }) => fullName)]);
    writeFileSync(NAMES, JSON.stringify(Object.fromEntries(names)));
  }
}
