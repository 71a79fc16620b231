import { homedir } from "node:os";
import { join } from "node:path";
import { main } from "../src/cli/main.ts";
import { Output } from "../src/cli/output/output.ts";
import { isBlocked, writingAll } from "../src/cli/output/standard-output.ts";
import { stopSignal } from "../src/cli/stop-signal.ts";
import { systemClock } from "../src/clock.ts";
import { refuseDebugger } from "../src/runtime/no-debugger.ts";
import { keepHeapSmall } from "../src/runtime/small-heap.ts";

keepHeapSmall();
await refuseDebugger();
const stop = stopSignal(process);
const stdout = writingAll(process.stdout);
const configFolder = process.env["XDG_CONFIG_HOME"] ?? join(homedir(), ".config");

process.exitCode = await main(process.argv.slice(2), {
  terminal: { input: process.stdin, output: process.stderr, stop },
  output: new Output({
    stdout,
    stderr: process.stderr,
    colours: (process.env["NO_COLOR"] ?? "") === "",
    clock: systemClock,
    stop,
  }),
  clock: systemClock,
  random: Math.random,
  stop,
  defaultProfile: join(configFolder, "attack-path-analysis", "profile.json"),
  exitCode: 0,
});

if (isBlocked(stdout)) process.exit();
