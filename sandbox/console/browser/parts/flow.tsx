import type { JSX } from "preact";
import { visible } from "../../../../widgets/shared/text.ts";
import type { PlaybookBranch, PlaybookRunView, PlaybookStep, StepStatus } from "../../contract/index.ts";
import { runUrl } from "../urls.ts";
import { Icon, type IconName } from "./icon.tsx";
import { durationText } from "../../../../src/text.ts";

type RunStep = PlaybookRunView["steps"][number];

const statuses: Readonly<Record<StepStatus, { look: string; icon: IconName; text: string }>> = {
  waiting: { look: "plain", icon: "clock", text: "Waiting" },
  running: { look: "accent", icon: "play", text: "Running" },
  // Not green: what a step found may be bad news.
  done: { look: "plain", icon: "check", text: "Done" },
  failed: { look: "danger", icon: "warning", text: "Failed" },
  skipped: { look: "skipped", icon: "minus", text: "Not run" },
};

/** The steps of a playbook from top to bottom; a question has its ways below it. With a run, each says what became of it. */
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
  return (
    <li>
      <div class={`flow-step ${step.kind} ${made === undefined ? "" : statuses[made.status].look}`}>
        <p class="row">
          <strong>{visible(step.name)}</strong>
          {step.action !== null && step.action !== step.name && <span class="muted">{visible(step.action)}</span>}
          {made !== undefined && <StepState made={made} />}
        </p>
        {made !== undefined && made.message !== "" && <p class="foreign">{visible(made.message)}</p>}
        {made?.runId != null && <a href={runUrl(made.runId)}>Open the run</a>}
      </div>
      {step.branches.length > 0 && (
        <div class="flow-ways">
          {step.branches.map((branch) => (
            <Way key={branch.name} branch={branch} run={run} />
          ))}
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
      {took !== null && <span class="number"> {durationText(took)}</span>}
    </span>
  );
}

function Way({ branch, run }: { branch: PlaybookBranch; run: PlaybookRunView | undefined }): JSX.Element {
  const { name, conditions, steps } = branch;
  return (
    <div class="flow-way">
      <p class="flow-answer">{visible(name)}</p>
      {conditions.length > 0 && (
        <ul class="conditions">
          {conditions.map((condition) => (
            <li key={condition}>{visible(condition)}</li>
          ))}
        </ul>
      )}
      {steps.length === 0 ? <p class="muted">Nothing to do.</p> : <Flow steps={steps} {...(run && { run })} />}
    </div>
  );
}
