import { systemClock } from "../clock.ts";
import { manifest } from "../generated/manifest.ts";
import { InterruptedError } from "./errors.ts";
import type { PluginModules } from "./modules.ts";
import { refuseDebugger } from "./no-debugger.ts";
import { run } from "./run.ts";
import { keepHeapSmall, keepHeapSmaller } from "./small-heap.ts";

/** Runs the plugin as this process: reads standard input, writes standard output, and ends the process. */
export async function main(modules: PluginModules): Promise<never> {
  const stop = new AbortController();
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.on(signal, () => {
      stop.abort(new InterruptedError(`The host stopped the run before it finished. (${signal})`));
    });
  }
  for (const event of ["uncaughtException", "unhandledRejection"] as const) {
    process.on(event, (error: unknown) => {
      stop.abort(error);
    });
  }
  process.on("beforeExit", () => {
    stop.abort(new Error("The run stopped without a result."));
  });
  keepHeapSmall();
  await refuseDebugger();
  const { stdin, stdout, stderr } = process;
  const code = await run({
    stdin,
    onLargeRequest: keepHeapSmaller,
    stdout,
    stderr,
    clock: systemClock,
    random: Math.random,
    manifest,
    modules,
    stop: stop.signal,
  });
  // The result is written. Open keep-alive connections must not delay the exit.
  process.exit(code);
}
