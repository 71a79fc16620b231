import type { PlaybookRunView, StepStatus } from "../../console/contract/index.ts";
import type { Clock } from "../../../src/clock.ts";
import type {
  ActionStep,
  BranchStep,
  Condition,
  Playbook,
  Step,
} from "../../../src/packaging/google-secops/playbook-source.ts";
import type { AlertEvent } from "../../../src/runtime/protocol.ts";
import { fillIn, placeholderName, type StepResult } from "./placeholders.ts";
import { messageOf, shortened } from "../../../src/text.ts";

/** What one step came to. */
export interface StepOutcome extends StepResult {
  ok: boolean;
  message: string;
  runId: string | null;
}

/** How a playbook acts: an action of its own package, or one of the platform. */
export interface PlaybookActions {
  /** `begun` is called with the id of the run as soon as there is one. */
  act(step: ActionStep, parameters: Record<string, string>, begun: (runId: string) => void): Promise<StepOutcome>;
}

type StepView = PlaybookRunView["steps"][number];

const LONGEST_SHOWN = 200;

/** The way of a question when no other is taken. */
export const OTHERWISE = "Otherwise";

/** A failed step ends the playbook, unless it says otherwise. */
class Stopped extends Error {}

/** One run of a playbook on one alert: its steps in order, as the platform runs them. */
export class PlaybookRun {
  private readonly view: PlaybookRunView;
  private readonly events: readonly AlertEvent[];
  private readonly actions: PlaybookActions;
  private readonly clock: Clock;
  private readonly changed: (view: PlaybookRunView) => void;
  private readonly results = new Map<string, StepResult>();

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
    const outcome = await this.actions.act(step, Object.fromEntries(filled), (id) => {
      shown.runId = id;
      this.changed(this.view);
    });
    this.results.set(step.name.toLowerCase(), outcome);
    const { ok, message, runId } = outcome;
    this.end(shown, ok ? "done" : "failed", message, runId);
    if (!ok && step.continueOnFailure !== true) throw new Stopped();
  }

  private async decide({ name, branches, otherwise }: BranchStep): Promise<void> {
    const shown = this.begin(name);
    const ways = [...branches, { name: OTHERWISE, conditions: [], steps: otherwise }];
    const taken = ways.find(({ conditions }) => conditions.every((condition) => this.holds(condition)));
    const asked = taken?.conditions.length ? taken.conditions : branches.flatMap(({ conditions }) => conditions);
    const found = new Set(asked.map((condition) => this.found(condition)));
    this.end(shown, "done", [`${taken?.name ?? OTHERWISE}.`, ...found].join(" "), null);
    this.skip(ways.filter((way) => way !== taken).flatMap(({ steps }) => steps));
    await this.runSteps(taken?.steps ?? []);
  }

  private holds({ field, is, value = "" }: Condition): boolean {
    const found = this.filled(field);
    return is === "not-empty" ? found !== "" : found.toLowerCase() === value.toLowerCase();
  }

  /** What a condition has found. */
  private found({ field }: Condition): string {
    const value = this.filled(field);
    const name = placeholderName(field);
    if (value === "") return `${name} is empty.`;
    return `${name} is ${shortened(value, LONGEST_SHOWN)}.`;
  }

  private filled(text: string): string {
    return fillIn(text, { events: this.events, results: this.results });
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
    "action" in step
      ? [step]
      : [step, ...allSteps([...step.branches.flatMap(({ steps: inBranch }) => inBranch), ...step.otherwise])],
  );
}

/** A condition as a person reads it. */
export function inWords({ field, is, value = "" }: Condition): string {
  return `${placeholderName(field)} is ${is === "not-empty" ? "not empty" : value}`;
}
