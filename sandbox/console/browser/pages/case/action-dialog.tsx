import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { visible } from "../../../../../widgets/shared/text.ts";
import type { ManifestAction } from "../../../../../src/manifest/manifest.ts";
import type { CaseView, InstanceView, Integration } from "../../../contract/index.ts";
import { call } from "../../api.ts";
import { Button, LinkButton, useTask } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Select } from "../../parts/field.tsx";
import { ParameterFields, useParameters } from "../../parts/parameter-fields.tsx";
import { listText } from "../../parts/parameters.ts";
import { ActionResult, RunMessage } from "../../parts/run-result.tsx";
import { Empty, Loaded } from "../../parts/states.tsx";
import { useResource } from "../../resource.ts";
import { isAbout, Progress } from "../run.tsx";
import { filledIn, type Subject } from "./subject.ts";

export interface ActionOn {
  /** null: the parameters stay empty. */
  subject: Subject | null;
  alertKey: number | null;
  action: string | null;
}

interface ActionDialogProps {
  view: CaseView;
  on: ActionOn;
  onClose: () => void;
}

/** Runs an action from a case and shows its result in place. */
export function ActionDialog({ view, on, onClose }: ActionDialogProps): JSX.Element {
  const known = useResource(async (signal) => {
    const [packages, instances] = await Promise.all([
      call("GET /packages", { signal }),
      call("GET /instances", { signal }),
    ]);
    return { integrations: packages.integrations, instances };
  }, []);
  const [runId, setRunId] = useState<string | null>(null);
  return (
    <Dialog
      shape="wide"
      title="Run action"
      onClose={onClose}
      footer={
        runId === null ? undefined : (
          <>
            <Button
              onPress={() => {
                setRunId(null);
              }}
            >
              Run another
            </Button>
            <LinkButton href={`/runs/${encodeURIComponent(runId)}`}>Open the run</LinkButton>
          </>
        )
      }
    >
      {runId !== null && <Outcome runId={runId} />}
      <div hidden={runId !== null}>
        <Loaded of={known} what="Loading the actions">
          {({ integrations, instances }) =>
            instances.length === 0 ? (
              <Empty
                icon="instances"
                title="There is no instance."
                actions={<LinkButton href="/instances?new=instance">Add an instance</LinkButton>}
              >
                An action runs with the address and the token of an instance.
              </Empty>
            ) : (
              <Choice {...{ view, on, integrations, instances, onStarted: setRunId }} />
            )
          }
        </Loaded>
      </div>
    </Dialog>
  );
}

function Choice(props: {
  view: CaseView;
  on: ActionOn;
  integrations: readonly Integration[];
  instances: readonly InstanceView[];
  onStarted: (runId: string) => void;
}): JSX.Element {
  const { instances, integrations, on } = props;
  const [instanceId, setInstanceId] = useState(instances[0]?.id ?? "");
  const instance = instances.find(({ id }) => id === instanceId);
  const manifest = integrations.find(({ identifier }) => identifier === instance?.integration)?.manifest;
  const actions = manifest?.actions ?? [];
  const [name, setName] = useState(on.action ?? (on.subject?.target != null ? "Does Path Exist" : ""));
  const action = actions.find((known) => known.name === name) ?? actions[0];
  return (
    <div class="form">
      <div class="filters">
        <Select
          label="Action"
          value={action?.name ?? null}
          options={actions.map((known) => ({ value: known.name, text: known.name }))}
          onChange={(value) => {
            setName(value ?? "");
          }}
        />
        {instances.length > 1 && (
          <Select
            label="Instance"
            value={instanceId}
            options={instances.map(({ id, name: text }) => ({ value: id, text }))}
            onChange={(value) => {
              setInstanceId(value ?? "");
            }}
          />
        )}
      </div>
      {action === undefined ? (
        <Empty title="The package of this instance has no actions." />
      ) : (
        <ActionForm key={`${instanceId} ${action.name}`} {...props} action={action} instanceId={instanceId} />
      )}
    </div>
  );
}

function ActionForm(props: {
  view: CaseView;
  on: ActionOn;
  action: ManifestAction;
  instanceId: string;
  onStarted: (runId: string) => void;
}): JSX.Element {
  const { view, on, action, instanceId } = props;
  const filled = on.subject === null ? {} : filledIn(action.parameters, on.subject);
  const values = Object.fromEntries(Object.entries(filled).map(([name, entries]) => [name, listText(entries)]));
  const form = useParameters(action.parameters, values);
  const alertKey = on.alertKey ?? view.alertList[0]?.key ?? null;
  const start = useTask(async () => {
    const parameters = form.take();
    if (parameters === null) return;
    try {
      const context = alertKey === null ? {} : { alertKey };
      const body = { instanceId, action: action.name, parameters, caseId: view.id, ...context };
      props.onStarted((await call("POST /actions", { body })).runId);
    } catch (error) {
      if (!form.complain(error)) throw error;
    }
  });
  return (
    <form
      class="form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        start.run();
      }}
    >
      <p class="muted">{visible(action.description)}</p>
      <ParameterFields form={form} />
      <div>
        <Button submit look="primary" icon="play" isBusy={start.isBusy}>
          Run {action.name}
        </Button>
      </div>
    </form>
  );
}

function Outcome({ runId }: { runId: string }): JSX.Element {
  const run = useResource((signal) => call("GET /runs/:id", { path: { id: runId }, signal }), [runId], {
    on: isAbout(runId),
  });
  return (
    <Loaded of={run} what="Starting the action">
      {(view) =>
        view.status === "running" ? (
          <Progress run={view} />
        ) : (
          <>
            <RunMessage run={view} />
            <ActionResult run={view} />
          </>
        )
      }
    </Loaded>
  );
}
