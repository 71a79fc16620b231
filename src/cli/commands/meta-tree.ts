import { Option } from "commander";
import { type Cli, describeCommand, handled, whole, withConnectionOptions, withJson } from "../command.ts";

const metaTree = (cli: Cli) => {
  const command = describeCommand("meta-tree", "Write the meta nodes of an environment and the edges between them.", [
    "meta-tree CORP.EXAMPLE.COM",
    "meta-tree CORP.EXAMPLE.COM --json | jq keys",
    "meta-tree CORP.EXAMPLE.COM --format dot | dot -Tpdf > tree.pdf",
    "meta-tree CORP.EXAMPLE.COM --format svg > tree.svg",
  ])
    .argument("<environment>", "name or id")
    .option("--node-id <id>", "show only this node", whole)
    .option("--asset-group-tag-id <id>", "show the zone with this asset group tag (default: Tier Zero)", whole)
    .addOption(
      new Option("--format <form>", "how to write the graph (default: tree on a terminal, else json)").choices([
        "tree",
        "json",
        "dot",
        "svg",
      ]),
    );
  return handled(
    cli,
    withConnectionOptions(withJson(command, "json")),
    async () => (await import("../handlers/meta-tree.ts")).metaTree,
  );
};
export default metaTree;
