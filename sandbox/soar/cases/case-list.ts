import type {
  AlertRow,
  CaseChange,
  CaseFacets,
  CaseRow,
  CasesQuery,
  CaseView,
  Overview,
  Page,
} from "../../console/contract/index.ts";
import type { Clock } from "../../../src/clock.ts";
import type { AlertStore } from "./alert-store.ts";
import { CASE_COLUMNS, caseRow, SEVERITY_RANKS, type StoredCase } from "./cases.ts";
import { instanceFor } from "../configurations.ts";
import type { Database } from "../database.ts";
import { alertOf } from "./event-key.ts";
import { wordQuery } from "./event-row.ts";
import { HostError, required } from "../host-error.ts";
import type { LiveEvents } from "../live.ts";
import { allOf, behind, countOf, equals, page, pageSize, type Condition } from "../paging.ts";
import type { PlaybookRuns } from "../playbooks/playbook-runs.ts";
import type { RunRecords } from "../runs/run-records.ts";
import type { Store } from "../store.ts";
import { PRIORITIES } from "../../console/contract/cases.ts";

export interface CasesParts {
  db: Database;
  store: Store;
  alerts: AlertStore;
  records: RunRecords;
  playbookRuns: PlaybookRuns;
  live: LiveEvents;
  clock: Clock;
}

/** How the list is sorted: always the greatest first. */
const SORTS: Record<NonNullable<CasesQuery["sort"]>, { columns: string[]; keys: (row: StoredCase) => number[] }> = {
  severity: {
    columns: ["c.severity_rank", "c.events", "c.id"],
    keys: ({ rank, events, id }) => [rank, events, id],
  },
  updated: { columns: ["c.updated_at", "c.id"], keys: ({ updatedAt, id }) => [updatedAt, id] },
  events: { columns: ["c.events", "c.id"], keys: ({ events, id }) => [events, id] },
};
const MOST_TAGS = 100;
const LONGEST_TAG = 100;
const LONGEST_COMMENT = 10_000;
const MOST_LISTED = 500;
/** Values of one filter of the list. */
const MOST_OFFERED = 100;

/** Cases as people work with them. */
export class Cases {
  private readonly parts: CasesParts;

  constructor(parts: CasesParts) {
    this.parts = parts;
  }

  /** The worst first, unless another order is asked for. */
  list(query: CasesQuery = {}): Page<CaseRow> {
    const { db } = this.parts;
    const { columns, keys } = SORTS[query.sort ?? "severity"];
    const size = pageSize(query.limit);
    const filter = allOf([...conditions(query), this.holding(query.text ?? "")]);
    const total = countOf(db, "cases c", filter);
    const { sql, values } = allOf([filter, behind(columns, query.cursor)]);
    const order = columns.map((column) => `${column} DESC`).join(", ");
    const rows = db.all(
      `SELECT ${CASE_COLUMNS} FROM cases c WHERE ${sql} ORDER BY ${order} LIMIT ?`,
      ...values,
      size + 1,
    ) as StoredCase[];
    return page(rows, { size, total, keys, show: caseRow });
  }

  /** Numbers of all that is stored. */
  counts(): Omit<Overview["counts"], "runningRuns"> {
    return this.parts.db.first(
      `SELECT count(*) FILTER (WHERE status = 'open') AS openCases, count(*) AS cases,
         coalesce(sum(alerts), 0) AS alerts, coalesce(sum(events), 0) AS events FROM cases`,
    ) as ReturnType<Cases["counts"]>;
  }

  /** What the filters of the list offer. */
  facets(): CaseFacets {
    const { db } = this.parts;
    const ranks = db.all(
      "SELECT severity_rank AS rank, count(*) AS cases FROM cases GROUP BY severity_rank ORDER BY severity_rank DESC",
    ) as { rank: number; cases: number }[];
    return {
      severities: ranks.map(({ rank, cases }) => ({ severity: SEVERITY_RANKS[rank] ?? "unknown", cases })),
      environments: db.all(
        `SELECT environment_name AS name, count(*) AS cases FROM cases GROUP BY environment_name
         ORDER BY cases DESC, name LIMIT ${MOST_OFFERED}`,
      ) as CaseFacets["environments"],
      tags: db.all(
        `SELECT tag, count(*) AS cases FROM case_tags GROUP BY tag ORDER BY cases DESC, tag LIMIT ${MOST_OFFERED}`,
      ) as CaseFacets["tags"],
    };
  }

