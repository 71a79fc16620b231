import type { JSX } from "preact";
import { visible } from "../../../../widgets/shared/text.ts";
import type { PlaybookRunView, PlaybookStep, StepStatus } from "../../contract/index.ts";
import { duration } from "../format.ts";
import { Icon, type IconName } from "./icon.tsx";

type RunStep = PlaybookRunView["steps"][number];

const statuses: Readonly<Record<StepStatus, { look: string; icon: IconName; text: string }>> = {
  waiting: { look: "plain", icon: "clock", text: "Waiting" },
  running: { look: "accent", icon: "play", text: "Running" },
  done: { look: "good", icon: "check", text: "Done" },
  failed: { look: "danger", icon: "warning", text: "Failed" },
  skipped: { look: "skipped", icon: "minus", text: "Not run" },
};

/** The steps of a playbook from top to bottom; a question has two ways below it. With a run, each says what became of it. */
export function Flow({ steps, run }: { steps: readonly PlaybookStep[]; run?: PlaybookRunView }): JSX.Element {
  return (
    <ol class="flow">
      {steps.map((step) => (
        <Step key={step.name} step={step} run={run} />
      ))}
    </ol>
  );
}

function Step({ step, run }: { step: PlaybookStep; run: PlaybookRunView | undefined }): JSX.Element {
  const made = run?.steps.find(({ name }) => name === step.name);
  const hasWays = step.then.length > 0 || step.otherwise.length > 0;
  return (
    <li>
      <div class={`flow-step ${step.kind} ${made === undefined ? "" : statuses[made.status].look}`}>
        <p class="row">
          <strong>{visible(step.name)}</strong>
          {step.action !== null && step.action !== step.name && <span class="muted">{visible(step.action)}</span>}
          {made !== undefined && <StepState made={made} />}
        </p>
        {step.conditions.length > 0 && (
          <ul class="conditions">
            {step.conditions.map((condition) => (
              <li key={condition}>{visible(condition)}</li>
            ))}
          </ul>
        )}
        {made !== undefined && made.message !== "" && <p class="foreign">{visible(made.message)}</p>}
        {made?.runId != null && <a href={`/runs/${encodeURIComponent(made.runId)}`}>Open the run</a>}
      </div>
      {hasWays && (
        <div class="flow-ways">
          <Way title="Yes" steps={step.then} run={run} />
          <Way title="No" steps={step.otherwise} run={run} />
        </div>
      )}
    </li>
  );
}

function StepState({ made }: { made: RunStep }): JSX.Element {
  const { icon, text } = statuses[made.status];
  const took = made.startedAt === null || made.endedAt === null ? null : made.endedAt - made.startedAt;
  return (
    <span class="flow-state">
      <Icon name={icon} size={14} /> {text}
      {took !== null && <span class="number"> {duration(took)}</span>}
    </span>
  );
}

function Way(props: { title: string; steps: readonly PlaybookStep[]; run: PlaybookRunView | undefined }): JSX.Element {
  return (
    <div class="flow-way">
      <p class="flow-answer">{props.title}</p>
      {props.steps.length === 0 ? (
        <p class="muted">Nothing to do.</p>
      ) : (
        <Flow steps={props.steps} {...(props.run === undefined ? {} : { run: props.run })} />
      )}
    </div>
  );
}
