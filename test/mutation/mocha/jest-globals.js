import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath, URL } from "node:url";
import { expect } from "expect";
import { bind } from "jest-each";
import { SnapshotState, toMatchSnapshot } from "jest-snapshot";
import bdd from "mocha/lib/interfaces/bdd.js";

/** Stryker names tests in a regular expression, and one with megabytes does not compile. */
const LONGEST_TITLE = 300;

const importer = fileURLToPath(new URL(import.meta.url).searchParams.get("importer"));
const { before, after, beforeEach, afterEach, ...defined } = importer.endsWith(".test.ts") ? ofFile() : globalThis;
const describe = withEach(defined.describe, false);
const it = withEach((title, test) => defined.it(title.slice(0, LONGEST_TITLE), test), true);
describe.skip = withEach(defined.describe.skip, false);

expect.extend({
  toMatchSnapshot(...args) {
    // Jest collects what differs until the test is over. Mocha knows of nothing but errors.
    return toMatchSnapshot.call({ ...this, dontThrow: undefined }, ...args);
  },
});

/** Hooks of a test file are for its tests alone. Mocha would run them for the tests of all files. */
function ofFile() {
  const functions = {};
  globalThis.describe("", function () {
    bdd(this);
    this.emit("pre-require", functions, importer, { options: {} });
    const snapshots = join(dirname(importer), "__snapshots__", `${basename(importer)}.snap`);
    if (existsSync(snapshots)) functions.beforeEach(useSnapshots(snapshots));
  });
  return functions;
}

/** The same test runs many times in one process, each time from its first snapshot on. */
function useSnapshots(path) {
  const snapshotFormat = { escapeString: false, printBasicPrototype: false };
  return function () {
    const snapshotState = new SnapshotState(path, { updateSnapshot: "none", snapshotFormat });
    expect.setState({ snapshotState, currentTestName: this.currentTest.fullTitle().trim() });
  };
}

/** What runs before all tests counts for each of them. Stryker would assign it to the last test before. */
function beforeAll(body) {
  let covered = {};
  before(async function () {
    const stryker = globalThis.__stryker__ ?? {};
    stryker.currentTestId = "before all";
    await body.call(this);
    covered = stryker.mutantCoverage?.perTest["before all"] ?? {};
    delete stryker.mutantCoverage?.perTest["before all"];
  });
  beforeEach(() => {
    const { currentTestId, mutantCoverage } = globalThis.__stryker__ ?? {};
    if (mutantCoverage === undefined) return;
    mutantCoverage.perTest[currentTestId] = { ...covered, ...mutantCoverage.perTest[currentTestId] };
  });
}

function withEach(define, takesDone) {
  return Object.assign((title, body) => define(title, body), { each: bind(define, takesDone) });
}

export { describe, expect, it, beforeEach, afterEach };
export { it as test, beforeAll, after as afterAll };
