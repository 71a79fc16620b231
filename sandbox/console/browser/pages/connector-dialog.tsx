import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { visible } from "../../../../widgets/shared/text.ts";
import type { ConnectorView, InstanceView, Integration } from "../../contract/index.ts";
import { call } from "../api.ts";
import { ConnectorForm } from "../connector/form.tsx";
import { Button, useTask } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Select } from "../parts/field.tsx";
import { SelectField } from "../parts/form.tsx";
import { textOf } from "../parts/parameters.ts";
import { useParameters } from "../parts/parameter-fields.tsx";
import { toast } from "../toast.ts";
import { Suggestion } from "./instance-dialog.tsx";

interface DialogProps {
  kind: "connector" | "job";
  integrations: readonly Integration[];
  instances: readonly InstanceView[];
  onClose: () => void;
  onSaved: (connector: ConnectorView) => void;
}

/** The form of a new connector or job, as the manifest declares its fields. */
export function ConnectorDialog(props: DialogProps): JSX.Element | null {
  const isJob = props.kind === "job";
  const kinds = props.integrations.flatMap(({ identifier, manifest }) =>
    (isJob
      ? manifest.jobs.map(({ name, description, parameters }) => ({ name, description, fields: parameters }))
      : manifest.connectors
    ).map((declared) => ({ value: `${identifier}/${declared.name}`, identifier, declared })),
  );
  const [chosen, setChosen] = useState(kinds[0]?.value ?? "");
  const task = kinds.find(({ value }) => value === chosen);
  if (task === undefined) return null;
  return (
    <NewConnector
      key={chosen}
      {...props}
      task={task}
      choice={
        kinds.length > 1 && (
          <Select
            label={isJob ? "Job" : "Connector"}
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
  task: {
    identifier: string;
    declared: Pick<Integration["manifest"]["connectors"][number], "name" | "description" | "fields">;
  };
  choice: JSX.Element | false;
}

/** Where the address and the token come from: an instance of the same integration, or what is entered here. */
function NewConnector(props: NewProps): JSX.Element {
  const instances = props.instances.filter(({ integration }) => integration === props.task.identifier);
  const [from, setFrom] = useState(instances[0]?.id ?? null);
  const instance = instances.find(({ id }) => id === from) ?? null;
  return (
    <NewConnectorForm
      key={from}
      {...props}
      instance={instance}
      source={
        instances.length > 0 && (
          <SelectField
            label="Connection"
            isRequired
            help={`Address and token of an instance; the ${props.kind} keeps a copy of them.`}
            value={from ?? ""}
            options={[
              ...instances.map(({ id, name, parameters }) => ({
                value: id,
                text: visible(`As in ${name} (${textOf(parameters["Server"])})`),
              })),
              { value: "", text: "Enter it here" },
            ]}
            onChange={(id) => {
              setFrom(id === "" ? null : id);
            }}
          />
        )
      }
    />
  );
}

interface NewFormProps extends NewProps {
  instance: InstanceView | null;
  source: JSX.Element | false;
}

function NewConnectorForm({ kind, task, choice, source, instance, onClose, onSaved }: NewFormProps): JSX.Element {
  const { identifier, declared } = task;
  const [name, setName] = useState(declared.name);
  const taken = instance?.declared.map((parameter) => parameter.name) ?? [];
  const form = useParameters(
    declared.fields.filter((field) => !taken.includes(field.name)),
    {},
  );
  const instanceId = instance?.id ?? null;
  const choices = useMemo(
    () =>
      instanceId === null
        ? null
        : (signal: AbortSignal) => call("GET /instances/:id/choices", { path: { id: instanceId }, signal }),
    [instanceId],
  );
  const save = useTask(async () => {
    const parameters = form.take();
    if (parameters === null) return;
    const body = { integration: identifier, name, connector: declared.name, parameters };
    try {
      const connector = await call("POST /connectors", {
        body: instanceId === null ? body : { ...body, instance: instanceId },
      });
      toast(`${connector.name} was saved. Run it now, or enable its schedule.`);
      onSaved(connector);
    } catch (error) {
      if (!form.complain(error)) throw error;
    }
  });
  return (
    <Dialog
      shape="wide"
      title={`Add ${kind} ${declared.name}`}
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
      {source}
      {instance === null && <Suggestion fill={form.fill} />}
      <ConnectorForm kind={kind} form={form} name={name} onName={setName} choices={choices} onSubmit={save.run} />
    </Dialog>
  );
}