  /** @throws HostError when there is no such case. */
  view(id: number): CaseView {
    const { db, alerts, records, playbookRuns } = this.parts;
    const found = db.first(`SELECT ${CASE_COLUMNS}, c.rule, c.because FROM cases c WHERE c.id = ?`, id);
    const row = required(found as (StoredCase & { rule: string; because: string }) | null, "case", id);
    const alertList = alerts.alerts({ caseId: id, limit: MOST_LISTED });
    return {
      ...caseRow(row),
      rule: row.rule,
      because: row.because,
      entityList: db.all(
        `SELECT type, identifier, kind, events FROM case_entities WHERE case_id = ?
         ORDER BY events DESC, type, identifier LIMIT ${MOST_LISTED}`,
        id,
      ) as CaseView["entityList"],
      alertList,
      instance: this.instanceOf(alertList),
      worstOfType: alerts.worstOfType(id),
      comments: this.notes(id, "comment").toReversed(),
      actions: records.actionsOf(id),
      playbookRuns: playbookRuns.ofCase(id),
      history: this.notes(id, "history").map(({ at, by, text }) => ({ at, by, text })),
      totals: this.totals(id),
    };
  }

  /** Closes or reopens a case, sets its priority, adds and removes tags. A closed case takes no further alerts. */
  change(id: number, change: CaseChange, by: string): CaseView {
    const { db, alerts, clock } = this.parts;
    const { status, priority } = this.row(id);
    const notes: string[] = [];
    db.transaction(() => {
      if (change.status !== undefined && change.status !== status) {
        if (change.status === "closed") alerts.closeCase(id, clock.now());
        else alerts.reopenCase(id);
        notes.push(change.status === "closed" ? "Closed the case." : "Reopened the case.");
      }
      if (change.priority !== undefined && change.priority !== priority) {
        const name = PRIORITIES.get(change.priority);
        if (name === undefined)
          throw new HostError(400, `${change.priority} is no priority. Choose one from the list.`);
        db.run("UPDATE cases SET priority = ?, priority_by_person = 1 WHERE id = ?", change.priority, id);
        notes.push(`Set the priority to ${name}.`);
      }
      notes.push(...this.changeTags(id, change));
      if (notes.length === 0) return;
      db.run("UPDATE cases SET updated_at = ? WHERE id = ?", clock.now(), id);
      for (const text of notes) this.note(id, "history", by, text);
    });
    return this.changed(id);
  }

  /** Sets the priority of an alert. Its case takes the highest one of its alerts, unless a person has set that of the case. */
  changeAlert(alertKey: number, priority: number, by: string): CaseView {
    const { db, alerts, clock } = this.parts;
    const id = alerts.caseOf(alertKey);
    db.transaction(() => {
      alerts.setPriority(alertKey, priority);
      db.run("UPDATE cases SET updated_at = ? WHERE id = ?", clock.now(), id);
      this.note(id, "history", by, `Set the priority of alert ${alertKey} to ${PRIORITIES.get(priority) ?? priority}.`);
    });
    return this.changed(id);
  }

  /** Closes or reopens an alert, which no job touches from then on. Its case is closed with its last open alert. */
  changeAlertStatus(alertKey: number, status: "open" | "closed", by: string): CaseView {
    const { db, alerts, clock } = this.parts;
    const id = alerts.caseOf(alertKey);
    db.transaction(() => {
      const isChanged =
        status === "closed" ? alerts.close(alertKey, "person", clock.now()) : alerts.reopen(alertKey, "person");
      if (!isChanged) return;
      const title = alerts.alerts({ key: alertKey })[0]?.title ?? "";
      db.run("UPDATE cases SET updated_at = ? WHERE id = ?", clock.now(), id);
      this.note(id, "history", by, `${status === "closed" ? "Closed" : "Reopened"} alert "${title}".`);
    });
    return this.changed(id);
  }

  /** Adds a comment. @throws HostError when it is empty or too long. */
  comment(id: number, text: string, by: string): CaseView {
    this.row(id);
    const trimmed = text.trim();
    if (trimmed === "") throw new HostError(400, "The comment is empty. Write something.");
    if (trimmed.length > LONGEST_COMMENT)
      throw new HostError(400, `A comment has at most ${LONGEST_COMMENT} characters.`);
    this.note(id, "comment", by, trimmed);
    return this.changed(id);
  }

