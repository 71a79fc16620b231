import { resolve } from "node:path";
import { Command, CommanderError, InvalidArgumentError, Option } from "commander";
import { confirm, type Terminal } from "../terminal.ts";
import { readAccess } from "./access.ts";
import { fileTitle } from "./archive.ts";
import { readArtefacts } from "./artefacts.ts";
import { readBackup } from "./backup.ts";
import { deploy, type DeployOptions } from "./deploy.ts";
import { DeployError } from "./failures.ts";
import { deploySteps, restoreSteps } from "./plan.ts";
import { parseSteps, type Step, STEPS } from "./steps.ts";
import { parseTarget, type Target, targetName } from "./target.ts";

interface Options {
  dryRun: boolean;
  yes: boolean;
  only?: ReadonlySet<Step>;
  skip?: ReadonlySet<Step>;
  reinstall: boolean;
  grouping?: string;
  agent: boolean;
  package?: string;
  restore?: string;
  backups: string;
  out: string;
}

/** What the command is run with. */
export interface DeployCommandOptions {
  /** The project. */
  rootDir: string;
  /** Asks for the credentials, and whether to go on. */
  terminal: Terminal;
  /** CHRONICLE_ENDPOINT and GOOGLE_APPLICATION_CREDENTIALS. */
  env: NodeJS.ProcessEnv;
  /** Gets each line for standard output. */
  print: (line: string) => void;
  /** Gets each line for standard error. */
  printError: (line: string) => void;
}

/**
 * Runs the command that deploys to a platform.
 *
 * @returns the exit code: 1 when a step failed
 */
export async function deployCommand(args: readonly string[], options: DeployCommandOptions): Promise<number> {
  const command = commandLine(options);
  try {
    command.parse(args, { from: "user" });
    return (await run(command, options)) ? 0 : 1;
  } catch (error) {
    // It has written what is wrong, or the help.
    if (error instanceof CommanderError) return error.exitCode;
    if (!(error instanceof Error && "readable" in error)) throw error;
    options.printError(error.message);
    return 1;
  }
}

async function run(command: Command, deployment: DeployCommandOptions): Promise<boolean> {
  const { terminal, env, print, printError } = deployment;
  const options = command.opts<Options>();
  const { dryRun, yes, restore, backups } = options;
  const target = parseTarget(command.args[0] ?? "", env["CHRONICLE_ENDPOINT"]);
  const steps = await stepsFor(target, options, deployment);
  if (terminal.input.isTTY !== true && !yes && !dryRun) {
    throw new DeployError(
      "Standard input is not a terminal, so the command cannot ask for confirmation. Add --yes or --dry-run.",
    );
  }
  return deploy({
    target,
    access: await readAccess(target, terminal, env),
    steps,
    dryRun,
    closing:
      restore === undefined
        ? "Done. Add the instance and the connector on the platform: docs/google-secops.md."
        : "Done.",
    backups: resolve(backups),
    print,
    printError,
    confirm: async (question) => yes || confirm(terminal, question),
  });
}

async function stepsFor(
  target: Target,
  { only, skip, restore, reinstall, grouping, agent, package: packageFile, out }: Options,
  { rootDir }: DeployCommandOptions,
): Promise<DeployOptions["steps"]> {
  const steps = new Set(stepsOf({ only, skip, grouping, packageFile }));
  if (restore !== undefined) {
    const saved = await readBackup(resolve(restore));
    if (saved.platform !== targetName(target)) {
      throw new DeployError(`${fileTitle(resolve(restore))} was saved on ${saved.platform}. Enter that address.`);
    }
    return (api) => restoreSteps(api, saved, reinstall).filter(({ step }) => steps.has(step));
  }
  const artefacts = await readArtefacts({
    rootDir,
    outDir: resolve(out),
    agent,
    steps,
    ...(packageFile === undefined ? {} : { packageFile: resolve(packageFile) }),
  });
  return (api) => deploySteps(api, artefacts, { reinstall, grouping: grouping ?? null });
}

/** @throws DeployError when a step is left out that another option is about */
function stepsOf(given: {
  only: Options["only"];
  skip: Options["skip"];
  grouping: string | undefined;
  packageFile: string | undefined;
}): readonly Step[] {
  const { only, skip, grouping, packageFile } = given;
  const wanted = (step: Step): boolean => {
    if (only !== undefined || skip !== undefined) return only?.has(step) ?? !skip?.has(step);
    // Everything else in the project may be newer than another package.
    return packageFile === undefined || step === "package" || (step === "grouping" && grouping !== undefined);
  };
  for (const [option, value, step] of [
    ["--package", packageFile, "package"],
    ["--grouping", grouping, "grouping"],
  ] as const) {
    if (value !== undefined && !wanted(step))
      throw new DeployError(`${option} is about the step ${step}, which --only or --skip leaves out.`);
  }
  return STEPS.filter(wanted);
}

function stepList(text: string): ReadonlySet<Step> {
  const steps = parseSteps(text);
  if (steps === null) throw new InvalidArgumentError(`Enter a comma-separated list of ${STEPS.join(", ")}.`);
  return steps;
}

function commandLine({ rootDir, print, printError }: DeployCommandOptions): Command {
  return new Command("npm run deploy:google-secops --")
    .description(
      "Installs or updates the integration on a Google SecOps SOAR platform, with its visual family, alert grouping rule and playbook. Shows what differs and asks before it changes anything. The credentials are asked for, or read from standard input.",
    )
    .argument(
      "<address>",
      "Chronicle API: the instance, projects/<project>/locations/<location>/instances/<instance>. Legacy API: the root URL of the platform, such as https://example.siemplify-soar.com",
    )
    .option("--dry-run", "show what differs, and change nothing", false)
    .option("--yes", "do not ask before changing anything", false)
    .addOption(new Option("--only <steps>", `take only these steps: ${STEPS.join(",")}`).argParser(stepList))
    .addOption(
      new Option("--skip <steps>", "take all steps but these, comma-separated").argParser(stepList).conflicts("only"),
    )
    .addOption(
      new Option(
        "--grouping <rule>",
        "alert grouping rule that shall apply, in place of the one on the platform (default: keep that one, or create source-grouping-identifier)",
      ).choices(["source-grouping-identifier", "source-domain"]),
    )
    .addOption(
      new Option("--agent", "the package for remote agents, without Node.js").default(false).conflicts("package"),
    )
    .option("--package <file>", "deploy this package, and nothing else of the project unless --only or --skip says so")
    .option(
      "--reinstall",
      "import the package even when its contents are installed, or when those cannot be read",
      false,
    )
    .addOption(
      new Option("--restore <folder>", "put back what an earlier run has replaced and saved in this folder").conflicts([
        "agent",
        "package",
        "grouping",
      ]),
    )
    .option("--backups <folder>", "where the folders with what is replaced are put", resolve(rootDir, "backups"))
    .option("--out <folder>", "output folder of npm run package", resolve(rootDir, "dist"))
    .addHelpText(
      "after",
      `
Credentials:
  Chronicle API  The file that GOOGLE_APPLICATION_CREDENTIALS names; else an access token on standard input, such as
                 that of "gcloud auth print-access-token".
  Legacy API     An API key on standard input. Google ends this API on 31 March 2027 (documentation of 2026-11-23).

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
