/**
 * Jest reporter that closes the output with one line for programs: `120 passed, 0 failed`. A suite that could not run at
 * all counts as one failed.
 */
export default class SummaryReporter {
  onRunComplete(_contexts, results) {
    const { numPassedTests, numFailedTests, numRuntimeErrorTestSuites, numPendingTests } = results;
    const skipped = numPendingTests > 0 ? `, ${numPendingTests} skipped` : "";
    const line = `${numPassedTests} passed, ${numFailedTests + numRuntimeErrorTestSuites} failed${skipped}`;
    // Jest writes its own summary after the reporters of a project.
    process.once("exit", () => {
      console.log(line);
    });
  }
}
