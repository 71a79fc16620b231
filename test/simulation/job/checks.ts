import type { AlertChangeMessage, JobAlert } from "../../../src/runtime/protocol.ts";
import type { Span } from "../scenario.ts";
import { DAY, HOUR, inSpan } from "../world.ts";
import { ACCEPTED_PRIORITY, isAnalysisTold, isExcused, isLossKnown, mayBeLeftOut } from "./excuses.ts";
import { hasGoneTypes, mostAtOnce } from "./gone-types.ts";
import type { HostedAlert, JobHost } from "./host.ts";
import type { ScenarioFinding, ScenarioRun, Trouble } from "./scenario.ts";
import type { Truth } from "./truth.ts";
import { restsOnSession } from "./finding-types.ts";

export interface JobViolation {
  readonly invariant:
    | "no false close"
    | "not too early"
    | "paused"
    | "left alone"
    | "one message"
    | "closed"
    | "reopened"
    | "priority"
    | "result";
  readonly detail: string;
}

/** A change, and when the job asked for it. */
export interface AskedChange {
  readonly message: AlertChangeMessage;
  readonly moment: number;
}

/** A run to check. */
export interface CheckedRun {
  readonly plan: ScenarioRun;
  readonly span: Span;
  /** Whether the tenant refused a request. */
  readonly isRefused: boolean;
}

/** What an earlier run could know of the service. */
interface Look {
  readonly at: number;
  readonly analysis: Span;
  /** Ids of the alerts that the host sent. */
  readonly sent: ReadonlySet<string>;
  /** Whether it was not killed, had time, and the service answered. */
  readonly isComplete: boolean;
  /** Whether no analysis ran or ended meanwhile: otherwise nothing is read. */
  readonly isSettled: boolean;
  /** Whether nothing else kept it from reading everything, either. */
  readonly isClear: boolean;
  readonly trouble: Trouble | undefined;
}

/** An analysis that ends while the last answer is on its way is one that nobody can know of. */
const LONGEST_ANSWER_MS = 110;

const HIGH_PRIORITY = 80;

/** Checks the job against the truth of a scenario, without knowing how the job finds it out. */
export class JobChecker {
  readonly violations: JobViolation[] = [];
  readonly #truth: Truth;
  readonly #host: JobHost;
  readonly #looks: Look[] = [];
  /** When the host lost the job's state last. */
  #stateLostAt = 0;
  /** Alerts whose priority was lowered, or that were reopened by a host that does not say so, before the host lost its record of that. */
  readonly #forgotten = new Set<HostedAlert>();

  constructor(truth: Truth, host: JobHost) {
    this.#truth = truth;
    this.#host = host;
  }

  /** One run is over. @param alerts as the host sent them */
  run(changes: readonly AskedChange[], alerts: readonly JobAlert[], run: CheckedRun): void {
    const { plan, span } = run;
    if (plan.state !== undefined) this.#stateIsLost(span[0]);
    const seen = new Set<string>();
    for (const { message, moment } of changes) {
      if (seen.has(message.alertId)) this.#broken("one message", `${message.alertId} twice at ${at(moment)}`);
      seen.add(message.alertId);
      const alert = this.#host.alerts.get(message.alertId);
      const sent = alerts.find(({ alertId }) => alertId === message.alertId);
      if (alert === undefined || sent === undefined) this.#broken("left alone", `${message.alertId} was not sent`);
      else this.#checkChange(message, alert, sent, moment);
      const isClose = message.change === "close" && sent !== undefined;
      if (isClose && hasGoneTypes(this.#truth, this.#host, sent, { alerts, start: span[0] }))
        this.#broken("paused", `${message.alertId} at ${at(moment)}, while many findings are of a type that is gone`);
      if (alert !== undefined && plan.killAfter !== undefined) this.#isForgotten(alert, message);
    }
    this.#look(run, alerts);
  }

  #stateIsLost(moment: number): void {
    this.#stateLostAt = moment;
    for (const alert of this.#host.alerts.values()) {
      const isReopened = alert.reopenings > 0 && !this.#truth.scenario.reportsReopening;
      if (isReopened || alert.priority !== alert.plan.priority) this.#forgotten.add(alert);
      // The host says that the job reopened it, but not how often.
      alert.knownReopenings = Math.min(alert.knownReopenings, 1);
    }
  }

  /** A run was killed, and a host that keeps no patches knows nothing of what it asked for, but what it sees of its alerts. */
  #isForgotten(alert: HostedAlert, { change }: AlertChangeMessage): void {
    const { keepsPatches, reportsReopening } = this.#truth.scenario;
    const isSeen = change === "close" || change === "comment" || (change === "reopen" && reportsReopening);
    if (!keepsPatches && !isSeen) this.#forgotten.add(alert);
  }

