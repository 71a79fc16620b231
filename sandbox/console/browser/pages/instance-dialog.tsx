import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { InstanceView, Integration, TestOutcome } from "../../contract/index.ts";
import { call } from "../api.ts";
import { overview, refreshOverview } from "../overview.ts";
import { Button, useTask } from "../parts/button.tsx";
import { NameField } from "../parts/configured.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Select } from "../parts/field.tsx";
import { Form } from "../parts/form.tsx";
import { ParameterFields, useParameters } from "../parts/parameter-fields.tsx";
import { Notice } from "../parts/states.tsx";
import { toast } from "../toast.ts";
import { Outcome } from "./instance/outcome.tsx";

interface InstanceDialogProps {
  /** null: a new one. */
  instance: InstanceView | null;
  integrations: readonly Integration[];
  onClose: () => void;
  onSaved: () => void;
}

/** The form of an instance, as the manifest declares it. */
export function InstanceDialog(props: InstanceDialogProps): JSX.Element | null {
  const [identifier, setIdentifier] = useState(props.instance?.integration ?? props.integrations[0]?.identifier ?? "");
  const integration = props.integrations.find((known) => known.identifier === identifier);
  if (integration === undefined) return null;
  return <InstanceForm key={identifier} {...props} integration={integration} onChoose={setIdentifier} />;
}

function InstanceForm(
  props: InstanceDialogProps & { integration: Integration; onChoose: (identifier: string) => void },
): JSX.Element {
  const { instance, integration, integrations, onClose, onSaved, onChoose } = props;
  const { manifest, identifier } = integration;
  const form = useParameters(manifest.instance.parameters, instance?.parameters ?? {}, instance?.secrets ?? []);
  const [name, setName] = useState(instance?.name ?? manifest.name);
  const [outcome, setOutcome] = useState<TestOutcome | null>(null);
  const [saved, setSaved] = useState(instance);

  const store = async (): Promise<InstanceView | null> => {
    const parameters = form.take();
    if (parameters === null) return null;
    const body = { integration: identifier, name: name.trim() === "" ? manifest.name : name.trim(), parameters };
    try {
      const stored =
        saved === null
          ? await call("POST /instances", { body })
          : await call("PUT /instances/:id", { path: { id: saved.id }, body });
      setSaved(stored);
      return stored;
    } catch (error) {
      if (!form.complain(error)) throw error;
      return null;
    }
  };
  const save = useTask(async () => {
    const stored = await store();
    if (stored === null) return;
    toast(`${stored.name} was saved.`);
    onSaved();
  });
  const test = useTask(async () => {
    setOutcome(null);
    const stored = await store();
    if (stored === null) return;
    setOutcome(await call("POST /instances/:id/test", { path: { id: stored.id } }));
    void refreshOverview();
  });
  return (
    <Dialog
      shape="wide"
      title={instance === null ? "Add instance" : `Edit ${instance.name}`}
      // What was tested is stored, so the page behind has to know.
      onClose={saved === instance ? onClose : onSaved}
      stored={saved}
      footer={
        <>
          <Button icon="bolt" isBusy={test.isBusy} onPress={test.run}>
            Save and test
          </Button>
          <Button look="primary" isBusy={save.isBusy} onPress={save.run}>
            Save
          </Button>
        </>
      }
    >
      <Form onSubmit={save.run}>
        {saved === null && <Suggestion fill={form.fill} />}
        {integrations.length > 1 && saved === null && (
          <Select
            label="Integration"
            value={identifier}
            options={integrations.map((known) => ({ value: known.identifier, text: known.manifest.name }))}
            onChange={(chosen) => {
              onChoose(chosen ?? identifier);
            }}
          />
        )}
        <NameField value={name} help="How this instance is called in actions and playbooks." onInput={setName} />
        <ParameterFields form={form} />
        {outcome !== null && <Outcome outcome={outcome} />}
        <button type="submit" hidden />
      </Form>
    </Dialog>
  );
}

/** The simulated tenant's address and token with one press. */
export function Suggestion({ fill }: { fill: (values: Record<string, string>) => void }): JSX.Element | null {
  const suggested = overview.value?.suggestedInstance ?? null;
  if (suggested === null) return null;
  return (
    <Notice
      actions={
        <Button
          size="small"
          icon="tenant"
          onPress={() => {
            fill({ ...suggested });
          }}
        >
          Fill in
        </Button>
      }
    >
      A simulated tenant runs beside the console. Use its address and token.
    </Notice>
  );
}
