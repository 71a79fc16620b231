import { resolve } from "node:path";
import { Command } from "commander";
import { generate } from "../src/codegen/index.ts";
import { buildNpmFiles } from "../src/packaging/npm.ts";

const rootDir = resolve(import.meta.dirname, "..");
const command = new Command("npm run build --")
  .description("Builds the command line and the library, which the npm package holds.")
  .option("--out <folder>", "where they go", resolve(rootDir, "dist/npm"));
const { out } = command.parse().opts<{ out: string }>();

await generate(rootDir);
await buildNpmFiles(rootDir, resolve(out));
