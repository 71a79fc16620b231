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
    <Loaded of={tree} what="Loading the ways into Tier Zero">
      {(graph) =>
        graph.nodes.length === 0 ? (
          <Empty title="No way into Tier Zero.">The meta tree of the service is empty for this environment.</Empty>
        ) : (
          <div class="stack">
            <p class="muted">
              Objects that lead into Tier Zero, as the last analysis found them. The service calls this overview the
              meta tree.
            </p>
            <Graph graph={graph} label={`Ways into Tier Zero of ${visible(environment.name)}`} actions={actions} />
          </div>
        )
      }
    </Loaded>
  );
}
