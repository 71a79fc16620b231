import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { ConnectorView, InstanceView, Integration } from "../../contract/index.ts";
import { call } from "../api.ts";
import { ConnectorForm } from "../connector/form.tsx";
import { Button, useTask } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Select } from "../parts/field.tsx";
import { useParameters } from "../parts/parameter-fields.tsx";
import { toast } from "../parts/toasts.tsx";
import { Suggestion } from "./instance-dialog.tsx";

interface DialogProps {
  integrations: readonly Integration[];
  instances: readonly InstanceView[];
  onClose: () => void;
  onSaved: (connector: ConnectorView) => void;
}

/** The form of a new connector, as the manifest declares its fields. */
export function ConnectorDialog(props: DialogProps): JSX.Element | null {
  const kinds = props.integrations.flatMap(({ identifier, manifest }) =>
    manifest.connectors.map((declared) => ({ value: `${identifier}/${declared.name}`, identifier, declared })),
  );
  const [chosen, setChosen] = useState(kinds[0]?.value ?? "");
  const kind = kinds.find(({ value }) => value === chosen);
  if (kind === undefined) return null;
  return (
    <NewConnector
      key={chosen}
      {...props}
      kind={kind}
      choice={
        kinds.length > 1 && (
          <Select
            label="Connector"
            value={chosen}
            options={kinds.map(({ value, declared }) => ({ value, text: declared.name }))}
            onChange={(value) => {
              setChosen(value ?? chosen);
            }}
          />
        )
      }
    />
  );
}

interface NewProps extends DialogProps {
  kind: { identifier: string; declared: Integration["manifest"]["connectors"][number] };
  choice: JSX.Element | false;
}

function NewConnector({ kind, choice, instances, onClose, onSaved }: NewProps): JSX.Element {
  const { identifier, declared } = kind;
  const form = useParameters(declared.fields, {});
  // A new connector has no key that the server could ask the tenant with; an instance of the same tenant has.
  const server = form.draft["Server"];
  const instance = instances.find(({ parameters }) => parameters["Server"] === server);
  const choices = useMemo(
    () => (instance === undefined ? null : () => call("GET /instances/:id/choices", { path: { id: instance.id } })),
    [instance?.id],
  );
  const save = useTask(async () => {
    const parameters = form.take();
    if (parameters === null) return;
    try {
      const connector = await call("POST /connectors", {
        body: { integration: identifier, name: declared.name, parameters },
      });
      toast(`${connector.name} was saved.`);
      onSaved(connector);
    } catch (error) {
      if (!form.complain(error)) throw error;
    }
  });
  return (
    <Dialog
      shape="wide"
      title={`Add connector ${declared.name}`}
      onClose={onClose}
      footer={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <Button look="primary" isBusy={save.isBusy} onPress={save.run}>
            Save
          </Button>
        </>
      }
    >
      <p class="muted">{declared.description}</p>
      {choice}
      <Suggestion fill={form.fill} />
      <ConnectorForm form={form} choices={choices} onSubmit={save.run} />
    </Dialog>
  );
}
