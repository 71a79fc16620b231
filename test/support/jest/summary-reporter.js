import { relative } from "node:path";

/**
 * Jest reporter that closes the output with what was skipped and why, and with one line for programs:
 * `120 passed, 0 failed`. A suite that could not run at all counts as one failed.
 */
export default class SummaryReporter {
  #rootDir;

  constructor({ rootDir }) {
    this.#rootDir = rootDir;
  }

  onRunComplete(_contexts, results) {
    const { numPassedTests, numFailedTests, numRuntimeErrorTestSuites, numPendingTests } = results;
    const skipped = numPendingTests > 0 ? `, ${numPendingTests} skipped` : "";
    const counts = `${numPassedTests} passed, ${numFailedTests + numRuntimeErrorTestSuites} failed${skipped}`;
    const lines = [...this.#skipped(results.testResults), counts];
    // Jest writes its own summary after the reporters of a project.
    process.once("exit", () => {
      console.log(lines.join("\n"));
    });
  }

  /** One line for each test file and reason; the reason stands in the title of what was skipped. */
  #skipped(suites) {
    const counts = new Map();
    for (const { testFilePath, testResults } of suites) {
      for (const { status, fullName } of testResults) {
        if (status !== "pending") continue;
        const reason = /\[skipped: ([^\]]*)\]/.exec(fullName)?.[1] ?? "no reason given";
        const line = `${relative(this.#rootDir, testFilePath)}: ${reason}`;
        counts.set(line, (counts.get(line) ?? 0) + 1);
      }
    }
    return [...counts].map(([line, count]) => `Skipped ${count} in ${line}`);
  }
}
