import { setFlagsFromString } from "node:v8";
import { systemClock } from "../clock.ts";
import { manifest } from "../generated/manifest.ts";
import { InterruptedError } from "./errors.ts";
import type { PluginModules } from "./modules.ts";
import { run } from "./run.ts";

/** Runs the plugin as this process: reads standard input, writes standard output, and ends the process. */
export async function main(modules: PluginModules): Promise<never> {
  const stop = new AbortController();
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.on(signal, () => {
      stop.abort(new InterruptedError(`The run was ended from outside (${signal}) before it was done.`));
    });
  }
  for (const event of ["uncaughtException", "unhandledRejection"] as const) {
    process.on(event, (error: unknown) => {
      stop.abort(error);
    });
  }
  process.on("beforeExit", () => {
    stop.abort(new Error("Nothing is left that the run could wait for."));
  });
  // V8 would let garbage grow to several times what is in use before it collects; the machine belongs to others too.
  setFlagsFromString("--heap-growing-percent=80");
  // Its space for new objects would grow to 48 MB, which is more than all the rest.
  setFlagsFromString("--semi-space-growth-factor=1");
  const { stdin, stdout, stderr } = process;
  const code = await run({
    stdin,
    stdout,
    stderr,
    clock: systemClock,
    random: Math.random,
    manifest,
    modules,
    stop: stop.signal,
  });
  // The result has left the process; connections that are kept alive must not hold it back.
  process.exit(code);
}
