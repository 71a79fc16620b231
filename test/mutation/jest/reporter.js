/**
 * Jest reporter for programs: one JSON line for each test case and each file. It ends the process with the first failure
 * that is not known, because one is enough to notice a bug.
 */
export default class Reporter {
  #known = new Set(JSON.parse(process.env["KNOWN_FAILURES"] ?? "null") ?? []);
  #goesOn = process.env["KNOWN_FAILURES"] === undefined;

  onTestCaseResult({ path }, { status, fullName }) {
    this.#say({ type: "case", path, name: fullName, failed: status === "failed" });
  }

  onTestResult({ path }, { testExecError }) {
    if (testExecError != null) this.#say({ type: "case", path, name: "the file can be loaded", failed: true });
    this.#say({ type: "file", path });
  }

  #say(line) {
    process.stdout.write(`${JSON.stringify(line)}\n`);
    if (line.failed === true && !this.#goesOn && !this.#known.has(line.name)) process.exit(1);
  }
}
