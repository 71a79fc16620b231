/** An alert in a case of the platform. */
export interface CaseAlert {
  readonly id: string;
  readonly groupId: string;
  readonly vendor: string;
  readonly name: string;
  caseId: number;
  isClosed: boolean;
  /** As the platform counts in what it synchronises: 2 low, 3 medium, 4 high, 5 critical. */
  priority: number;
  closeComment: string | null;
  updatedAt: number;
  events: Record<string, unknown>[];
}

export interface CaseComment {
  readonly caseId: number;
  readonly alert: string;
  readonly text: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

type Given = Readonly<Record<string, unknown>>;

const SYNC_PRIORITIES: Readonly<Record<string, number>> = { "-1": 0, "40": 2, "60": 3, "80": 4, "100": 5 };

/** The cases of a platform, as its SDK reads and changes them. */
export class StandInCases {
  readonly alerts: CaseAlert[] = [];
  readonly comments: CaseComment[] = [];
  /** Groups of the alerts whose status was asked for. */
  readonly asked: string[] = [];
  /** Cases that were asked for. */
  readonly read: number[] = [];
  /** By case. */
  readonly tags = new Map<number, Set<string>>();
  /** What alerts were closed with. */
  readonly closings: Given[] = [];
  /** Requests that are answered, and change nothing. */
  readonly ignored = new Set<string>();
  /** Cases that the platform fails to return. */
  readonly unreadable = new Set<number>();
  /** Cases that the platform answers with nothing. */
  readonly empty = new Set<number>();
  /** How many rows of a list the platform returns at most, whatever it is asked for. */
  longestPage = Infinity;
  /** The platform may move an alert that is closed alone to a case of its own. */
  closesInto: number | null = null;
  /** Whether the platform says to which alert a comment belongs. */
  namesAlertOfComment = true;

  /** What the platform answers; undefined when it has no such operation. `path` follows `/api/external/v1/`. */
  answer(path: string, given: Given): unknown {
    const [first = "", second = ""] = path.replace(/^sdk\//, "").split("/");
    if (path === "sdk/sync/alerts/metadata") return this.#metadata(given);
    if (path === "sdk/sync/alerts") return this.#synced(given["alert_group_ids"] as string[]);
    if (first === "CaseFullDetails") return this.#details(Number(second));
    if (first === "GetCaseComments") return this.#commentsOf(Number(second));
    if (first === "GetCasesIdByFilter") return this.#tagged(given["tags"] as string[]);
    const change = this.#changes[path];
    if (change === undefined) return undefined;
    if (!this.ignored.has(path)) change(given);
    return {};
  }

  /** Closes or reopens an alert, as a person does. */
  byPerson(id: string, status: "closed" | "open", closeComment: string | null = "Done."): void {
    const alert = this.#alert(id);
    Object.assign(alert, { isClosed: status === "closed", closeComment, updatedAt: Date.now() });
  }

  readonly #changes: Readonly<Record<string, (given: Given) => void>> = {
    "sdk/AddTag": ({ tag, case_id }) => {
      const tags = this.tags.get(Number(case_id)) ?? new Set();
      this.tags.set(Number(case_id), tags.add(String(tag)));
    },
    "sdk/CloseAlert": (given) => {
      const alert = this.#alert(given["alert_identifier"]);
      this.closings.push(given);
      Object.assign(alert, { isClosed: true, closeComment: given["comment"], updatedAt: Date.now() });
      alert.caseId = this.closesInto ?? alert.caseId;
    },
    "dynamic-cases/ReopenAlert": ({ alertIdentifier }) => {
      Object.assign(this.#alert(alertIdentifier), { isClosed: false, closeComment: null });
    },
    "sdk/UpdateAlertPriority": ({ alertIdentifier, priority }) => {
      this.#alert(alertIdentifier).priority = SYNC_PRIORITIES[String(priority)] ?? -1;
    },
    "cases/comments": ({ case_id, alert_identifier, comment }) => {
      const text = String(comment);
      this.comments.push({ caseId: Number(case_id), alert: String(alert_identifier), text, at: Date.now() });
    },
  };

  #alert(id: unknown): CaseAlert {
    const alert = this.alerts.find((candidate) => candidate.id === id);
    if (alert === undefined) throw new Error(`There is no alert ${String(id)}.`);
    return alert;
  }

  #metadata({ vendor, start_timestamp_unix_ms: since, items_count: count }: Given): object[] {
    return this.alerts
      .filter((alert) => alert.vendor === vendor && alert.updatedAt >= Number(since))
      .sort((a, b) => a.updatedAt - b.updatedAt)
      .slice(0, Math.min(Number(count), this.longestPage))
      .map(({ groupId, updatedAt }) => ({ group_id: groupId, tracking_time_unix_time_in_ms: updatedAt }));
  }

  #synced(groupIds: readonly string[]): object[] {
    this.asked.push(...groupIds);
    return this.alerts
      .filter(({ groupId }) => groupIds.includes(groupId))
      .map((alert) => ({
        group_id: alert.groupId,
        id: alert.id,
        case_id: alert.caseId,
        environment: "Default Environment",
        priority: alert.priority,
        status: alert.isClosed ? 1 : 0,
        ticket_id: alert.id,
        creation_time_unix_time_in_ms: 0,
        close_comment: alert.isClosed ? alert.closeComment : null,
        close_reason: alert.isClosed ? 2 : null,
        close_root_cause: alert.isClosed ? "Other" : null,
        close_usefulness: null,
        siem_alert_id: null,
      }));
  }

  #details(caseId: number): object | null {
    this.read.push(caseId);
    if (this.empty.has(caseId)) return null;
    if (this.unreadable.has(caseId)) throw new Error(`Case ${caseId} cannot be read.`);
    const alerts = this.alerts.filter((alert) => alert.caseId === caseId);
    return {
      identifier: String(caseId),
      cyber_alerts: alerts.map(({ id, groupId, name, events }) => ({
        identifier: id,
        alert_group_identifier: groupId,
        name,
        security_events: events.map((fields) => ({ additional_properties: fields })),
      })),
    };
  }

  #commentsOf(caseId: number): object[] {
    const comments = this.comments.filter((comment) => comment.caseId === caseId);
    return comments.map(({ text, alert, at }) => ({
      comment: text,
      alert_identifier: this.namesAlertOfComment ? alert : null,
      creation_time_unix_time_in_ms: at,
    }));
  }

  #tagged(tags: readonly string[]): number[] {
    return [...this.tags].flatMap(([caseId, own]) => (tags.some((tag) => own.has(tag)) ? [caseId] : []));
  }
}
