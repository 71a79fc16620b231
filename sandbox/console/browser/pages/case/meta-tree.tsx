import type { JSX } from "preact";
import { visible } from "../../../../../widgets/shared/text.ts";
import type { CaseView } from "../../../contract/index.ts";
import type { GraphActions } from "../../graph/graph.tsx";
import { LinkButton } from "../../parts/button.tsx";
import { MetaTree } from "../../parts/meta-tree.tsx";
import { Empty } from "../../parts/states.tsx";

/** The meta tree of the environment of a case. */
export function CaseMetaTree({ view, actions }: { view: CaseView; actions: GraphActions }): JSX.Element {
  const { instance } = view;
  if (instance === null)
    return (
      <Empty
        icon="instances"
        title="No instance is known for the tenant of this case."
        actions={<LinkButton href="/instances?new=instance">Add an instance</LinkButton>}
      >
        The meta tree is read with the address and the token of an instance. None has the settings of a connector that
        brought alerts of this case, or the connector was deleted.
      </Empty>
    );
  const environment = { id: view.sourceGroupingIdentifier, name: view.environmentName };
  return (
    <div class="stack">
      <p class="muted small">Instance: {visible(instance.name)}</p>
      <MetaTree instanceId={instance.id} environment={environment} actions={actions} />
    </div>
  );
}
