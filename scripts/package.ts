import { relative, resolve } from "node:path";
import { Command, Option } from "commander";
import { ManifestError } from "../src/manifest/problems.ts";
import { buildPackages } from "../src/packaging/build.ts";
import { generate } from "../src/codegen/index.ts";
import { targets } from "../src/packaging/index.ts";

interface Options extends Record<string, unknown> {
  target: string[];
  out: string;
}

const rootDir = resolve(import.meta.dirname, "..");
const names = targets.map(({ name }) => name);
const command = new Command("npm run package --")
  .description("Builds the packages into dist/ and prints the size and SHA-256 of each.")
  .addOption(new Option("--target <name...>", "packages to build").choices(names).default(names, "all"))
  .option("--out <folder>", "where the packages go", resolve(rootDir, "dist"));
for (const { flags, description } of targets.flatMap((target) => target.options)) command.option(flags, description);
const { target, out, ...options } = command.parse().opts<Options>();

try {
  await generate(rootDir);
  const artefacts = await buildPackages({
    rootDir,
    outDir: resolve(out),
    targets: targets.filter(({ name }) => target.includes(name)),
    options: options as Record<string, string | boolean | undefined>,
  });
  for (const { path, bytes, sha256 } of artefacts) {
    console.log(`${sha256}  ${bytes.toLocaleString("en").padStart(12)} bytes  ${relative(process.cwd(), path)}`);
  }
} catch (error) {
  if (!(error instanceof ManifestError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
