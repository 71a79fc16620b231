import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { visible } from "../../../../../widgets/shared/text.ts";
import type { ManifestAction } from "../../../../../src/manifest/manifest.ts";
import type { InstanceView, Integration } from "../../../contract/index.ts";
import { call } from "../../api.ts";
import type { GraphActions } from "../../graph/graph.tsx";
import { Button, LinkButton, useTask } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Select } from "../../parts/field.tsx";
import { Form } from "../../parts/form.tsx";
import { ParameterFields, useParameters } from "../../parts/parameter-fields.tsx";
import { listText } from "../../parts/parameters.ts";
import { ActionResult, RunMessage } from "../../parts/run-result.tsx";
import { Empty, Loaded } from "../../parts/states.tsx";
import { useResource } from "../../resource.ts";
import { runUrl } from "../../urls.ts";
import { isAbout, Progress } from "../run.tsx";
import { type ActionOn, graphActions } from "./graph-actions.tsx";
import { filledIn } from "./subject.ts";

interface ActionDialogProps {
  /** Case that it is run from and recorded in; null: none. */
  caseId: number | null;
  /** Instance that is chosen at first. */
  instanceId?: string;
  on: ActionOn;
  onClose: () => void;
}

/** Runs an action and shows its result in place. An object of a drawn path leads on to the next action. */
export function ActionDialog(props: ActionDialogProps): JSX.Element {
  const { caseId, instanceId, onClose } = props;
  const [on, setOn] = useState(props.on);
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
            <LinkButton href={runUrl(runId)}>Open the run</LinkButton>
          </>
        )
      }
    >
      {runId !== null && (
        <Outcome
          runId={runId}
          actions={graphActions((next) => {
            setOn({ ...next, alertKey: on.alertKey });
            setRunId(null);
          })}
        />
      )}
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
              <Choice
                key={`${on.action} ${on.subject?.ids.join(" ")}`}
                {...{ caseId, on, integrations, instances, onStarted: setRunId }}
                preferred={instanceId ?? null}
              />
            )
          }
        </Loaded>
      </div>
    </Dialog>
  );
}

function Choice(props: {
  caseId: number | null;
  preferred: string | null;
  on: ActionOn;
  integrations: readonly Integration[];
  instances: readonly InstanceView[];
  onStarted: (runId: string) => void;
}): JSX.Element {
  const { instances, integrations, on } = props;
  const [instanceId, setInstanceId] = useState(props.preferred ?? instances[0]?.id ?? "");
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
  caseId: number | null;
  on: ActionOn;
  action: ManifestAction;
  instanceId: string;
  onStarted: (runId: string) => void;
}): JSX.Element {
  const { caseId, on, action, instanceId } = props;
  const filled = on.subject === null ? {} : filledIn(action.parameters, on.subject);
  const values = Object.fromEntries(Object.entries(filled).map(([name, entries]) => [name, listText(entries)]));
  const form = useParameters(action.parameters, values);
  const start = useTask(async () => {
    const parameters = form.take();
    if (parameters === null) return;
    try {
      const place = {
        ...(caseId !== null && { caseId }),
        ...(on.alertKey !== null && { alertKey: on.alertKey }),
      };
      const body = { instanceId, action: action.name, parameters, ...place };
      props.onStarted((await call("POST /actions", { body })).runId);
    } catch (error) {
      if (!form.complain(error)) throw error;
    }
  });
  return (
    <Form onSubmit={start.run}>
      <p class="muted">{visible(action.description)}</p>
      <ParameterFields form={form} />
      <div>
        <Button submit look="primary" icon="play" isBusy={start.isBusy}>
          Run {action.name}
        </Button>
      </div>
    </Form>
  );
}

function Outcome({ runId, actions }: { runId: string; actions: GraphActions }): JSX.Element {
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
            <ActionResult run={view} actions={actions} />
          </>
        )
      }
    </Loaded>
  );
}
