import { resolve } from "node:path";
import { Command } from "commander";
import { generate } from "../src/codegen/index.ts";
import { googleSecops, googleSecopsAgent } from "../src/packaging/google-secops/index.ts";
import { n8n } from "../src/packaging/n8n/index.ts";
import { npm } from "../src/packaging/npm.ts";
import { portable } from "../src/packaging/portable.ts";
import { verifyPackages } from "../src/packaging/verify.ts";
import { isReadable } from "../src/runtime/errors.ts";
import { printable } from "../src/runtime/printable.ts";

const rootDir = resolve(import.meta.dirname, "..");
const targets = [portable, npm, googleSecops, googleSecopsAgent, n8n];
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
    targets,
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
