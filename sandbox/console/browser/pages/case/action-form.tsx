import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { visible } from "../../../../../widgets/shared/text.ts";
import type { ManifestAction } from "../../../../../src/manifest/manifest.ts";
import type { JsonObject } from "../../../../../src/runtime/protocol.ts";
import type { AlertFindings, AlertRow } from "../../../contract/index.ts";
import { call } from "../../api.ts";
import { Button, useTask } from "../../parts/button.tsx";
import { Form } from "../../parts/form.tsx";
import { ParameterFields, useParameters } from "../../parts/parameter-fields.tsx";
import { listText } from "../../parts/parameters.ts";
import { askedBy, objectsIn, roleOf, scopeOf } from "./scope.ts";
import { ScopeFields } from "./scope-fields.tsx";
import { filledIn, type Subject } from "./subject.ts";

/** The case that an action is run from. */
export interface CasePlace {
  caseId: number;
  alerts: readonly AlertRow[];
  /** Which alerts of the case are not among them. */
  alertsCut: string | undefined;
  known: AlertFindings;
  onAlert: (key: number) => void;
}

interface ActionFormProps {
  place: CasePlace | null;
  /** A case that is not on the page, for the record. */
  caseId: number | null;
  subject: Subject | null;
  /** Runs without being asked, because nothing is left to choose. */
  startsAtOnce: boolean;
  action: ManifestAction;
  instanceId: string;
  onStarted: (runId: string) => void;
}

/** What an action is asked, before it runs: chosen from an alert, or typed. */
export function ActionForm(props: ActionFormProps): JSX.Element {
  const { place, action, subject } = props;
  const [typed, setTyped] = useState<Record<string, string[]> | null>(null);
  const isChosen =
    place !== null && typed === null && action.parameters.some((parameter) => roleOf(parameter) !== null);
  if (isChosen) return <ChosenForm {...props} place={place} onTyped={setTyped} />;
  return <TypedForm {...props} values={typed ?? (subject === null ? {} : filledIn(action.parameters, subject))} />;
}

function useStart({ action, instanceId, caseId, place, onStarted }: ActionFormProps) {
  return async (parameters: JsonObject, findings: number[] | null): Promise<void> => {
    const from = place?.caseId ?? caseId;
    const body = {
      instanceId,
      action: action.name,
      parameters,
      ...(from !== null && { caseId: from }),
      ...(place !== null && { alertKey: place.known.alertKey }),
      ...(findings !== null && { findings }),
    };
    onStarted((await call("POST /actions", { body })).runId);
  };
}

function ChosenForm(
  props: ActionFormProps & { place: CasePlace; onTyped: (values: Record<string, string[]>) => void },
): JSX.Element {
  const { place, action, subject } = props;
  const { findings } = place.known;
  const objects = objectsIn(findings, subject);
  const [scope, setScope] = useState(() => scopeOf(subject, objects));
  const asked = askedBy(action.parameters, scope, { findings, objects });
  const run = useStart(props);
  const start = useTask(async () => {
    const lists = Object.entries(asked.parameters).map(([name, values]) => [name, listText(values)]);
    await run(Object.fromEntries(lists) as JsonObject, asked.findings);
  });
  useEffect(() => {
    if (props.startsAtOnce && asked.isPossible) start.run();
  }, []);
  return (
    <Form onSubmit={start.run}>
      <p class="muted">{visible(action.description)}</p>
      <ScopeFields
        alerts={place.alerts}
        alertsCut={place.alertsCut}
        known={place.known}
        objects={objects}
        scope={scope}
        hasEnds={action.parameters.some((parameter) => roleOf(parameter) === "start")}
        onAlert={place.onAlert}
        onScope={setScope}
      />
      <p class="asked" role="status">
        {asked.sentence}
      </p>
      <div class="row">
        <Button submit look="primary" icon="play" isBusy={start.isBusy} disabled={!asked.isPossible}>
          Run {action.name}
        </Button>
        <Button
          look="quiet"
          onPress={() => {
            props.onTyped(asked.parameters);
          }}
        >
          Enter other objects
        </Button>
      </div>
    </Form>
  );
}

function TypedForm(props: ActionFormProps & { values: Record<string, string[]> }): JSX.Element {
  const { action } = props;
  const values = Object.entries(props.values).map(([name, entries]) => [name, listText(entries)]);
  const form = useParameters(action.parameters, Object.fromEntries(values) as JsonObject);
  const run = useStart(props);
  const start = useTask(async () => {
    const parameters = form.take();
    if (parameters === null) return;
    try {
      await run(parameters, null);
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
