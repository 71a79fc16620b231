import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { visible } from "../../../../../widgets/shared/text.ts";
import type { ManifestAction } from "../../../../../src/manifest/manifest.ts";
import type { AlertFindings, CaseView, InstanceView, Integration } from "../../../contract/index.ts";
import { call } from "../../api.ts";
import type { GraphActions } from "../../graph/graph.tsx";
import { Button, LinkButton } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Select } from "../../parts/field.tsx";
import { ActionResult, RunMessage } from "../../parts/run-result.tsx";
import { Empty, Loaded } from "../../parts/states.tsx";
import { useResource } from "../../resource.ts";
import { runUrl } from "../../urls.ts";
import { isAbout, Progress } from "../run/progress.tsx";
import { ActionForm, type CasePlace } from "./action-form.tsx";
import { alertsCut } from "./alerts.tsx";
import { type ActionOn, graphActions } from "./graph-actions.tsx";
import { fittingAction } from "./scope.ts";

interface ActionDialogProps {
  /** Case that it is recorded in; null: none. */
  caseId: number | null;
  /** The case on the page, whose alerts, findings and objects are offered. */
  view?: CaseView;
  /** Instance that is chosen at first; null: it is not known which one is right. */
  instanceId: string | null;
  on: ActionOn;
  onClose: () => void;
}

/** Runs an action and shows its result in place. An object of a drawn path leads on to the next action. */
export function ActionDialog(props: ActionDialogProps): JSX.Element {
  const { caseId, view, instanceId, onClose } = props;
  const [on, setOn] = useState(props.on);
  const known = useResource(async (signal) => {
    const [packages, instances] = await Promise.all([
      call("GET /packages", { signal }),
      call("GET /instances", { signal }),
    ]);
    return { integrations: packages.integrations, instances };
  }, []);
  const { alertKey } = on;
  const found = useResource(
    async (signal) => {
      const query = alertKey === null ? {} : { alertKey };
      // A resource that is null has not been loaded.
      return {
        of:
          caseId === null
            ? null
            : await call("GET /cases/:id/findings", { path: { id: String(caseId) }, query, signal }),
      };
    },
    [caseId, alertKey],
  );
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
          isNamed={(known.data?.instances.length ?? 0) > 1}
          actions={graphActions((next) => {
            setOn({ ...next, alertKey });
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
              <Loaded of={found} what="Loading the findings">
                {({ of }) => (
                  <Choice
                    key={`${on.action} ${on.subject?.ids.join(" ")}`}
                    {...{ caseId, view, on, found: of, integrations, instances, onStarted: setRunId }}
                    preferred={instanceId}
                    onAlert={(key, action) => {
                      setOn({ action, subject: null, alertKey: key });
                    }}
                  />
                )}
              </Loaded>
            )
          }
        </Loaded>
      </div>
    </Dialog>
  );
}

function Choice(props: {
  caseId: number | null;
  view: CaseView | undefined;
  found: AlertFindings | null;
  onAlert: (key: number, action: string) => void;
  preferred: string | null;
  on: ActionOn;
  integrations: readonly Integration[];
  instances: readonly InstanceView[];
  onStarted: (runId: string) => void;
}): JSX.Element {
  const { instances, integrations, on, view, found, caseId } = props;
  const [instanceId, setInstanceId] = useState(props.preferred ?? instances[0]?.id ?? "");
  const instance = instances.find(({ id }) => id === instanceId);
  // The form of another action or instance, which a person chooses here, waits to be submitted.
  const isFirst = useRef(true);
  useEffect(() => {
    isFirst.current = false;
  }, []);
  const actions = actionsOf(integrations, instance);
  const [name, setName] = useState(on.action ?? fittingAction(actions, found?.findings ?? [], on.subject));
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
        <ActionForm
          key={`${instanceId} ${action.name} ${found?.alertKey}`}
          place={placeOf(view, found, (key) => {
            props.onAlert(key, action.name);
          })}
          subject={on.subject}
          startsAtOnce={on.isComplete === true && props.preferred !== null && isFirst.current}
          onStarted={props.onStarted}
          {...{ caseId, action, instanceId }}
        />
      )}
    </div>
  );
}

function actionsOf(
  integrations: readonly Integration[],
  instance: InstanceView | undefined,
): readonly ManifestAction[] {
  return integrations.find(({ identifier }) => identifier === instance?.integration)?.manifest.actions ?? [];
}

function placeOf(
  view: CaseView | undefined,
  known: AlertFindings | null,
  onAlert: (key: number) => void,
): CasePlace | null {
  return view === undefined || known === null
    ? null
    : { caseId: view.id, alerts: view.alertList, alertsCut: alertsCut(view), known, onAlert };
}

function Outcome(props: {
  runId: string;
  /** Whether to say which instance was asked. */
  isNamed: boolean;
  actions: GraphActions;
}): JSX.Element {
  const { runId, isNamed, actions } = props;
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
            {isNamed && <p class="muted small">Instance: {visible(view.owner)}</p>}
            <RunMessage run={view} />
            <ActionResult run={view} actions={actions} />
          </>
        )
      }
    </Loaded>
  );
}
