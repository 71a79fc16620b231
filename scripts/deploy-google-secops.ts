import { resolve } from "node:path";
import { deployCommand } from "../src/deploy/command.ts";
import { refuseDebugger } from "../src/runtime/no-debugger.ts";

await refuseDebugger();
process.exitCode = await deployCommand(process.argv.slice(2), {
  rootDir: resolve(import.meta.dirname, ".."),
  terminal: { input: process.stdin, output: process.stderr },
  env: process.env,
  print: console.log,
  printError: console.error,
});
// A request for a token that was given up may stay open.
setTimeout(() => process.exit(), 2_000).unref();
