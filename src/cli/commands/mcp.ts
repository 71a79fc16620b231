import { Option } from "commander";
import { type Cli, describeCommand, handled } from "../command.ts";

const mcp = (cli: Cli) => {
  const command = describeCommand(
    "mcp",
    "Serve the Model Context Protocol on standard input and output, so that an AI assistant can ask about attack paths. It only reads.",
    ["mcp --profile acme"],
  )
    .option(
      "--profile <name>",
      "the profile with this name, or this file, which nobody else can read (default: the one in use)",
    )
    .option("--verbose", "log requests and the beginning of responses to standard error, without credentials")
    .addOption(new Option("--server <address>").hideHelp())
    .addOption(new Option("--token-id <id>").hideHelp())
    .addOption(new Option("--bearer").hideHelp());
  return handled(cli, command, async () => (await import("../handlers/mcp.ts")).mcp);
};
export default mcp;
