import { Command, InvalidArgumentError, Option } from "commander";
import type { Clock } from "../clock.ts";
import { FINDING_FORMATS, type FindingFormat } from "../output/formats.ts";
import type { Terminal } from "../terminal.ts";
import type { ExitCode } from "./exit-codes.ts";
import type { Output } from "./output/output.ts";

/** What the program gives to its commands. */
export interface Cli {
  /** For prompts. */
  readonly terminal: Terminal;
  readonly output: Output;
  readonly clock: Clock;
  readonly random: () => number;
  /** Aborts on Ctrl-C and SIGTERM. */
  readonly stop: AbortSignal;
  /** The profile that is used when the command line names no server and none is in use; it need not exist. */
  readonly defaultProfile: string;
  /** What the command reports to the program when it ends without an error. */
  exitCode: ExitCode;
}

/** A file of a command: declares it when somebody calls it or wants to read its help. Its body lies in `handlers`. */
export interface CommandModule {
  /** @param others - makes all other commands */
  default: (cli: Cli, others: () => Promise<readonly Command[]>) => Command;
}

/** The body of a command: does what the command line says. */
export type Handler = (cli: Cli, command: Command) => Promise<ExitCode>;

/** The options of every command that asks the service. */
export interface ConnectionOptions {
  readonly server?: string;
  readonly tokenId?: string;
  readonly bearer?: true;
  readonly profile?: string;
  /** Seconds; Infinity for no limit. */
  readonly wait: number;
  readonly verbose?: true;
}

/** A command with its help: what it does, and examples behind the program's name. */
export function describeCommand(name: string, description: string, examples: readonly string[]): Command {
  const lines = examples.map((example) => `  $ attack-path-analysis ${example}`);
  return new Command(name)
    .description(description)
    .addHelpText("after", `\nExamples:\n${lines.join("\n")}`)
    .helpOption("-h, --help", "show this help");
}

/** Adds the options that say which tenant to ask, and as whom. */
export function withAddressOptions(command: Command): Command {
  return command
    .optionsGroup("Connection:")
    .option("--server <address>", "address of the tenant")
    .option("--token-id <id>", "ID of the API token; its key is asked for, or read from standard input")
    .addOption(
      new Option("--bearer", "ask for a bearer token, or read it from standard input").conflicts([
        "tokenId",
        "profile",
      ]),
    );
}

/** Adds the options that say which service to ask, as whom, and how. */
export function withConnectionOptions(command: Command): Command {
  return withAddressOptions(command)
    .addOption(
      new Option(
        "--profile <name>",
        "read address and credentials from the profile with this name, or from this file, which nobody else can read",
      ).conflicts(["server", "tokenId"]),
    )
    .option("--wait <seconds>", "how long the service may work on one request; -1 for no limit", wait, 30)
    .option("--verbose", "log requests and the beginning of responses to standard error, without credentials");
}

/** What a line of `poll` and `follow-up` may be: what the host contract says, or what a format makes of each finding. */
export type LineFormat = "ndjson" | FindingFormat;

/** @param line - what a line is without the option */
export function lineFormatOption(line: string): Option {
  const others = Object.entries(FINDING_FORMATS).map(([name, format]) => `${format.line} for each finding (${name})`);
  return new Option("--format <form>", `what a line is: ${[`${line} (ndjson)`, ...others].join(", or ")}`)
    .choices(["ndjson", ...Object.keys(FINDING_FORMATS)])
    .default("ndjson");
}

/**
 * Adds the options that choose the form of a list.
 *
 * @param others - forms that only this list has
 */
export function withFormat(command: Command, others: readonly string[] = []): Command {
  const format = new Option("--format <form>", "how to write the list")
    .choices(["table", "ndjson", "csv", ...others])
    .default("table");
  return withJson(command.addOption(format), "ndjson", ": one JSON object a line");
}

/**
 * Adds --json as a short word for one of the forms, which refuses the others: a program that reads JSON would get something else.
 *
 * @param explanation - follows the form in the help
 */
export function withJson(command: Command, form: "ndjson" | "json", explanation = ""): Command {
  return command
    .addOption(new Option("--json", `short for --format ${form}${explanation}`).implies({ format: form }))
    .hook("preAction", () => {
      const { json, format } = command.opts<{ json?: true; format: string }>();
      if (json === true && format !== form)
        command.error(`error: option '--json' cannot be used with option '--format ${format}'`);
    });
}

/**
 * Gives the command its body, which is loaded when the command runs. Help and completion make commands only to describe them, and must not
 * wait until everything is loaded that the body imports.
 */
export function handled(cli: Cli, command: Command, load: () => Promise<Handler>): Command {
  return command.action(async () => {
    const handler = await load();
    cli.exitCode = await handler(cli, command);
  });
}

/** A whole number from 1 on, as an option's value. */
export function positive(text: string): number {
  const number = whole(text);
  if (number === 0) throw new InvalidArgumentError("A whole number from 1 on is expected.");
  return number;
}

/** A whole number that is not negative, as an option's value. */
export function whole(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError("A whole number is expected.");
  return Number(text);
}

function wait(text: string): number {
  return text === "-1" ? Infinity : positive(text);
}
