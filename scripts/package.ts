import { relative, resolve, sep } from "node:path";
import { Command, Option } from "commander";
import { buildPackages } from "../src/packaging/build.ts";
import { targets } from "../src/packaging/targets.ts";
import { generate } from "../src/codegen/index.ts";
import { isReadable } from "../src/runtime/errors.ts";

interface Options {
  target: string[];
  out: string;
}

const rootDir = resolve(import.meta.dirname, "..");
const names = targets.map(({ name }) => name);
const command = new Command("npm run package --")
  .description("Builds the packages into dist/ and prints the size and SHA-256 of each.")
  .addOption(new Option("--target <name...>", "packages to build").choices(names).default(names, "all"))
  .option("--out <folder>", "where the packages go", resolve(rootDir, "dist"));
const { target, out } = command.parse().opts<Options>();

try {
  await generate(rootDir);
  const artefacts = await buildPackages({
    rootDir,
    outDir: resolve(out),
    targets: targets.filter(({ name }) => target.includes(name)),
  });
  for (const { path, bytes, sha256 } of artefacts) {
    console.log(
      `${sha256}  ${bytes.toLocaleString("en").padStart(12)} bytes  ${relative(process.cwd(), path)}${path.endsWith(sep) ? sep : ""}`,
    );
  }
} catch (error) {
  if (!isReadable(error)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
