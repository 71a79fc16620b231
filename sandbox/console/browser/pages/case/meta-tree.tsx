import type { JSX } from "preact";
import { visible } from "../../../../../widgets/shared/text.ts";
import type { CaseView, GraphView } from "../../../contract/index.ts";
import { call } from "../../api.ts";
import { Graph } from "../../graph/graph.tsx";
import { LinkButton } from "../../parts/button.tsx";
import { Empty, Loaded } from "../../parts/states.tsx";
import { useResource } from "../../resource.ts";

/** What leads into Tier Zero in the environment of a case, as the service's meta tree has it. */
export function CaseMetaTree({ view }: { view: CaseView }): JSX.Element {
  const environment = view.sourceGroupingIdentifier;
  const tree = useResource(
    async (signal): Promise<{ graph: GraphView | null }> => {
      const [instance] = await call("GET /instances", { signal });
      if (instance === undefined) return { graph: null };
      const path = { id: instance.id };
      return { graph: await call("GET /instances/:id/meta-tree", { path, query: { environment }, signal }) };
    },
    [environment],
  );
  const label = `Meta tree of ${visible(view.environmentName)}`;
  return (
    <Loaded of={tree} what="Loading the meta tree">
      {({ graph }) => {
        if (graph === null)
          return (
            <Empty
              icon="instances"
              title="There is no instance."
              actions={<LinkButton href="/instances?new=instance">Add an instance</LinkButton>}
            >
              The meta tree is read with the address and the token of an instance.
            </Empty>
          );
        if (graph.nodes.length === 0)
          return <Empty title="The meta tree is empty.">The service knows no way into Tier Zero here.</Empty>;
        return <Graph graph={graph} label={label} />;
      }}
    </Loaded>
  );
}