  #look({ plan, span: [start, end], isRefused }: CheckedRun, alerts: readonly JobAlert[]): void {
    const truth = this.#truth;
    const analyses = truth.analysesBefore(end);
    const analysis = analyses.at(-1);
    if (analysis === undefined) return;
    const isSettled =
      analyses.length === truth.analysesBefore(start).length && !truth.isAnalysing(start) && !truth.isAnalysing(end);
    const trouble = truth.troubleAt(start) ?? truth.troubleAt(end);
    // While the token sees less than before, the job may decide nothing.
    const seesAll = truth.scenario.environments.every(
      ({ hidden, removedAt, hiddenZones }) => hidden.length + hiddenZones.length === 0 && removedAt === null,
    );
    const isFailing = truth.isAnyFailing(start) || truth.isAnyFailing(end);
    const hadTime = plan.killAfter === undefined && plan.timeMs === undefined && !isRefused;
    const isComplete = trouble === undefined && !isFailing && hadTime;
    const sent = new Set(alerts.map(({ alertId }) => alertId));
    const isClear = isComplete && isSettled && seesAll;
    this.#looks.push({ at: start, analysis, sent, isComplete, isSettled, isClear, trouble });
  }

  #checkChange(message: AlertChangeMessage, alert: HostedAlert, sent: JobAlert, moment: number): void {
    const what = `${message.change} of ${message.alertId} at ${at(moment)}`;
    if (alert.touched) this.#broken("left alone", `${what}, which a person had closed or reopened`);
    if (message.change === "close") this.#checkClose(alert, sent, what, moment);
    if (message.change === "reopen" && sent.status !== "closed") this.#broken("left alone", `${what}, which is open`);
    if (message.text.length < 20) this.#broken("one message", `${what} has no text`);
  }

  #checkClose(alert: HostedAlert, sent: JobAlert, what: string, moment: number): void {
    if (sent.status !== "open") this.#broken("left alone", `${what}, which is closed`);
    const before = this.#truth.analysesBefore(moment - LONGEST_ANSWER_MS);
    const now = this.#truth.analysesBefore(moment);
    for (const finding of this.#findingsOf(alert)) {
      if (this.#looksHidden(finding, moment)) continue;
      const wrong = this.#wrong(finding, alert, now, moment);
      if (wrong !== null && this.#wrong(finding, alert, before, moment) !== null)
        this.#broken(wrong, `${what}: ${finding.key}`);
    }
  }

  /** What is wrong with a close after some analyses. */
  #wrong(
    finding: ScenarioFinding,
    alert: HostedAlert,
    analyses: readonly Span[],
    moment: number,
  ): JobViolation["invariant"] | null {
    const last = analyses.at(-1);
    const collected = last === undefined ? -Infinity : this.#truth.dataOf(finding, last);
    const isLongAbsent = this.#isLongAbsent(finding, alert, analyses, moment);
    const exists = this.#truth.isReal(finding, Math.max(0, collected));
    const looksFixed =
      isLongAbsent && last !== undefined && (flapsAt(finding, last) || this.#isLossSmall(finding, last));
    if (exists && !looksFixed) return "no false close";
    return isLongAbsent ? null : "not too early";
  }

  /**
   * Whether two analyses did not have it that lie as far apart as the wait, and no run between them could see it. Two analyses
   * that lack a finding with none between them that was read are what a fix looks like.
   */
  #isLongAbsent(
    finding: ScenarioFinding,
    { plan, knownReopenings }: HostedAlert,
    analyses: readonly Span[],
    moment: number,
  ): boolean {
    const last = analyses.at(-1);
    if (last === undefined || this.#truth.isFound(finding, last)) return false;
    // No analysis is read twice: what a false list said of it stands until the next one.
    const misread = new Set(
      this.#looks.filter(({ trouble }) => trouble === "empty lists").map((look) => look.analysis),
    );
    const seen = this.#looks.findLastIndex(
      ({ isClear, analysis, sent }) =>
        isClear && sent.has(plan.id) && !misread.has(analysis) && this.#truth.isFound(finding, analysis),
    );
    const seenAt = this.#looks[seen]?.analysis[1] ?? -Infinity;
    const emptied = this.#looks.slice(seen + 1).filter(({ trouble }) => trouble === "empty lists");
    const absent = [
      ...analyses.filter((analysis) => analysis[1] > seenAt && !this.#truth.isFound(finding, analysis)),
      ...(finding.source === null ? emptied.map(({ analysis }) => analysis) : []),
    ];
    const end = this.#plausibleEnd(last, moment);
    return absent.some((analysis) => end - analysis[1] >= this.#wait(finding, knownReopenings));
  }

  /**
   * Whether a loss of many findings looks like the fix of a few: the alerts have few of them, and so do the lists, unless the job has
   * lost what it knew of these.
   */
  #isLossSmall({ environment, flaps }: ScenarioFinding, [, end]: Span): boolean {
    const loss = flaps.find((span) => inSpan(end, span));
    if (loss === undefined) return false;
    // Findings of a type that has been gone for a week are withdrawn, and nobody looks for them.
    const alerts = [...this.#host.alerts.values()].filter(
      ({ plan }) =>
        plan.environment === environment && !this.#truth.isTypeRemoved(environment, plan.type, end - 7 * DAY),
    );
    const isSmall = (findings: readonly ScenarioFinding[]): boolean =>
      findings.filter((finding) => finding.flaps.includes(loss)).length <= mostAtOnce(findings);
    const types = new Set(alerts.map(({ plan }) => plan.type));
    const listed = this.#truth.scenario.findings.filter(
      (each) => each.environment === environment && types.has(each.type),
    );
    const knewLists = this.#looks.some(
      ({ at, analysis, isComplete, isSettled, sent }) =>
        isComplete &&
        isSettled &&
        at >= this.#stateLostAt &&
        analysis[1] < loss[0] &&
        alerts.every(({ plan }) => plan.from > at || sent.has(plan.id)),
    );
    return isSmall([...new Set(alerts.flatMap((alert) => this.#findingsOf(alert)))]) && (!knewLists || isSmall(listed));
  }

  /** Nobody can know that the service's clock was ahead when an analysis ended, and right again before anybody looked. */
  #plausibleEnd(analysis: Span, moment: number): number {
    const [, end] = analysis;
    const reportedEnd = end + this.#truth.aheadBy("service", end);
    const first = this.#looks.find((look) => look.isComplete && look.analysis === analysis);
    return reportedEnd <= (first?.at ?? moment) ? reportedEnd : end;
  }

  /** Whether a zone was hidden that the finding is in before the job had state and an alert there to look for, and no graph shows it. */
  #looksHidden(finding: ScenarioFinding, moment: number): boolean {
    const { source, environment, zone } = finding;
    if (source !== null) return false;
    const alerts = this.#truth.scenario.alerts.filter((alert) => alert.environment === environment);
    const from = Math.max(this.#stateLostAt, Math.min(...alerts.map((alert) => alert.from)));
    const knownSince = this.#looks.find(({ at, isComplete }) => isComplete && at >= from)?.at ?? Infinity;
    const { hiddenZones } = this.#truth.environment(environment);
    return hiddenZones.some(({ zone: hidden, span }) => {
      if (hidden !== zone || span[0] > knownSince) return false;
      // What was fixed meanwhile has been missed since then, too.
      return inSpan(moment, span) || (inSpan(knownSince, span) && !this.#truth.isReal(finding, moment));
    });
  }

  #wait({ type }: ScenarioFinding, reopenings: number): number {
    return Math.min(14 * DAY, (restsOnSession(type) ? 72 : 24) * HOUR * 2 ** reopenings);
  }

  /** Everything has been quiet for long: what was fixed is closed, and what holds is open. */
  end(): void {
    const { end, quietFrom } = this.#truth.scenario;
    for (const alert of this.#host.alerts.values()) {
      const findings = this.#findingsOf(alert);
      if (alert.touched || this.#forgotten.has(alert) || isExcused(this.#truth, alert, end)) continue;
      const isFixed = findings.every((finding) => finding.real.every(([, until]) => until < quietFrom));
      const id = alert.plan.id;
      const isClosable = this.#canBeKnown(alert) && !mayBeLeftOut(alert, findings);
      if (isFixed && alert.status === "open" && isClosable) this.#broken("closed", `${id} is still open`);
      const isBack = findings.some(
        (finding) => this.#truth.isReal(finding, end) && !this.#truth.isAccepted(finding, end),
      );
      if (isBack && alert.status === "closed") this.#broken("reopened", `${id} is still closed`);
      this.#checkPriority(alert, findings, end);
    }
  }

  #checkPriority(alert: HostedAlert, findings: readonly ScenarioFinding[], end: number): void {
    if (alert.status === "closed" || findings.some((finding) => !this.#truth.isReal(finding, end))) return;
    const accepted = findings.every((finding) => this.#truth.isAccepted(finding, end));
    const some = findings.some((finding) => !this.#truth.isAccepted(finding, end));
    const wanted = accepted ? ACCEPTED_PRIORITY : some ? this.#priorityOf(alert) : alert.priority;
    if (alert.priority !== wanted) this.#broken("priority", `${alert.plan.id} has ${alert.priority}, not ${wanted}`);
  }

  /** One that was delivered with a low priority gets that of its findings, all of which are high, once one was accepted. */
  #priorityOf({ plan, priority }: HostedAlert): number {
    return plan.priority > ACCEPTED_PRIORITY || priority === ACCEPTED_PRIORITY ? plan.priority : HIGH_PRIORITY;
  }

  #canBeKnown(alert: HostedAlert): boolean {
    const isEmptied = this.#looks.some(({ trouble }) => trouble === "empty lists" || trouble === "empty pair lists");
    return isAnalysisTold(this.#truth, this.#host, alert) && isLossKnown(this.#truth, alert, { isEmptied });
  }

  #findingsOf({ plan }: HostedAlert): ScenarioFinding[] {
    return plan.findings.map((key) => {
      const finding = this.#truth.findings.get(key);
      if (finding === undefined) throw new Error(`There is no finding ${key}.`);
      return finding;
    });
  }

  broken(detail: string): void {
    this.#broken("result", detail);
  }

  #broken(invariant: JobViolation["invariant"], detail: string): void {
    this.violations.push({ invariant, detail });
  }
}

/** Whether just this analysis lacks it. */
function flapsAt({ flaps }: ScenarioFinding, [, end]: Span): boolean {
  return flaps.some(([from, until]) => from === end && until === end + 1);
}

function at(moment: number): string {
  return `day ${(moment / DAY).toFixed(2)}`;
}
