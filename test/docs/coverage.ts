/** Documented scripts of package.json that another file runs. The rest is run by `run.test.ts`. */
export const coveredBy: Readonly<Record<string, string>> = {
  build: "test/client/package.test.ts",
  conformance: "test/sandbox/conformance/conformance.test.ts",
  "deploy:google-secops": "test/deploy/command.test.ts",
  faults: "test/faults/matrix.test.ts",
  // The linters check what this command writes.
  format: ".ci/run",
  lint: ".ci/run",
  mutants: ".ci/run",
  package: "test/package/portable.test.ts",
  reference: "test/codegen/reference.test.ts",
  simulate: ".ci/run",
  start: "test/sandbox/soar/start.test.ts",
  test: ".ci/run",
  "test:lab": ".ci/run",
  "test:only": ".ci/run",
  "test:simulator": ".ci/run",
  "test:n8n": "test/n8n/command.ts",
  verify: "test/packaging/verify.test.ts",
};

/** The other documented scripts, with arguments that make them short. */
export const shortForms = {
  bench: ["--only", "ping", "--quick", "--no-baseline"],
  generate: [],
  mutation: ["src/runtime/severity.ts", "--jobs", "1"],
  tenant: ["--dataset", "uniform:1x1x1"],
  validate: [],
} as const satisfies Record<string, readonly string[]>;
