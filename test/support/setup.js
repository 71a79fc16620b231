import { AsyncLocalStorage } from "node:async_hooks";

// Node.js computes this list once. Under Jest, each read would compute it anew, and the HTTP client reads it for every request.
const { allowedNodeEnvironmentFlags } = process;
Object.defineProperty(process, "allowedNodeEnvironmentFlags", { value: allowedNodeEnvironmentFlags });

// Each suite has a storage in which Jest keeps the test that runs, and which it never disables. Node.js 20 would hand the storages
// of all suites that the worker has run to every new promise: after a hundred suites, that takes a hundred times as long.
const { prototype } = AsyncLocalStorage;
prototype.disableThoseOfLastSuite?.();
const { run } = prototype;
const storages = new Set();
prototype.run = function (...call) {
  storages.add(this);
  return run.apply(this, call);
};
prototype.disableThoseOfLastSuite = () => {
  for (const storage of storages) storage.disable();
  prototype.run = run;
};
