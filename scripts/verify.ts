import { resolve } from "node:path";
import { Command } from "commander";
import { generate } from "../src/codegen/index.ts";
import { verifiableTargets } from "../src/packaging/targets.ts";
import { verifyPackages } from "../src/packaging/verify.ts";
import { isReadable } from "../src/runtime/errors.ts";
import { printable } from "../src/runtime/printable.ts";

const rootDir = resolve(import.meta.dirname, "..");
const command = new Command("npm run verify --")
  .description(
    "Builds packages again from these sources, and names each file that differs. Ends with 0 when all bytes are the same, with 1 when some differ, and with 2 when a package cannot be compared.",
  )
  .argument("<packages...>", "packages that npm run package has written");
command.parse();

try {
  await generate(rootDir);
  for (const { path, sha256, identical, differences } of await verifyPackages({
    rootDir,
    targets: verifiableTargets,
    paths: command.args,
  })) {
    console.log(`${path}: ${identical ? "identical" : "different"} (SHA-256 ${sha256})`);
    for (const difference of differences) console.log(`  ${printable(difference)}`);
    if (!identical) process.exitCode = 1;
  }
} catch (error) {
  if (!isReadable(error)) throw error;
  console.error(error.message);
  process.exitCode = 2;
}
