import { isObject } from "../../json.ts";
import { validateMetaTreeEdge, validateMetaTreeNode } from "../../generated/validators-on-demand.js";
import type { AttackPathService } from "../attack-path-service.ts";
import { oneLine } from "../../text.ts";
import { path, type QueryPair } from "../http/target.ts";
import type { Api } from "../api.ts";
import { isMetaTreeEdge, type WireMetaTreeEdge, type MetaTreeNode } from "./graph.records.ts";
import { checkRecord } from "../responses/invalid-values.ts";
import { objectIn } from "../responses/response-body.ts";

export function graphOf(api: Api): AttackPathService["graph"] {
  return {
    async metaTree(environmentId, { nodeId, assetGroupTagId } = {}) {
      const query: QueryPair[] = [];
      if (nodeId !== undefined) query.push(["node_id", nodeId]);
      if (assetGroupTagId !== undefined) query.push(["asset_group_tag_id", assetGroupTagId]);
      const { body, endpoint } = await api.get(path`/api/v2/meta-trees/${environmentId}`, query);
      const graph = new Map<string, MetaTreeNode | WireMetaTreeEdge>();
      for (const [key, item] of Object.entries(body.data === null ? {} : objectIn(body, endpoint))) {
        if (!isObject(item)) {
          api.report([{ path: oneLine(`/${key}`), problem: "is neither a node nor an edge" }], endpoint);
          continue;
        }
        const isEdge = isMetaTreeEdge(item);
        const { record, invalidValues } = isEdge
          ? checkRecord(validateMetaTreeEdge, item)
          : checkRecord(validateMetaTreeNode, item);
        api.report(invalidValues, endpoint);
        graph.set(key, record);
      }
      // Unlike an assignment, this makes a property of any key, `__proto__` too.
      return Object.fromEntries(graph);
    },
  };
}
