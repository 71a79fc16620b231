import { type Cli, describeCommand, handled, positive, withConnectionOptions } from "../command.ts";

const cuts = (cli: Cli) => {
  const command = describeCommand(
    "cuts",
    "Rank the relationships that the open findings of an environment run through, by how many close without them.",
    [
      "cuts --environment CORP.EXAMPLE.COM",
      "cuts --environment CORP.EXAMPLE.COM --objects --limit 5",
      "cuts --environment CORP.EXAMPLE.COM --json | jq -r '.edge.relation'",
    ],
  )
    .addHelpText(
      "after",
      "\nThe numbers are upper bounds, from the shortest paths of the findings: a longer detour may keep a finding open.\nAccepted findings are left out.",
    )
    .requiredOption("--environment <name>", "the environment, by name or id")
    .option("--objects", "rank objects instead of relationships")
    .option("--limit <number>", "show at most this many", positive, 20)
    .option(
      "--pairs <number>",
      "ask about at most this many pairs of objects, those with the worst findings (default: 500)",
      positive,
    )
    .option("--json", "write one JSON object a line");
  return handled(cli, withConnectionOptions(command), async () => (await import("../handlers/cuts.ts")).cuts);
};
export default cuts;
