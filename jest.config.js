/** @type {import("jest").Config} */
export default {
  testEnvironment: "node",
  roots: ["<rootDir>/test"],
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
  reporters: ["default", "<rootDir>/test/support/summary-reporter.js"],
  maxWorkers: "100%",
  testTimeout: 60_000,
};
