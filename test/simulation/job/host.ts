import type { AlertChangeMessage, JobAlert, Json, Message, Priority } from "../../../src/runtime/protocol.ts";
import { mergePatch } from "../merge-patch.ts";
import { Random } from "../random.ts";
import { DAY, EPOCH } from "../world.ts";
import type { ScenarioAlert, ScenarioRun } from "./scenario.ts";
import type { Truth } from "./truth.ts";

/** An alert as the host has it. */
export interface HostedAlert {
  readonly plan: ScenarioAlert;
  status: "open" | "closed";
  closedBy: JobAlert["closedBy"];
  closedAt: number | null;
  reopenedBy: JobAlert["reopenedBy"];
  priority: Priority;
  /** A person has closed or reopened it. */
  touched: boolean;
  comments: string[];
  closings: number;
  reopenings: number;
  /** Those that somebody still knows of. */
  knownReopenings: number;
}

/** Keeps alerts and state, changes alerts as it is asked to, and does not always manage. */
export class JobHost {
  state: Json = null;
  readonly alerts = new Map<string, HostedAlert>();
  readonly #truth: Truth;

  constructor(truth: Truth) {
    this.#truth = truth;
    for (const plan of truth.scenario.alerts) {
      this.alerts.set(plan.id, {
        plan,
        status: "open",
        closedBy: null,
        closedAt: null,
        reopenedBy: null,
        priority: plan.priority,
        touched: false,
        comments: [],
        closings: 0,
        reopenings: 0,
        knownReopenings: 0,
      });
    }
  }

  /** A person does something with an alert. */
  act(id: string, act: "close" | "reopen", moment: number): void {
    const alert = this.alerts.get(id);
    if (alert === undefined || alert.plan.from > moment) return;
    if (act === "close" && alert.status === "open") {
      Object.assign(alert, { status: "closed", closedBy: "person", closedAt: this.#clock(moment), touched: true });
    }
    if (act === "reopen" && alert.status === "closed") {
      const reopenedBy = this.#truth.scenario.reportsReopening ? "person" : null;
      Object.assign(alert, { status: "open", reopenedBy, touched: true });
    }
  }

  request(moment: number, { omits }: ScenarioRun): JobAlert[] {
    const now = this.#clock(moment);
    const random = new Random(omits?.seed ?? 0);
    return [...this.alerts.values()].flatMap((alert): JobAlert[] => {
      const { plan, status, closedBy, closedAt, reopenedBy } = alert;
      if (omits !== undefined && random.chance(omits.percent / 100)) return [];
      if (plan.from > moment || (closedAt !== null && status === "closed" && now - closedAt > 30 * DAY)) return [];
      const findings = plan.findings.map((key) => {
        const finding = this.#truth.findings.get(key);
        if (finding === undefined) throw new Error(`There is no finding ${key}.`);
        const { source, target } = finding;
        return { id: String(this.#truth.idOf(finding, plan.from)), source, target, createdAt: EPOCH - DAY };
      });
      const { environment: environmentId, type: findingType, id: alertId, priority } = plan;
      return [
        {
          alertId,
          environmentId,
          findingType,
          status,
          closedBy,
          closedAt,
          reopenedBy: reopenedBy ?? null,
          priority,
          ...(this.#truth.scenario.reportsPriority && { currentPriority: alert.priority }),
          findings,
        },
      ];
    });
  }

  take(message: Message, run: ScenarioRun, moment: number): void {
    if (message.type === "result" && message.checkpoint !== undefined) this.state = message.checkpoint;
    if (message.type !== "alert_change") return;
    this.#change(message, run, moment);
    const { keepsPatches } = this.#truth.scenario;
    if (keepsPatches && message.checkpoint !== undefined) this.state = mergePatch(this.state, message.checkpoint);
  }

  #change({ alertId, change, priority, text }: AlertChangeMessage, { closes }: ScenarioRun, moment: number): void {
    const alert = this.alerts.get(alertId);
    if (alert === undefined) throw new Error(`The host has no alert ${alertId}.`);
    if (change === "comment") alert.comments.push(text);
    if (change === "priority") alert.priority = priority ?? alert.priority;
    if (change === "close" && closes === undefined) {
      alert.closings += 1;
      Object.assign(alert, { status: "closed", closedBy: "job", closedAt: this.#clock(moment), reopenedBy: null });
    }
    if (change === "reopen") {
      alert.reopenings += 1;
      alert.knownReopenings += 1;
      Object.assign(alert, { status: "open", reopenedBy: this.#truth.scenario.reportsReopening ? "job" : null });
    }
  }

  #clock(moment: number): number {
    return hostClockOf(this.#truth, moment);
  }
}

/** What the host's clock shows, in epoch milliseconds. */
export function hostClockOf(truth: Truth, moment: number): number {
  return EPOCH + moment - truth.setBackBy(moment) + truth.aheadBy("host", moment) + truth.scenario.hostAhead;
}
