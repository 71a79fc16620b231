const { join, sep } = require("node:path");
const { pathToFileURL } = require("node:url");
const { default: JestRuntime } = require("jest-runtime");

/**
 * Where Jest keeps the test that runs, to know whose error it is that nobody caught. A real `AsyncLocalStorage` would follow
 * every promise, for tests that run at the same time; here, one runs after the other.
 */
class RunningTest {
  #test;

  getStore() {
    return this.#test;
  }

  async run(test, action) {
    const outer = this.#test;
    this.#test = test;
    try {
      return await action();
    } finally {
      this.#test = outer;
    }
  }
}

/**
 * Keeps the modules of a worker as long as it has the same environment, except those of the tests: the sources, the simulated
 * tenant and packages stay. They hold no state, so that a suite finds what it would find alone.
 */
class Runtime extends JestRuntime {
  #tests;

  constructor(config, environment, ...rest) {
    if (environment.runtime !== undefined) return environment.runtime;
    super(config, environment, ...rest);
    this.#tests = pathToFileURL(join(config.rootDir, "test") + sep).href;
    environment.runtime = this;
  }

  requireInternalModule(from, to) {
    return to === "node:async_hooks" ? { AsyncLocalStorage: RunningTest } : super.requireInternalModule(from, to);
  }

  teardown() {
    const { registries, jestGlobals, testMainModule, testState } = this;
    // What the next suite imports while it is loaded is not between two tests.
    testState.state = "loading";
    const modules = registries.getActiveEsmRegistry();
    for (const key of modules.keys())
      if (key.startsWith(this.#tests) || key.startsWith("@jest/globals")) modules.delete(key);
    // What describes and runs the tests of a suite keeps them.
    const internal = registries.getInternalCjsRegistry();
    for (const key of internal.keys()) if (key.includes("jest-circus")) internal.delete(key);
    this.restoreAllMocks();
    jestGlobals.clearJestObjectCache();
    testMainModule.reset();
  }
}

module.exports = { __esModule: true, default: Runtime };
