import { validateMetaTreeEdge, validateMetaTreeNode } from "../../generated/validators.js";
import type { Api } from "../api.ts";
import type { AttackPathService } from "../attack-path-service.ts";
import { objectIn } from "../envelope.ts";
import { isMetaTreeEdge, type MetaTreeGraph } from "../records/meta-tree.ts";
import { unwrapNullables } from "../records/nullables.ts";
import { salvage } from "../salvage.ts";
import { path, type QueryPair } from "../target.ts";

export function graphOf(api: Api): AttackPathService["graph"] {
  return {
    async metaTree(environmentId, { nodeId, assetGroupTagId } = {}) {
      const query: QueryPair[] = [];
      if (nodeId !== undefined) query.push(["node_id", nodeId]);
      if (assetGroupTagId !== undefined) query.push(["asset_group_tag_id", assetGroupTagId]);
      const { envelope, exchange } = await api.get(path`/api/v2/meta-trees/${environmentId}`, query);
      const graph: MetaTreeGraph = {};
      for (const [key, item] of Object.entries(envelope.data === null ? {} : objectIn(envelope, exchange))) {
        if (typeof item !== "object" || item === null) {
          api.report([{ path: `/${key}`, problem: "is neither a node nor an edge" }], exchange);
          continue;
        }
        api.report(salvage(isMetaTreeEdge(item) ? validateMetaTreeEdge : validateMetaTreeNode, item), exchange);
        graph[key] = unwrapNullables(item);
      }
      return graph;
    },
  };
}
