import type { Alert, AlertEvent, Severity } from "../../../src/runtime/protocol.ts";
import type { AlertRow, CaseRow, EventRow } from "../../soar/rows.ts";
import type { ActionHistory, PlaybookRunView } from "./runs.ts";

/** How platforms call the priorities that they count. */
export const PRIORITIES: ReadonlyMap<number, string> = new Map([
  [100, "critical"],
  [80, "high"],
  [60, "medium"],
  [40, "low"],
  [-1, "informative"],
]);

export type { AlertRow, CaseRow, EventRow } from "../../soar/rows.ts";

export interface CasesQuery {
  status?: "open" | "closed";
  severity?: Severity;
  environment?: string;
  tag?: string;
  /** Id of a connector that delivered alerts into it. */
  connector?: string;
  /** Words of a title, an entity, an event's principal or a finding type. */
  text?: string;
  /** The worst first when absent. */
  sort?: "severity" | "updated" | "events";
  cursor?: string;
  limit?: number;
}

/** What the filters of the list offer, with the number of cases; at most 100 of each, the most frequent. */
export interface CaseFacets {
  environments: { name: string; cases: number }[];
  severities: { severity: Severity; cases: number }[];
  tags: { tag: string; cases: number }[];
}

export interface CaseView extends CaseRow {
  /** Why its alerts are together, in one sentence. */
  because: string;
  rule: string;
  /** The most frequent, at most 500. */
  entityList: { type: string; identifier: string; kind: "entity" | "indicator"; events: number }[];
  /** The worst, at most 500. */
  alertList: AlertRow[];
  /** The instance for the tenant that its alerts came from; null: there is none. */
  instance: { id: string; name: string } | null;
  /** The worst alert of each finding type. */
  worstOfType: AlertRow[];
  /** The newest 500, in the order in which they were written. */
  comments: { id: number; by: string; at: number; text: string }[];
  /** The newest 200. */
  actions: ActionHistory[];
  /** The newest 200. */
  playbookRuns: PlaybookRunView[];
  /** What was done to the case: opened, extended, closed, tagged; the newest first, at most 500. */
  history: { at: number; by: string; text: string }[];
  /** How many there are of what is listed in part. */
  totals: { comments: number; actions: number; playbookRuns: number; history: number };
}

/** Where to cut the paths of some findings. The numbers are upper bounds; the notes say of what. */
export interface CutsView {
  /** Findings with an open path: what `closes` and `through` count of. */
  findings: number;
  /** Whether the path of every open finding is known. */
  isComplete: boolean;
  /** What closes the most comes first; at most 25 of each. */
  edges: { from: string; relation: string; to: string; closes: number; through: number }[];
  objects: { name: string; kind: string; closes: number; through: number }[];
  /** What the numbers do not cover, one sentence each. */
  notes: string[];
}

/** Changes to a case; what is absent stays. */
export interface CaseChange {
  status?: "open" | "closed";
  /** As the platform counts: 100, 80, 60, 40, -1. */
  priority?: number;
  addTags?: string[];
  removeTags?: string[];
}

export interface EventsQuery {
  alertKey?: number;
  severity?: Severity;
  text?: string;
  cursor?: string;
  limit?: number;
}

/** A row of the event table. The fields of the event come with {@link EventView}. */
export interface EventListRow {
  alertKey: number;
  position: number;
  severity: Severity;
  title: string;
  source: string | null;
  target: string | null;
  /** What its severity follows: the exposure, or the impact of a finding about one principal. */
  riskPercentage: number | null;
  createdAt: number | null;
  accepted: boolean;
}

export interface EventView extends EventRow {
  /** The event's fields by what they are about; every field stands in exactly one group. */
  groups: { title: string; fields: { name: string; value: AlertEvent[string] }[] }[];
  /** Object ids that an action can be run on. */
  ends: { source: string | null; target: string | null };
}

/** What an action can be run on in an alert: the objects at the ends of its findings. */
export interface AlertFindings {
  alertKey: number;
  /** The worst first, at most 500. */
  findings: AlertFinding[];
  /** Findings beyond those. */
  left: number;
}
export interface AlertFinding {
  /** Of its event in the alert. */
  position: number;
  severity: Severity;
  title: string;
  source: FindingEnd | null;
  target: FindingEnd | null;
}
/** One object: its name and its object id belong together. */
export interface FindingEnd {
  id: string;
  name: string;
  kind: string;
}

/** An alert with its long texts; its events come page by page. */
export type AlertView = AlertRow & Pick<Alert, "description" | "extensions" | "tags" | "product" | "vendor">;

/** The number of findings of a type over the last 30 days, as the service's sparkline has it. */
export interface Trend {
  findingType: string;
  title: string;
  /** One for each analysis, the oldest first: findings, exposed objects, and the risk from 0 to 100. */
  points: { at: number; findings: number; assets: number | null; risk: number | null }[];
  /** Why there are none. */
  message: string | null;
}

/** A widget with its result in it, ready for a frame. */
export interface WidgetView {
  /**
   * Address of a whole page under a policy of its own, for `<iframe sandbox="allow-scripts">`. It can be opened once,
   * within a minute: a frame sends no token, and a `srcdoc` would be under the console's policy, which lets no widget run.
   */
  url: string;
}

/** What leads into Tier Zero. Without objects, it is not known whether anything does. */
export interface MetaTreeView extends GraphView {
  /** Relationships of an object that the service has not described. */
  left: number;
}

/** A graph as it is drawn, whatever it came from. */
export interface GraphView {
  nodes: GraphNode[];
  edges: GraphEdge[];
}
export interface GraphNode {
  id: string;
  name: string;
  kind: string;
  tierZero: boolean;
  /** On the shortest path, from 0 (the attacker) on; null beside it. */
  place: number | null;
}
export interface GraphEdge {
  from: string;
  to: string;
  relation: string;
  /** On the shortest path. */
  main: boolean;
}