  private changeTags(id: number, { addTags = [], removeTags = [] }: CaseChange): string[] {
    const { db } = this.parts;
    const tags = [...new Set(addTags.map((tag) => tag.trim()))];
    if (tags.some((tag) => tag === "" || tag.length > LONGEST_TAG)) {
      throw new HostError(400, `A tag has 1 to ${LONGEST_TAG} characters.`);
    }
    const removed = removeTags.filter(
      (tag) => db.run("DELETE FROM case_tags WHERE case_id = ? AND tag = ?", id, tag) > 0,
    );
    const added = tags.filter((tag) => db.run("INSERT OR IGNORE INTO case_tags VALUES (?, ?)", id, tag) > 0);
    if (this.row(id).tags.length > MOST_TAGS) throw new HostError(400, `A case has at most ${MOST_TAGS} tags.`);
    return [...removed.map((tag) => `Removed the tag ${tag}.`), ...added.map((tag) => `Added the tag ${tag}.`)];
  }

  /** Cases with the text in their title, or its words in one of their events. */
  private holding(text: string): Condition | null {
    const words = wordQuery(text);
    if (words === null) return null;
    // Searched for once, because the list needs it twice.
    const found = this.parts.db.first(
      `SELECT json_group_array(case_id) AS ids FROM alerts
       WHERE key IN (SELECT DISTINCT ${alertOf("rowid")} FROM event_words WHERE event_words MATCH ?)`,
      words,
    ) as { ids: string };
    return {
      sql: "instr(upper(c.title), upper(?)) > 0 OR c.id IN (SELECT value FROM json_each(?))",
      values: [text.trim(), found.ids],
    };
  }

  /** Of the worst alert whose connector is still there. */
  private instanceOf(alertList: readonly AlertRow[]): CaseView["instance"] {
    const { store } = this.parts;
    const connectors = store.connectors();
    const [connector] = alertList.flatMap(({ connectorId }) => connectors.filter(({ id }) => id === connectorId));
    if (connector === undefined) return null;
    const instance = instanceFor(store, connector, store.package(connector.packageId).identifier);
    return instance && { id: instance.id, name: instance.name };
  }

  private row(id: number): CaseRow {
    return required(this.parts.alerts.cases({ caseId: id })[0], "case", id);
  }

  private note(id: number, kind: "comment" | "history", by: string, text: string): void {
    this.parts.db.insert("case_notes", { case_id: id, kind, by, at: this.parts.clock.now(), text });
  }

  private totals(id: number): CaseView["totals"] {
    const { db } = this.parts;
    const notes = (kind: string): number =>
      countOf(db, "case_notes", { sql: "case_id = ? AND kind = ?", values: [id, kind] });
    const ofCase = { sql: "case_id = ?", values: [id] };
    return {
      comments: notes("comment"),
      actions: countOf(db, "runs", ofCase),
      playbookRuns: countOf(db, "playbook_runs", ofCase),
      history: notes("history"),
    };
  }

  /** The newest first. */
  private notes(id: number, kind: "comment" | "history"): CaseView["comments"] {
    const sql = `SELECT id, by, at, text FROM case_notes WHERE case_id = ? AND kind = ? ORDER BY id DESC LIMIT ${MOST_LISTED}`;
    return this.parts.db.all(sql, id, kind) as CaseView["comments"];
  }

  private changed(id: number): CaseView {
    this.parts.live.emit({ type: "case", caseId: id });
    return this.view(id);
  }
}

function conditions({ status, severity, environment, tag, connector }: CasesQuery): (Condition | null)[] {
  return [
    equals("c.status", status),
    equals("c.severity_rank", severity && SEVERITY_RANKS.indexOf(severity)),
    equals("c.environment_name", environment),
    tag === undefined
      ? null
      : { sql: "EXISTS (SELECT 1 FROM case_tags t WHERE t.case_id = c.id AND t.tag = ?)", values: [tag] },
    connector === undefined
      ? null
      : { sql: "c.id IN (SELECT case_id FROM alerts WHERE connector_id = ?)", values: [connector] },
  ];
}
