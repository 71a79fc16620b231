import { Command, CommanderError } from "commander";
import project from "../../package.json" with { type: "json" };
import type { Cli, CommandModule } from "./command.ts";
import { ExitCode } from "./exit-codes.ts";
import { exitCodeOf, OutputClosedError } from "./failures.ts";

interface Entry {
  readonly name: string;
  readonly summary: string;
  readonly load: () => Promise<CommandModule>;
}

/** The commands in the order of the help. Only the one that is called is loaded. */
export const commands: readonly Entry[] = [
  { name: "ping", summary: "check address and credentials", load: () => import("./commands/ping.ts") },
  {
    name: "poll",
    summary: "write what is new as alerts, one JSON object per line",
    load: () => import("./commands/poll.ts"),
  },
  {
    name: "doctor",
    summary: "find out why the connector cannot run",
    load: () => import("./commands/doctor.ts"),
  },
];

const EXIT_CODES = `
Exit codes:
  0    yes, or everything was found
  1    no, nothing found, or not confirmed
  2    the command line cannot be used
  3    credentials are missing, unsafe or rejected
  4    the service or the way to it failed
  5    some of the result is missing
  70   a bug in this program
  130  Ctrl-C`;

/** Runs one command. The process ends with the exit code that is returned. */
export async function main(args: readonly string[], cli: Cli): Promise<number> {
  try {
    const program = await programFor(args, cli);
    await program.parseAsync(args, { from: "user" });
    return cli.exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? ExitCode.yes : ExitCode.usage;
    const code = exitCodeOf(error);
    if (!(error instanceof OutputClosedError)) cli.output.error(textOf(error, code));
    return code;
  }
}

function textOf(error: unknown, code: ExitCode): string {
  if (!(error instanceof Error)) return String(error);
  return code === ExitCode.bug ? (error.stack ?? error.message) : error.message;
}

async function programFor(args: readonly string[], cli: Cli): Promise<Command> {
  const program = new Command("attack-path-analysis")
    .description("Ask an Attack Path Analysis Service from the command line.")
    .version(project.version, "-V, --version", "show the version")
    .helpOption("-h, --help", "show this help")
    .addHelpText("after", EXIT_CODES);
  const called = args[0] === "help" ? args[1] : args[0];
  for (const { name, summary, load } of commands) {
    const command = name === called ? (await load()).default(cli) : new Command(name);
    program.addCommand(command.summary(summary));
  }
  return configure(program, cli);
}

/** Help is data, what is wrong with the command line is for people, and nothing ends the process before the program does. */
function configure(command: Command, cli: Cli): Command {
  for (const child of command.commands) configure(child, cli);
  return command
    .exitOverride()
    .showHelpAfterError("(--help explains the options)")
    .configureOutput({
      writeOut: (text) => {
        cli.output.write(text).catch(() => undefined);
      },
      writeErr: (text) => {
        cli.output.note(text.trimEnd());
      },
    });
}
