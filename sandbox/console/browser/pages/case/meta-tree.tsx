import type { JSX } from "preact";
import type { CaseView } from "../../../contract/index.ts";
import { call } from "../../api.ts";
import type { GraphActions } from "../../graph/graph.tsx";
import { LinkButton } from "../../parts/button.tsx";
import { MetaTree } from "../../parts/meta-tree.tsx";
import { Empty, Loaded } from "../../parts/states.tsx";
import { useResource } from "../../resource.ts";

/** The meta tree of the environment of a case. */
export function CaseMetaTree({ view, actions }: { view: CaseView; actions: GraphActions }): JSX.Element {
  const instances = useResource((signal) => call("GET /instances", { signal }), []);
  const environment = { id: view.sourceGroupingIdentifier, name: view.environmentName };
  return (
    <Loaded of={instances} what="Loading the instances">
      {([instance]) =>
        instance === undefined ? (
          <Empty
            icon="instances"
            title="There is no instance."
            actions={<LinkButton href="/instances?new=instance">Add an instance</LinkButton>}
          >
            The meta tree is read with the address and the token of an instance.
          </Empty>
        ) : (
          <MetaTree instanceId={instance.id} environment={environment} actions={actions} />
        )
      }
    </Loaded>
  );
}
