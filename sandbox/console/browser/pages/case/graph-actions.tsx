import type { GraphNode } from "../../../contract/index.ts";
import type { GraphActions } from "../../graph/graph.tsx";
import { Button } from "../../parts/button.tsx";
import { type Subject, subjectOfNode } from "./subject.ts";

export interface ActionOn {
  /** null: the parameters stay empty. */
  subject: Subject | null;
  alertKey: number | null;
  action: string | null;
  /** Nothing is left to choose: it starts at once. */
  isComplete?: boolean;
}

/** What can be asked about an object of a graph, with the parameters filled in. */
export function graphActions(open: (on: ActionOn) => void): GraphActions {
  return (node: GraphNode, graph) =>
    // Tier Zero as a whole is drawn as one object, which the service does not know.
    node.kind === "Meta" ? null : (
      <span class="row">
        {["Fetch Assets", "Does Path Exist"].map((action) => (
          <Button
            key={action}
            size="small"
            icon="bolt"
            onPress={() => {
              open({ subject: subjectOfNode(node, graph), alertKey: null, action });
            }}
          >
            {action}
          </Button>
        ))}
      </span>
    );
}
