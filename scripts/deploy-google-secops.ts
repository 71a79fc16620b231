import { resolve } from "node:path";
import { Command } from "commander";
import { readArtefacts } from "../src/deploy/artefacts.ts";
import { deploy, parseRoot } from "../src/deploy/deploy.ts";
import { DeployError } from "../src/deploy/failures.ts";
import { confirm, readKey } from "../src/deploy/terminal.ts";

interface Options {
  dryRun: boolean;
  yes: boolean;
  reinstall: boolean;
  package?: string;
  out: string;
}

const rootDir = resolve(import.meta.dirname, "..");
const command = new Command("npm run deploy:google-secops --")
  .description(
    "Brings the package, the alert grouping rule and the playbook to a Google SecOps SOAR platform. Shows what will change and asks first. The API key is asked for, or read from standard input.",
  )
  .argument("<root>", "root URL of the platform, such as https://example.siemplify-soar.com")
  .option("--dry-run", "show what would change, and end", false)
  .option("--yes", "do not ask before changing anything", false)
  .option("--reinstall", "import the package even when its version is installed", false)
  .option("--package <file>", "another package than the one in the output folder")
  .option("--out <folder>", "output folder of npm run package", resolve(rootDir, "dist"))
  .parse();
const [root = ""] = command.args;
const { dryRun, yes, reinstall, package: packageFile, out } = command.opts<Options>();
const terminal = { input: process.stdin, output: process.stderr };

try {
  const address = parseRoot(root);
  const places = { rootDir, outDir: resolve(out), ...(packageFile ? { packageFile: resolve(packageFile) } : {}) };
  const artefacts = await readArtefacts(places);
  if (!process.stdin.isTTY && !yes && !dryRun) {
    throw new DeployError("Standard input is no terminal, so nobody can be asked to confirm: add --yes or --dry-run.");
  }
  await deploy({
    address,
    key: await readKey(terminal),
    artefacts,
    dryRun,
    reinstall,
    print: console.log,
    confirm: async (question) => yes || confirm(terminal, question),
  });
} catch (error) {
  if (!(error instanceof Error && "readable" in error)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
