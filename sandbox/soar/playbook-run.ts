import type { PlaybookRunView, StepStatus } from "../console/contract/index.ts";
import type { Clock } from "../../src/clock.ts";
import type {
  ActionStep,
  BranchStep,
  Condition,
  Playbook,
  Step,
} from "../../src/packaging/google-secops/playbook-source.ts";
import type { AlertEvent } from "../../src/runtime/protocol.ts";
import { messageOf } from "./text.ts";

/** What one step came to. */
export interface StepOutcome {
  ok: boolean;
  message: string;
  /** What `[Step Name.is_success]` stands for. */
  value: string;
  runId: string | null;
}

/** How a playbook acts: an action of its own package, or one of the platform. */
export interface PlaybookActions {
  /** `begun` is called with the id of the run as soon as there is one. */
  act(step: ActionStep, parameters: Record<string, string>, begun: (runId: string) => void): Promise<StepOutcome>;
}

type StepView = PlaybookRunView["steps"][number];

const LONGEST_SHOWN = 200;

/** A failed step ends the playbook, unless it says otherwise. */
class Stopped extends Error {}

/** One run of a playbook on one alert: its steps in order, as the platform runs them. */
export class PlaybookRun {
  private readonly view: PlaybookRunView;
  private readonly events: readonly AlertEvent[];
  private readonly actions: PlaybookActions;
  private readonly clock: Clock;
  private readonly changed: (view: PlaybookRunView) => void;
  private readonly values = new Map<string, string>();

  constructor(options: {
    view: PlaybookRunView;
    events: readonly AlertEvent[];
    actions: PlaybookActions;
    clock: Clock;
    changed: (view: PlaybookRunView) => void;
  }) {
    this.view = options.view;
    this.events = options.events;
    this.actions = options.actions;
    this.clock = options.clock;
    this.changed = options.changed;
  }

  /** Never rejects: what goes wrong stands in the view. */
  async run({ steps }: Playbook): Promise<PlaybookRunView> {
    let failed = false;
    try {
      await this.runSteps(steps);
    } catch (error) {
      failed = true;
      if (!(error instanceof Stopped)) this.endWaiting("failed", messageOf(error));
    }
    this.endWaiting("skipped", "");
    this.view.status = failed ? "failed" : "done";
    this.view.endedAt = this.clock.now();
    this.changed(this.view);
    return this.view;
  }

  private async runSteps(steps: readonly Step[]): Promise<void> {
    for (const step of steps) {
      if ("action" in step) await this.runAction(step);
      else await this.decide(step);
    }
  }

  private async runAction(step: ActionStep): Promise<void> {
    const shown = this.begin(step.name);
    const filled = Object.entries(step.parameters).map(([label, text]): [string, string] => [label, this.filled(text)]);
    const { ok, message, value, runId } = await this.actions.act(step, Object.fromEntries(filled), (id) => {
      shown.runId = id;
      this.changed(this.view);
    });
    this.values.set(step.name.toLowerCase(), value);
    this.end(shown, ok ? "done" : "failed", message, runId);
    if (!ok && step.continueOnFailure !== true) throw new Stopped();
  }

  private async decide({ name, conditions, then, otherwise }: BranchStep): Promise<void> {
    const shown = this.begin(name);
    const failing = conditions.find((condition) => !this.holds(condition));
    const message = failing === undefined ? "Yes." : `No. ${this.found(failing)}`;
    this.end(shown, "done", message, null);
    this.skip(failing === undefined ? otherwise : then);
    await this.runSteps(failing === undefined ? then : otherwise);
  }

  private holds({ field, is, value = "" }: Condition): boolean {
    const found = this.filled(field);
    if (is === "not-empty") return found !== "";
    return is === "equal" ? found.toLowerCase() === value.toLowerCase() : !found.includes(value);
  }

  /** What a condition that does not hold has found. */
  private found({ field }: Condition): string {
    const value = this.filled(field);
    const name = field.replace(/^\[|\]$/g, "");
    if (value === "") return `${name} is empty.`;
    return `${name} is ${value.length > LONGEST_SHOWN ? `${value.slice(0, LONGEST_SHOWN)}…` : value}.`;
  }

  /** A text with its placeholders filled in. A field that differs between the events stands for all of its values. */
  private filled(text: string): string {
    return text.replace(/\[([^[\]]+)\]/g, (_whole, name: string) => {
      const [owner, field] = splitLast(name);
      if (owner !== "Event") return field === "is_success" ? (this.values.get(owner.toLowerCase()) ?? "") : "";
      const values = this.events.map((event) => event[field]).filter((value) => value !== undefined && value !== "");
      return [...new Set(values.map(String))].join(",");
    });
  }

  private begin(name: string): StepView {
    const step = this.step(name);
    step.status = "running";
    step.startedAt = this.clock.now();
    this.changed(this.view);
    return step;
  }

  private end(step: StepView, status: StepStatus, message: string, runId: string | null): void {
    Object.assign(step, { status, message, runId, endedAt: this.clock.now() });
    this.changed(this.view);
  }

  private endWaiting(status: "failed" | "skipped", message: string): void {
    for (const step of this.view.steps) {
      if (step.status === "running") Object.assign(step, { status: "failed", message, endedAt: this.clock.now() });
      else if (step.status === "waiting" && status === "skipped") step.status = "skipped";
    }
  }

  private skip(steps: readonly Step[]): void {
    for (const { name } of allSteps(steps)) this.step(name).status = "skipped";
  }

  private step(name: string): StepView {
    const found = this.view.steps.find((step) => step.name === name);
    if (found === undefined) throw new Error(`The playbook has no step "${name}".`);
    return found;
  }
}

/** Steps with those in their branches, in the order in which they are written. */
export function allSteps(steps: readonly Step[]): Step[] {
  return steps.flatMap((step) =>
    "action" in step ? [step] : [step, ...allSteps(step.then), ...allSteps(step.otherwise)],
  );
}

/** A condition as a person reads it. */
export function inWords({ field, is, value = "" }: Condition): string {
  const name = field.replace(/^\[|\]$/g, "");
  if (is === "not-empty") return `${name} is not empty`;
  return is === "equal" ? `${name} is ${value}` : `${name} does not contain "${value}"`;
}

function splitLast(name: string): [string, string] {
  const dot = name.lastIndexOf(".");
  return [name.slice(0, Math.max(0, dot)), name.slice(dot + 1)];
}
