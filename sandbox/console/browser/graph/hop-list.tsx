import type { JSX } from "preact";
import { visible } from "../../../../widgets/shared/text.ts";
import type { GraphNode, GraphView } from "../../contract/index.ts";
import { Badge } from "../parts/badge.tsx";
import { CopyButton } from "../parts/copy.tsx";
import { KindIcon } from "./card.tsx";
import { type Hop, hopsOf } from "./hops.ts";
import type { GraphActions } from "./graph.tsx";
import { kindOf, nameOf } from "./label.ts";
import { listed } from "../../../../src/text.ts";

/** What the drawing shows, as lists. */
export function HopList({ graph }: { graph: GraphView }): JSX.Element {
  const { main, others } = hopsOf(graph);
  const lone = graph.nodes.filter(({ id }) => !graph.edges.some(({ from, to }) => from === id || to === id));
  return (
    <div class="hop-lists">
      {main.length > 0 && <Hops title="Shortest path" hops={main} isOrdered />}
      {others.length > 0 && <Hops title={main.length > 0 ? "Other edges" : "Edges"} hops={others} />}
      {lone.length > 0 && (
        <section>
          <h3>Without edges</h3>
          <ul class="hops">
            {lone.map((node) => (
              <li key={node.id}>
                <NodeName node={node} />
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}

function Hops({ title, hops, isOrdered = false }: { title: string; hops: readonly Hop[]; isOrdered?: boolean }) {
  const items = hops.map(({ from, to, relations }) => (
    <li key={`${from.id} ${to.id}`}>
      <NodeName node={from} />
      <span class="relation">
        <span aria-hidden="true">→ </span>
        {visible(relations.join(", "))}
        <span aria-hidden="true"> →</span>
      </span>
      <NodeName node={to} />
    </li>
  ));
  return (
    <section>
      <h3>{title}</h3>
      {isOrdered ? <ol class="hops numbered">{items}</ol> : <ul class="hops">{items}</ul>}
    </section>
  );
}

export function NodeName({ node }: { node: GraphNode }): JSX.Element {
  return (
    <span class="node-name">
      <KindIcon kind={node.kind} size={16} />
      <bdi class="foreign">{nameOf(node)}</bdi>
      <span class="muted"> {visible(kindOf(node))}</span>
      {node.tierZero && <Badge look="danger">Tier Zero</Badge>}
    </span>
  );
}

/** The selected object and what leads to it and from it. The room is there before anything is selected. */
export function SelectedNode(props: {
  node: GraphNode | null;
  graph: GraphView;
  actions?: GraphActions | undefined;
}): JSX.Element {
  const { node } = props;
  if (node === null)
    return (
      <p class="graph-selected muted">Select an object to see its id and its edges. The arrow keys follow the path.</p>
    );
  const { main, others } = hopsOf(props.graph);
  const hops = [...main, ...others];
  const edges = {
    "Reached by": hops.filter(({ to }) => to.id === node.id).map(({ from, relations }) => ({ other: from, relations })),
    "Leads to": hops.filter(({ from }) => from.id === node.id).map(({ to, relations }) => ({ other: to, relations })),
  };
  return (
    <div class="graph-selected">
      <p class="row">
        <NodeName node={node} />
        <code class="foreign">{visible(node.id)}</code>
        <CopyButton text={node.id} what="object ID" />
        {props.actions?.(node, props.graph)}
      </p>
      {Object.entries(edges).map(([title, list]) => (
        <p key={title}>
          <span class="muted">{title}: </span>
          {list.length === 0
            ? "nothing in this graph"
            : listed(list.map(({ other, relations }) => `${nameOf(other)} (${visible(relations.join(", "))})`))}
        </p>
      ))}
    </div>
  );
}
