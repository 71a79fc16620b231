import { chooseEnvironment } from "../choose-environments.ts";
import { endOfList } from "../list-end.ts";
import { serviceHandler } from "../session.ts";

interface Options {
  nodeId?: number;
  assetGroupTagId?: number;
  format?: "tree" | "json" | "dot" | "svg";
}

export const metaTree = serviceHandler(async ({ output }, service, command) => {
  const { nodeId, assetGroupTagId, format = output.width === null ? "json" : "tree" } = command.opts<Options>();
  const [name = ""] = command.args;
  const { id } = await chooseEnvironment(service, name);
  const graph = await service.graph.metaTree(id, {
    ...(nodeId !== undefined && { nodeId }),
    ...(assetGroupTagId !== undefined && { assetGroupTagId }),
  });
  if (format === "json") await output.json(graph);
  else if (format === "tree") {
    const { drawTree } = await import("../drawing/tree-drawing.ts");
    await drawTree(output, graph);
  } else {
    const { dotOf, svgOf } = await import("../drawing/graph-drawing.ts");
    await output.write(format === "dot" ? dotOf(graph) : svgOf(graph));
  }
  return endOfList(output, { count: Object.keys(graph).length, empty: "The meta tree has no nodes." });
});
