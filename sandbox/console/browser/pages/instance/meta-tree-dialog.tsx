import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { visible } from "../../../../../widgets/shared/text.ts";
import type { InstanceView } from "../../../contract/index.ts";
import { call } from "../../api.ts";
import { MetaTree } from "../../parts/meta-tree.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Select } from "../../parts/field.tsx";
import { Empty, Loaded } from "../../parts/states.tsx";
import { useResource } from "../../resource.ts";
import { setQuery } from "../../router.ts";
import { ActionDialog } from "../case/action-dialog.tsx";
import { type ActionOn, graphActions } from "../case/graph-actions.tsx";

/** The meta trees of the environments that an instance can see, one at a time. */
export function MetaTreeDialog(props: {
  instance: InstanceView;
  /** Id of an environment; null: the first one. */
  chosen: string | null;
  onClose: () => void;
}): JSX.Element {
  const { instance, chosen, onClose } = props;
  const path = { id: instance.id };
  const choices = useResource((signal) => call("GET /instances/:id/choices", { path, signal }), [instance.id]);
  const [on, setOn] = useState<ActionOn | null>(null);
  return (
    <>
      <Dialog shape="wide" title={`Ways into Tier Zero: ${visible(instance.name)}`} onClose={onClose}>
        <Loaded of={choices} what="Loading the environments">
          {({ environments }) => {
            const environment = environments.find(({ id }) => id === chosen) ?? environments[0];
            if (environment === undefined)
              return <Empty title="No environments.">The token of this instance can see none.</Empty>;
            return (
              <div class="stack">
                <Select
                  label="Environment"
                  value={environment.id}
                  options={environments.map(({ id, name }) => ({ value: id, text: visible(name) }))}
                  onChange={(value) => {
                    setQuery({ environment: value });
                  }}
                />
                <MetaTree
                  key={environment.id}
                  instanceId={instance.id}
                  environment={environment}
                  actions={graphActions(setOn)}
                />
              </div>
            );
          }}
        </Loaded>
      </Dialog>
      {on !== null && (
        <ActionDialog
          caseId={null}
          instanceId={instance.id}
          on={on}
          onClose={() => {
            setOn(null);
          }}
        />
      )}
    </>
  );
}
