import { Command, CommanderError } from "commander";
import project from "../../package.json" with { type: "json" };
import type { Cli, CommandModule } from "./command.ts";
import { ExitCode } from "./exit-codes.ts";
import { exitCodeOf, ReaderGoneError } from "./failures.ts";

interface Entry {
  readonly name: string;
  readonly summary: string;
  readonly load: () => Promise<CommandModule>;
}

/** The commands in the order of the help. Only the one that is called is loaded. */
export const commands: readonly Entry[] = [
  { name: "ping", summary: "check address and credentials", load: () => import("./commands/ping.ts") },
  { name: "object-id", summary: "find objects by name", load: () => import("./commands/object-id.ts") },
  { name: "path", summary: "find the shortest path between two objects", load: () => import("./commands/path.ts") },
  { name: "cuts", summary: "rank what to remove so that findings close", load: () => import("./commands/cuts.ts") },
  { name: "assets", summary: "describe objects", load: () => import("./commands/assets.ts") },
  { name: "environments", summary: "list the environments", load: () => import("./commands/environments.ts") },
  { name: "types", summary: "list the finding types", load: () => import("./commands/types.ts") },
  { name: "findings", summary: "list the findings", load: () => import("./commands/findings.ts") },
  { name: "explain", summary: "explain a kind of relationship", load: () => import("./commands/explain.ts") },
  {
    name: "document",
    summary: "show the texts about a finding type",
    load: () => import("./commands/document.ts"),
  },
  { name: "trend", summary: "show how a finding type develops", load: () => import("./commands/trend.ts") },
  { name: "meta-tree", summary: "draw the meta tree", load: () => import("./commands/meta-tree.ts") },
  { name: "saml", summary: "list and delete SAML providers", load: () => import("./commands/saml.ts") },
  { name: "sso", summary: "delete a single-sign-on provider", load: () => import("./commands/sso.ts") },
  { name: "task", summary: "show the task of the calling client", load: () => import("./commands/task.ts") },
  {
    name: "poll",
    summary: "write what is new as alerts, one JSON object per line",
    load: () => import("./commands/poll.ts"),
  },
  {
    name: "follow-up",
    summary: "find out what became of the findings in alerts",
    load: () => import("./commands/follow-up.ts"),
  },
  {
    name: "doctor",
    summary: "find out why the connector cannot run",
    load: () => import("./commands/doctor.ts"),
  },
  {
    name: "mcp",
    summary: "serve an AI assistant over standard input and output",
    load: () => import("./commands/mcp.ts"),
  },
  { name: "profile", summary: "keep credentials of tenants under names", load: () => import("./commands/profile.ts") },
  { name: "completion", summary: "complete commands in your shell", load: () => import("./commands/completion.ts") },
];

const EXAMPLES = `
Examples:
  $ attack-path-analysis ping --server https://tenant.example.com --token-id 00000000-0000-4000-8000-000000000000
  $ attack-path-analysis findings --profile tenant.json --severity critical --since 7d
  $ attack-path-analysis doctor --profile tenant.json`;

const EXIT_CODES = `
Exit codes:
  0    yes, or everything was found
  1    no, not found, or not confirmed
  2    the command line cannot be used
  3    credentials are missing, unsafe or rejected, or permission is missing
  4    the service or the way to it failed
  5    some of the result is missing
  70   a bug in this program
  130  stopped by Ctrl-C or SIGTERM`;

/** Runs one command. The process ends with the exit code that is returned. */
export async function main(args: readonly string[], cli: Cli): Promise<number> {
  const code = await codeOf(args, cli);
  // Otherwise, what was left out because of the signal looks like a fault.
  const isCut = cli.stop.aborted && (code === ExitCode.partial || code === ExitCode.no);
  return isCut ? ExitCode.interrupted : code;
}

async function codeOf(args: readonly string[], cli: Cli): Promise<ExitCode> {
  try {
    return await run(args, cli);
  } catch (error) {
    const code = exitCodeOf(error);
    if (!(error instanceof ReaderGoneError)) cli.output.error(textOf(error, code));
    return code;
  }
}

async function run(args: readonly string[], cli: Cli): Promise<ExitCode> {
  const help: string[] = [];
  const program = await programFor(args, cli, help);
  try {
    await program.parseAsync(args, { from: "user" });
    return cli.exitCode;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (help.length > 0) await cli.output.write(help.join(""));
    return error.exitCode === 0 ? ExitCode.yes : ExitCode.usage;
  }
}

function textOf(error: unknown, code: ExitCode): string {
  if (!(error instanceof Error)) return String(error);
  return code === ExitCode.bug ? (error.stack ?? error.message) : error.message;
}

async function programFor(args: readonly string[], cli: Cli, help: string[]): Promise<Command> {
  const program = new Command("attack-path-analysis")
    .description("Ask an Attack Path Analysis Service from the command line.")
    .version(project.version, "-V, --version", "show the version")
    .helpOption("-h, --help", "show this help")
    .addHelpText("after", `${EXAMPLES}\n${EXIT_CODES}`);
  const [first, second] = args.filter((arg) => !arg.startsWith("-"));
  const called = first === "help" ? second : first;
  for (const entry of commands) {
    program.addCommand(
      entry.name === called ? await build(entry, cli) : new Command(entry.name).summary(entry.summary),
    );
  }
  return configure(program, cli, help);
}

async function build(entry: Entry, cli: Cli): Promise<Command> {
  const others = commands.filter((other) => other !== entry);
  const module = await entry.load();
  return module.default(cli, () => Promise.all(others.map((other) => build(other, cli)))).summary(entry.summary);
}

/**
 * Help is data, what is wrong with the command line is for people, and nothing ends the process before the program does.
 *
 * @param help - gets the help and the version that commander would write; it cannot wait until they are written
 */
function configure(command: Command, cli: Cli, help: string[]): Command {
  for (const child of command.commands) configure(child, cli, help);
  return command
    .exitOverride()
    .showHelpAfterError("(--help explains the options)")
    .configureOutput({
      getOutHelpWidth: () => cli.output.width ?? 80,
      writeOut: (text) => {
        help.push(text);
      },
      writeErr: (text) => {
        cli.output.note(withoutValue(text.trimEnd()));
      },
    });
}

/** The value of an unknown option may be a token key. */
function withoutValue(text: string): string {
  const hint = ". There is no option for the token key. The command asks for it, or reads it from standard input";
  return text.replace(
    /unknown option '(--[\w-]*|-\w?).*'/s,
    (_, name: string) => `unknown option '${name}'${/^-k|key|secret|password/i.test(name) ? `${hint}.` : ""}`,
  );
}
