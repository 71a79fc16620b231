import { resolve } from "node:path";
import { Command, Option } from "commander";
import { readArtefacts } from "../src/deploy/artefacts.ts";
import { deploy, parseRoot } from "../src/deploy/deploy.ts";
import { DeployError } from "../src/deploy/failures.ts";
import { readKey } from "../src/deploy/terminal.ts";
import { refuseDebugger } from "../src/runtime/no-debugger.ts";
import { confirm } from "../src/terminal.ts";

interface Options {
  dryRun: boolean;
  yes: boolean;
  reinstall: boolean;
  grouping?: string;
  agent: boolean;
  package?: string;
  out: string;
}

const rootDir = resolve(import.meta.dirname, "..");
const command = new Command("npm run deploy:google-secops --")
  .description(
    "Installs or updates the integration on a Google SecOps SOAR platform, with its visual family, alert grouping rule and playbook. Shows what differs and asks before it changes anything. The API key is asked for, or read from standard input.",
  )
  .argument("<root>", "root URL of the platform, such as https://example.siemplify-soar.com")
  .option("--dry-run", "show what differs, and change nothing", false)
  .option("--yes", "do not ask before changing anything", false)
  .addOption(
    new Option(
      "--grouping <rule>",
      "alert grouping rule that shall apply, in place of the one on the platform (default: keep that one, or create source-domain)",
    ).choices(["source-domain", "source-grouping-identifier"]),
  )
  .addOption(
    new Option("--agent", "the package for remote agents, without Node.js").default(false).conflicts("package"),
  )
  .option("--package <file>", "another package than those in the output folder")
  .option("--reinstall", "import the package even when its contents are installed", false)
  .option("--out <folder>", "output folder of npm run package", resolve(rootDir, "dist"))
  .addHelpText(
    "after",
    `
Only one grouping rule applies to the alerts of the integration:
  source-domain               Alerts whose SourceDomain entities have the same name share a case, within the
                              platform's time frame (0.5 to 24 hours). Two domains of the same name share a case.
  source-grouping-identifier  Alerts of one environment share a case by its id, without a time frame. Two domains
                              of the same name stay apart.
With both, the platform opens a new case when one has its maximum number of alerts (30 by default).`,
  )
  .parse();
const [root = ""] = command.args;
const { dryRun, yes, reinstall, grouping, agent, package: packageFile, out } = command.opts<Options>();
const terminal = { input: process.stdin, output: process.stderr };

await refuseDebugger();
try {
  const address = parseRoot(root);
  const artefacts = await readArtefacts({
    rootDir,
    outDir: resolve(out),
    agent,
    ...(packageFile === undefined ? {} : { packageFile: resolve(packageFile) }),
  });
  if (!process.stdin.isTTY && !yes && !dryRun) {
    throw new DeployError("Standard input is not a terminal, so nobody can confirm. Add --yes or --dry-run.");
  }
  await deploy({
    address,
    key: await readKey(terminal),
    artefacts,
    dryRun,
    reinstall,
    grouping: grouping ?? null,
    print: console.log,
    confirm: async (question) => yes || confirm(terminal, question),
  });
} catch (error) {
  if (!(error instanceof Error && "readable" in error)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
