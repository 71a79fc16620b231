/** Documented scripts of package.json that another file runs. The rest is run by `run.test.ts`. */
export const coveredBy: Readonly<Record<string, string>> = {
  build: "test/client/package.test.ts",
  conformance: "test/sandbox/conformance/conformance.test.ts",
  "deploy:google-secops": "test/deploy/command.test.ts",
  faults: "test/faults/matrix.test.ts",
  // The linters check what this command writes.
  format: ".ci/run",
  lint: ".ci/run",
  package: "test/package/portable.test.ts",
  reference: "test/codegen/reference.test.ts",
  start: "test/sandbox/soar/start.test.ts",
  test: ".ci/run",
  "test:lab": ".ci/run",
  "test:only": ".ci/run",
  "test:n8n": "test/n8n/command.ts",
  verify: "test/packaging/verify.test.ts",
};

/** The other documented scripts, with arguments that make them short. */
export const shortForms = {
  bench: ["--only", "ping", "--quick", "--no-baseline"],
  generate: [],
  // The second scenario notices this bug.
  mutants: ["--only", "an alert id depends on the time of the run", "--quick", "--scenarios", "10", "--jobs", "1"],
  mutation: ["src/runtime/severity.ts", "--jobs", "1"],
  simulate: ["--runs", "2", "--seed", "1"],
  tenant: ["--dataset", "uniform:1x1x1"],
  validate: [],
} as const satisfies Record<string, readonly string[]>;
