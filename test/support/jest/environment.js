import { Script } from "node:vm";
import { TestEnvironment } from "jest-environment-node";

/** What the language and Node.js provide and no test replaces; timers, dates and the console are not among it. */
const names = [
  ...[
    "Object",
    "Array",
    "Number",
    "String",
    "Symbol",
    "BigInt",
    "RegExp",
    "JSON",
    "Math",
    "Reflect",
    "Proxy",
    "Promise",
  ],
  ...["Map", "Set", "WeakMap", "WeakSet", "ArrayBuffer", "Uint8Array", "DataView", "Buffer"],
  ...["Error", "TypeError", "RangeError", "SyntaxError", "parseInt", "parseFloat", "isNaN", "isFinite"],
  ...["URL", "URLSearchParams", "TextDecoder", "TextEncoder", "encodeURIComponent", "decodeURIComponent"],
  ...["AbortController", "AbortSignal", "Event", "EventTarget", "structuredClone", "process"],
];
const constants = new Script(`const ${names.map((name) => `${name} = globalThis.${name}`).join(", ")};`);

/** By the project whose suites share it. */
const environments = new Map();

/**
 * One environment for all suites that a worker runs, with the modules that `runtime.cjs` keeps. With an environment for each
 * suite, the sources were loaded and optimized anew each time, which took a quarter of the processor time of all tests. What
 * a suite leaves behind in global names and environment variables is gone in the next one. In watch mode, each suite has an
 * environment of its own, because a kept module would not show a change.
 */
export default class SharedEnvironment extends TestEnvironment {
  #isShared;
  #globals;
  #exit;

  constructor(config, context) {
    const { globalConfig, projectConfig } = config;
    const shared = environments.get(projectConfig.id);
    if (shared !== undefined) return shared.#again();
    super(config, context);
    this.#isShared = !globalConfig.watch && !globalConfig.watchAll;
    if (this.#isShared) environments.set(projectConfig.id, this);
    this.#prepare();
  }

  #prepare() {
    const { process } = this.global;
    this.#exit = process.exit;
    // Node.js computes this list once. Under Jest, each read would compute it anew, and the HTTP client reads it for every request.
    const { allowedNodeEnvironmentFlags } = process;
    Object.defineProperty(process, "allowedNodeEnvironmentFlags", { value: allowedNodeEnvironmentFlags });
    // Jest looks up each global name through a proxy, every time that code uses it: a sixth of the processor time of the tests.
    // Constants are found before the proxy is asked.
    constants.runInContext(this.context);
    this.#globals = Object.getOwnPropertyDescriptors(this.global);
  }

  #again() {
    this.#restoreGlobals();
    const { process: own } = this.global;
    for (const name of Object.keys(own.env)) if (!(name in process.env)) delete own.env[name];
    Object.assign(own.env, process.env);
    // Jest wraps this for each suite.
    own.exit = this.#exit;
    return this;
  }

  #restoreGlobals() {
    for (const key of Reflect.ownKeys(this.global)) {
      const first = this.#globals[key];
      if (first === undefined) Reflect.deleteProperty(this.global, key);
      else if (first.configurable) Object.defineProperty(this.global, key, first);
    }
  }

  async teardown() {
    if (!this.#isShared) await super.teardown();
  }
}
