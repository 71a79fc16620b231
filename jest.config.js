import { availableParallelism } from "node:os";

const lab = ["<rootDir>/test/bench", "<rootDir>/test/docs", "<rootDir>/test/sandbox"];
const simulator = ["<rootDir>/test/simulation"];

const common = {
  testEnvironment: "<rootDir>/test/support/jest/environment.js",
  runtime: "<rootDir>/test/support/jest/runtime.cjs",
  testMatch: ["**/*.test.ts"],
  extensionsToTreatAsEsm: [".ts"],
  transform: {
    "^.+\\.ts$": [
      "@swc/jest",
      {
        jsc: { parser: { syntax: "typescript" }, target: "es2022", experimental: { keepImportAttributes: true } },
        module: { type: "es6" },
      },
    ],
  },
};

/** @type {import("jest").Config} */
export default {
  projects: [
    {
      ...common,
      displayName: "plugin",
      roots: ["<rootDir>/test"],
      testPathIgnorePatterns: [...lab, ...simulator].map((path) => `${path}/`),
    },
    { ...common, displayName: "lab", roots: lab },
    { ...common, displayName: "simulator", roots: simulator },
  ],
  testSequencer: "<rootDir>/test/support/jest/sequencer.js",
  reporters: ["default", "<rootDir>/test/support/jest/summary-reporter.js"],
  // A third of the time, tests wait for processes and connections: so many workers keep all processors busy.
  maxWorkers: Math.ceil(1.5 * availableParallelism()),
  testTimeout: 120_000,
};
