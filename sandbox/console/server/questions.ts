import { DateTime } from "luxon";
import type { AlertRow, Choices, GraphView, MetaTreeView, Trend } from "../contract/index.ts";
import type { AttackPathService } from "../../../src/service/connect.ts";
import { isMetaTreeEdge, type MetaTreeEdge, type MetaTreeNode } from "../../../src/service/resources/graph.records.ts";
import { messageOf } from "../../../src/text.ts";

const TIER_ZERO = "admin_tier_0";

/** What a connector can be narrowed to. */
export async function choicesOf(service: AttackPathService): Promise<Choices> {
  const { environments } = await service.environments.list();
  const collected = environments.filter((environment) => environment.collected !== false);
  const lists = await Promise.all(collected.map(({ id }) => service.findings.types(id)));
  return {
    environments: environments.map(({ id, name = id, type = "" }) => ({ id, name, type })),
    findingTypes: [...new Set(lists.flatMap(({ types }) => types))].sort(),
  };
}

/** The findings of a type over the last 30 days. */
export async function trendOf(
  service: AttackPathService,
  { environmentId, findingType, title }: Pick<AlertRow, "environmentId" | "findingType" | "title">,
): Promise<Trend> {
  try {
    const points = await service.findings.sparkline({ environmentId, findingType }, { required: true });
    const dated = points.map(({ created_at, FindingCount, ImpactedAssetCount, CompositeRisk }) => ({
      at: DateTime.fromISO(created_at ?? "").toMillis(),
      findings: FindingCount ?? 0,
      assets: ImpactedAssetCount ?? null,
      risk: CompositeRisk ?? null,
    }));
    const shown = dated.filter(({ at }) => !Number.isNaN(at)).sort((a, b) => a.at - b.at);
    const message = shown.length === 0 ? "The service has no analysis of the last 30 days." : null;
    return { findingType, title, points: shown, message };
  } catch (error) {
    return { findingType, title, points: [], message: messageOf(error) };
  }
}

/** Tier Zero of an environment and what leads into it. */
export async function metaTreeOf(service: AttackPathService, environmentId: string): Promise<MetaTreeView> {
  const items = Object.entries(await service.graph.metaTree(environmentId));
  const edges: GraphView["edges"] = [];
  const nodes: GraphView["nodes"] = [];
  for (const [id, item] of items) {
    if (isMetaTreeEdge(item)) edges.push(edgeOf(item));
    else nodes.push(nodeOf(id, item));
  }
  const known = new Set(nodes.map(({ id }) => id));
  const drawn = edges.filter(({ from, to }) => known.has(from) && known.has(to));
  return { nodes, edges: drawn, left: edges.length - drawn.length };
}

function nodeOf(id: string, { label, data = {} }: MetaTreeNode): GraphView["nodes"][number] {
  const { nodetype, system_tags: tags } = data;
  const kind = typeof nodetype === "string" ? nodetype : "";
  const tierZero = typeof tags === "string" && tags.split(" ").includes(TIER_ZERO);
  return { id, name: label?.text ?? id, kind, tierZero, place: null };
}

/** An arrow at the first end only points there. */
function edgeOf({ id1, id2, end1, end2, label }: MetaTreeEdge): GraphView["edges"][number] {
  const backwards = end1?.arrow === true && end2?.arrow !== true;
  const [from, to] = backwards ? [id2, id1] : [id1, id2];
  return { from, to, relation: label?.text ?? "", main: false };
}
