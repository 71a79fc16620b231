import type { Command } from "commander";
import {
  type Cli,
  describeCommand,
  handled,
  type Handler,
  whole,
  withConnectionOptions,
  withFormat,
} from "./command.ts";

/** How the help describes a command that deletes a provider. */
interface Deletion {
  readonly description: string;
  readonly summary: string;
  readonly examples: readonly string[];
  readonly idHelp: string;
  readonly load: () => Promise<Handler>;
}

/** A command that deletes a provider after a confirmation, and lists the users who used it. */
export function deleteCommand(cli: Cli, { description, summary, examples, idHelp, load }: Deletion): Command {
  const command = withFormat(describeCommand("delete", description, examples))
    .summary(summary)
    .argument("<id>", idHelp, whole)
    .option("--yes", "do not ask before deleting");
  return handled(cli, withConnectionOptions(command), load);
}
