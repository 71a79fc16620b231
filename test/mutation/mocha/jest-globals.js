import { fileURLToPath, URL } from "node:url";
import { bind } from "jest-each";
import bdd from "mocha/lib/interfaces/bdd.js";

export { expect } from "expect";

/** Stryker names tests in a regular expression, and one with megabytes does not compile. */
const LONGEST_TITLE = 300;

const importer = fileURLToPath(new URL(import.meta.url).searchParams.get("importer"));
const { before, after, beforeEach, afterEach, ...defined } = importer.endsWith(".test.ts") ? ofFile() : globalThis;
const describe = withEach(defined.describe, false);
const it = withEach((title, test) => defined.it(title.slice(0, LONGEST_TITLE), test), true);
describe.skip = withEach(defined.describe.skip, false);

/** Hooks of a test file are for its tests alone. Mocha would run them for the tests of all files. */
function ofFile() {
  const functions = {};
  globalThis.describe("", function () {
    bdd(this);
    this.emit("pre-require", functions, importer, { options: {} });
  });
  return functions;
}

function withEach(define, takesDone) {
  return Object.assign((title, body) => define(title, body), { each: bind(define, takesDone) });
}

export { describe, it, beforeEach, afterEach };
export { it as test, before as beforeAll, after as afterAll };
