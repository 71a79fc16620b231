import type { JSX } from "preact";
import { counted, visible } from "../../../../widgets/shared/text.ts";
import { call } from "../api.ts";
import { Graph, type GraphActions } from "../graph/graph.tsx";
import { useResource } from "../resource.ts";
import { Empty, Loaded, Notice } from "./states.tsx";

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
          <Empty title="Not known.">
            The service has sent no meta tree for this environment. That does not mean that there is no way into Tier
            Zero. Check that the environment is collected.
          </Empty>
        ) : (
          <div class="stack">
            <p class="muted">
              Objects that lead into Tier Zero, as the last analysis found them. The service calls this overview the
              meta tree.
            </p>
            {graph.left > 0 && (
              <Notice look="warning">
                Incomplete: {counted(graph.left, "relationship")} cannot be drawn, because the service has not described
                an object at {graph.left === 1 ? "its" : "their"} end.
              </Notice>
            )}
            <Graph graph={graph} label={`Ways into Tier Zero of ${visible(environment.name)}`} actions={actions} />
          </div>
        )
      }
    </Loaded>
  );
}
