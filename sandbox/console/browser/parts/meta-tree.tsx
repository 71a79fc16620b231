import type { JSX } from "preact";
import { visible } from "../../../../widgets/shared/text.ts";
import { call } from "../api.ts";
import { Graph, type GraphActions } from "../graph/graph.tsx";
import { useResource } from "../resource.ts";
import { Empty, Loaded } from "./states.tsx";

/** What leads into Tier Zero in an environment, as the service's meta tree has it. */
export function MetaTree(props: {
  instanceId: string;
  environment: { id: string; name: string };
  actions: GraphActions;
}): JSX.Element {
  const { instanceId, environment, actions } = props;
  const tree = useResource(
    (signal) => {
      const query = { environment: environment.id };
      return call("GET /instances/:id/meta-tree", { path: { id: instanceId }, query, signal });
    },
    [instanceId, environment.id],
  );
  return (
    <Loaded of={tree} what="Loading the meta tree">
      {(graph) =>
        graph.nodes.length === 0 ? (
          <Empty title="The meta tree is empty.">The service knows no way into Tier Zero here.</Empty>
        ) : (
          <Graph graph={graph} label={`Meta tree of ${visible(environment.name)}`} actions={actions} />
        )
      }
    </Loaded>
  );
}
