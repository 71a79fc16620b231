import { Command } from "commander";
import { checkHost } from "./index.ts";

/** As shells count Ctrl-C: 128 and the number of SIGINT. */
const INTERRUPTED = 130;

const program = new Command("npm run conformance --")
  .description(
    'Checks a host of the plugin against the host contract (docs/host-contract.md). The command starts your host once for each run, with two more arguments: the path of a scripted plugin.mjs, and a folder for what the host keeps. It reads what to run from standard input, runs it, and writes {"status", "alerts"} as its last line.',
  )
  .argument("<command...>", "program and arguments that start your host")
  .passThroughOptions()
  .parse();

// npm and tsx may each pass on a signal that reached this process already.
const interruption = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => {
    interruption.abort();
  });
}

let failed = 0;
for await (const { check, problems } of checkHost(program.args, { signal: interruption.signal })) {
  failed += problems.length === 0 ? 0 : 1;
  console.log(`${problems.length === 0 ? "✓" : "✗"} ${check}`);
  for (const problem of problems) console.log(`    ${problem}`);
}
if (interruption.signal.aborted) process.exitCode = INTERRUPTED;
else process.exitCode = failed === 0 ? 0 : 1;
