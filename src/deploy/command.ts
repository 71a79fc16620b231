import { Secret } from "../service/credentials.ts";
import { resolve } from "node:path";
import { Command, CommanderError, Option } from "commander";
import { confirm, readSecret, type Terminal } from "../terminal.ts";
import { readArtefacts } from "./artefacts.ts";
import { deploy, parseRoot } from "./deploy.ts";
import { DeployError } from "./failures.ts";

interface Options {
  dryRun: boolean;
  yes: boolean;
  reinstall: boolean;
  grouping?: string;
  agent: boolean;
  package?: string;
  out: string;
}

/** What the command is run with. */
export interface DeployCommandOptions {
  /** The project. */
  rootDir: string;
  /** Asks for the API key, and whether to go on. */
  terminal: Terminal;
  /** Gets each line for standard output. */
  print: (line: string) => void;
  /** Gets each line for standard error. */
  printError: (line: string) => void;
}

/**
 * Runs the command that deploys to a platform.
 *
 * @returns the exit code
 */
export async function deployCommand(args: readonly string[], options: DeployCommandOptions): Promise<number> {
  const command = commandLine(options);
  try {
    command.parse(args, { from: "user" });
    await run(command, options);
    return 0;
  } catch (error) {
    // It has written what is wrong, or the help.
    if (error instanceof CommanderError) return error.exitCode;
    if (!(error instanceof Error && "readable" in error)) throw error;
    options.printError(error.message);
    return 1;
  }
}

async function run(command: Command, { rootDir, terminal, print }: DeployCommandOptions): Promise<void> {
  const [root = ""] = command.args;
  const { dryRun, yes, reinstall, grouping, agent, package: packageFile, out } = command.opts<Options>();
  const address = parseRoot(root);
  const artefacts = await readArtefacts({
    rootDir,
    outDir: resolve(out),
    agent,
    ...(packageFile === undefined ? {} : { packageFile: resolve(packageFile) }),
  });
  if (terminal.input.isTTY !== true && !yes && !dryRun) {
    throw new DeployError("Standard input is not a terminal, so nobody can confirm. Add --yes or --dry-run.");
  }
  await deploy({
    address,
    key: await readKey(terminal),
    artefacts,
    dryRun,
    reinstall,
    grouping: grouping ?? null,
    print,
    confirm: async (question) => yes || confirm(terminal, question),
  });
}

function commandLine({ rootDir, print, printError }: DeployCommandOptions): Command {
  return new Command("npm run deploy:google-secops --")
    .description(
      "Installs or updates the integration on a Google SecOps SOAR platform, with its visual family, alert grouping rule and playbook. Shows what differs and asks before it changes anything. The API key is asked for, or read from standard input.",
    )
    .argument("<root>", "root URL of the platform, such as https://example.siemplify-soar.com")
    .option("--dry-run", "show what differs, and change nothing", false)
    .option("--yes", "do not ask before changing anything", false)
    .addOption(
      new Option(
        "--grouping <rule>",
        "alert grouping rule that shall apply, in place of the one on the platform (default: keep that one, or create source-grouping-identifier)",
      ).choices(["source-grouping-identifier", "source-domain"]),
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
  source-grouping-identifier  Alerts of one environment share a case by its id, without a time frame. Two domains
                              of the same name stay apart.
  source-domain               Alerts whose SourceDomain entities have the same name share a case, within the
                              platform's time frame (0.5 to 24 hours). Two domains of the same name share a case.
With both, the platform opens a new case when one has its maximum number of alerts (20 by default).`,
    )
    .exitOverride()
    .configureOutput({
      writeOut: (text) => {
        print(text.trimEnd());
      },
      writeErr: (text) => {
        printError(text.trimEnd());
      },
    });
}

/** Reads the platform's API key from the terminal. @throws DeployError when it cannot be one */
export async function readKey(terminal: Terminal): Promise<Secret> {
  const key = await readSecret(terminal, "API key (not shown): ");
  if (key === "") throw new DeployError("No API key was given. Create one in SOAR Settings > Advanced > API Keys.");
  if (!/^[\x21-\x7e]+$/.test(key)) {
    throw new DeployError("The API key contains spaces, line breaks or characters that no key has. Copy it again.");
  }
  return new Secret(key);
}
