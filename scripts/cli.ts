import { homedir, userInfo } from "node:os";
import { isAbsolute, join } from "node:path";
import { main } from "../src/cli/main.ts";
import { Output } from "../src/cli/output/output.ts";
import { promptOutput } from "../src/cli/output/prompt-output.ts";
import { isBlocked, writingAll } from "../src/cli/output/standard-output.ts";
import { stopSignal } from "../src/cli/stop-signal.ts";
import { systemClock } from "../src/clock.ts";
import { refuseDebugger } from "../src/runtime/no-debugger.ts";
import { keepHeapSmall } from "../src/runtime/small-heap.ts";

keepHeapSmall();
await refuseDebugger();
const stop = stopSignal(process);
const stdout = writingAll(process.stdout);

/** XDG Base Directory Specification: a variable that is empty or relative counts as not set. */
function configFolder(): string {
  const configured = process.env["XDG_CONFIG_HOME"] ?? "";
  return isAbsolute(configured) ? configured : join(home(), ".config");
}

/**
 * In containers, a user may have neither HOME nor an entry in the password file. A HOME that is empty or relative counts as not set, because
 * a profile would otherwise be written into whatever folder the command is started in.
 */
function home(): string {
  try {
    return isAbsolute(homedir()) ? homedir() : userInfo().homedir;
  } catch {
    return "/";
  }
}

process.exitCode = await main(process.argv.slice(2), {
  terminal: { input: process.stdin, output: promptOutput(process), stop },
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
  defaultProfile: join(configFolder(), "attack-path-analysis", "profile.json"),
  exitCode: 0,
});

if (isBlocked(stdout)) process.exit();
