import { expect } from "@jest/globals";
import type { AlertChangeMessage, JobRequest } from "../../src/runtime/protocol.ts";
import { done } from "./fake-plugin.ts";
import type { StandInNode } from "./installation.ts";
import type { StandInPlatform } from "./platform.ts";
import type { CaseAlert } from "./platform-cases.ts";
import { type JobAnswer, jobIdentifier, runJob } from "./run-script.ts";
import { type StandIns, standInsForEachTest } from "./stand-ins.ts";

export const JOB_TAG = "Attack Path Remediated";
/** Begins each comment of the job. */
export const JOB_MARK = "Follow Up Findings: ";
/** Begins the comment with which it closes an alert. */
export const CLOSING_MARK = "Follow Up Findings (closed): ";
export const jobParameters = {
  Server: "https://tenant.test/ui/attack-paths",
  "Token Key": "a-secret-key",
  "Close Alerts": "true",
};
/** The property of the platform in which the script stores its state. */
const STATE = `3/${jobIdentifier}/checkpoint`;

type SentAlert = JobRequest["alerts"][number];
type ChangeMessage = ReturnType<typeof changeOf>;

/** The job script on a platform that has the alerts A1 and A2 of this product in case 12, and another product's in case 13. */
export class JobRuns {
  readonly node: StandInNode;
  readonly platform: StandInPlatform;

  constructor({ node, platform }: StandIns) {
    this.node = node;
    this.platform = platform;
    platform.cases.alerts.push(alertOf("A1", 12), alertOf("A2", 12), alertOf("A3", 13, { vendor: "Somebody Else" }));
  }

  /** @param messages - what the plugin says */
  async run(messages: readonly object[], given: object = jobParameters): Promise<JobAnswer> {
    await this.node.says(messages);
    return runJob(this.node, this.platform, { parameters: { ...given }, env: this.node.env });
  }

  /** One run in which the plugin asks for changes, and remembers that it did. */
  runWith(...changes: ChangeMessage[]): Promise<JobAnswer> {
    const alerts = Object.fromEntries(changes.flatMap(({ checkpoint }) => Object.entries(checkpoint.alerts)));
    return this.run([...changes, done({ checkpoint: { n: 1, alerts } })]);
  }

  /** A run that makes its changes, and does not live to store its state. */
  async cutShort(...changes: ChangeMessage[]): Promise<void> {
    const { platform } = this;
    platform.beforeStore = (key) => (key === "checkpoint" ? Promise.reject(new Error("killed")) : Promise.resolve());
    expect((await this.runWith(...changes)).exitCode).toBe(1);
    platform.beforeStore = () => Promise.resolve();
  }

  /** What the plugin was told last. */
  async request(): Promise<JobRequest> {
    return (await this.node.heard()) as unknown as JobRequest;
  }

  async sent(id: string): Promise<SentAlert | undefined> {
    return (await this.request()).alerts.find(({ alertId }) => alertId === `group-${id}`);
  }

  get state(): unknown {
    return JSON.parse(this.platform.properties.get(STATE) ?? "null") as unknown;
  }

  storeState(text: string): void {
    this.platform.properties.set(STATE, text);
  }

  alert(id: string): CaseAlert {
    return this.platform.cases.alerts.find((candidate) => candidate.id === id)!;
  }

  /** Of the comments. */
  get texts(): string[] {
    return this.platform.cases.comments.map(({ text }) => text);
  }
}

/** New runs for each test of a suite. */
export function jobForEachTest(): () => JobRuns {
  let job: JobRuns;
  standInsForEachTest((standIns) => (job = new JobRuns(standIns)));
  return () => job;
}

export function alertOf(id: string, caseId: number, overrides: Partial<CaseAlert> = {}): CaseAlert {
  const events = [eventOf(`${id}-f1`, 2), eventOf(`${id}-f2`, 2)];
  const fixed = { isClosed: false, priority: 4, closeComment: null, updatedAt: Date.now() - 1000 };
  return {
    id,
    groupId: `group-${id}`,
    vendor: "Attack Path Analysis Service",
    name: `Paths of ${id}`,
    caseId,
    events,
    ...fixed,
    ...overrides,
  };
}

/** The platform keeps every field as text. */
export function eventOf(id: string, count: number, overrides: object = {}): Record<string, unknown> {
  return {
    finding_id: id,
    environment_id: "S-1-5-21-1",
    finding_type: "T0GenericAll",
    finding_url: "https://tenant.test/ui/attack-paths?type=T0GenericAll",
    source_object_id: "S-1-5-21-1-513",
    target_object_id: "S-1-5-21-1-500",
    severity: "high",
    accepted: "false",
    created_at: "2026-11-20T02:00:00Z",
    start_time: "1790000000000",
    findings_in_alert: String(count),
    ...overrides,
  };
}

export function changeOf(change: AlertChangeMessage["change"], alert = "A1", given: object = {}) {
  return {
    type: "alert_change",
    alertId: `group-${alert}`,
    change,
    reason: "remediated",
    text: `Text of ${change} ${alert}.`,
    evidence: { analyses: [], gone: 2, open: 0 },
    checkpoint: { alerts: { [alert]: { asked: change } } },
    ...given,
  };
}
