import { Option } from "commander";
import { chooseEnvironment } from "../choose-environments.ts";
import { type Cli, describeCommand, serviceAction, whole } from "../command.ts";
import { endOfList } from "../list-end.ts";

interface Options {
  nodeId?: number;
  assetGroupTagId?: number;
  format?: "tree" | "json" | "dot" | "svg";
}

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
    )
    .addOption(new Option("--json", "short for --format json").implies({ format: "json" }));
  return serviceAction(cli, command, async (service) => {
    const { output } = cli;
    const { nodeId, assetGroupTagId, format = output.width === null ? "json" : "tree" } = command.opts<Options>();
    const [name = ""] = command.args;
    const { id } = await chooseEnvironment(service, name);
    const graph = await service.graph.metaTree(id, {
      ...(nodeId !== undefined && { nodeId }),
      ...(assetGroupTagId !== undefined && { assetGroupTagId }),
    });
    if (format === "json") await output.json(graph);
    else if (format === "tree") {
      const { drawTree } = await import("../tree-drawing.ts");
      await drawTree(output, graph);
    } else {
      const { dotOf, svgOf } = await import("../graph-drawing.ts");
      await output.write(format === "dot" ? dotOf(graph) : svgOf(graph));
    }
    return endOfList(output, { count: Object.keys(graph).length, empty: "The meta tree has no nodes." });
  });
};
export default metaTree;
