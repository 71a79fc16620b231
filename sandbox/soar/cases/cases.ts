import type { CaseRow } from "../rows.ts";
import type { GroupingRule, Mapping } from "../../../src/manifest/manifest.ts";
import {
  type Alert,
  type AlertEvent,
  type JsonObject,
  SEVERITIES,
  type Severity,
} from "../../../src/runtime/protocol.ts";

/** Severities from the lightest to the worst; the place in the list is the rank. */
export const SEVERITY_RANKS: readonly Severity[] = SEVERITIES.toReversed();

/** Something that an event is about, under the name that the platform's ontology has for it. */
export interface Entity {
  /** Such as SourceDomain or DestinationUserName. */
  type: string;
  /** In upper case: names in a directory do not differ by letter case. */
  identifier: string;
  kind: "entity" | "indicator";
}

/** An entity, and how many events of an alert are about it. */
export interface CountedEntity extends Entity {
  events: number;
}

/** Which case an alert belongs to. */
export interface Placement {
  /** Name of the grouping rule. */
  rule: string;
  /** The alert joins an open case only when both come from this source. */
  sourceGroupingIdentifier: string;
  /** `entities` joins an open case that has one of `shared`, `source` joins any open case of the source, `alone` opens a new case. */
  join: "entities" | "source" | "alone";
  shared: Entity[];
  /** Everything that the alert's events are about. */
  entities: CountedEntity[];
  /** Title of the case when this alert opens it. */
  title: string;
  /** Why further alerts join this case or do not, in one sentence. */
  because: string;
}

/** The entities that an event holds according to the mappings. */
function entitiesOf(event: AlertEvent, mappings: readonly Mapping[]): Entity[] {
  return mappings
    .flatMap((mapping) => mapping.rules)
    .flatMap(({ target, field, fallbackFields = [], kind }) => {
      if (kind === "metadata") return [];
      const value = [field, ...fallbackFields]
        .map((name) => event[name])
        .find((found) => found !== undefined && found !== "");
      return value === undefined ? [] : [{ type: target, identifier: String(value).toUpperCase(), kind }];
    });
}

/** The context of an action that runs on an alert: all its entities, and both ends of each finding. */
export function alertContext({ id, events }: Alert, mappings: readonly Mapping[]): JsonObject {
  const entities = distinct(events.flatMap((event) => entitiesOf(event, mappings)));
  return {
    alertId: id,
    entities: entities.map(({ identifier, type }) => ({ identifier, type })),
    findings: events.map((event) => ({
      source: event["source_object_id"] ?? null,
      target: event["target_object_id"] ?? null,
      severity: event["severity"] ?? null,
      accepted: event["accepted"] ?? null,
      acceptedUntil: event["accepted_until"] ?? null,
    })),
  };
}

/** Applies a grouping rule to an alert that came from this data source (the identifier of a package). */
export function placeAlert(
  alert: Alert,
  dataSource: string,
  rule: GroupingRule,
  mappings: readonly Mapping[],
): Placement {
  const entities = distinct(alert.events.flatMap((event) => entitiesOf(event, mappings)));
  const shared: Entity[] = entities.filter(({ type }) => rule.groupingEntities?.includes(type) === true);
  const join = joinOf(alert, dataSource, rule, shared);
  const named = join === "entities" ? shared.map(({ identifier }) => identifier).join(", ") : alert.environmentName;
  const because: Record<Placement["join"], string> = {
    entities: `The rule "${rule.name}" puts alerts of one environment into one case when they share ${rule.groupingEntities?.join(" or ") ?? ""}: here ${named}.`,
    source: `The rule "${rule.name}" puts all alerts of one environment into one case: here ${named}.`,
    alone: `The rule "${rule.name}" found nothing that this alert shares with others, so it has a case of its own.`,
  };
  return {
    rule: rule.name,
    sourceGroupingIdentifier: alert.sourceGroupingIdentifier,
    join,
    shared,
    entities,
    title: join === "alone" ? alert.name : `${alert.product}: ${named}`,
    because: because[join],
  };
}

function joinOf(alert: Alert, dataSource: string, rule: GroupingRule, shared: Entity[]): Placement["join"] {
  const described: Record<GroupingRule["category"], string | null> = {
    all: null,
    "data-source": dataSource,
    "product-name": alert.product,
    "alert-type": alert.findingType,
  };
  const wanted = described[rule.category];
  if (wanted !== null && rule.categoryDetails?.includes(wanted) !== true) return "alone";
  if (rule.groupBy === "source-grouping-identifier") return "source";
  return rule.groupBy === "entities" && shared.length > 0 ? "entities" : "alone";
}

function distinct(entities: Entity[]): CountedEntity[] {
  const counted = new Map<string, CountedEntity>();
  for (const entity of entities) {
    const key = `${entity.type} ${entity.identifier}`;
    const known = counted.get(key);
    if (known === undefined) counted.set(key, { ...entity, events: 1 });
    else known.events += 1;
  }
  return [...counted.values()];
}

/** Columns of an alert, of the table under the name `a`. */
export const ALERT_COLUMNS = `a.key, a.id, a.case_id AS caseId, a.connector_id AS connectorId, a.run_id AS runId, a.name, a.title,
  a.severity, a.priority, a.environment_id AS environmentId, a.environment_name AS environmentName,
  a.finding_type AS findingType, a.start_time AS startTime, a.end_time AS endTime, a.events,
  a.status, a.closed_by AS closedBy, a.closed_at AS closedAt, a.reopened_by AS reopenedBy`;

/** Columns of a case, of the table under the name `c`; see {@link caseRow}. */
export const CASE_COLUMNS = `c.id, c.title, c.status, c.severity_rank AS rank, c.priority,
  c.source_grouping_identifier AS sourceGroupingIdentifier, c.environment_name AS environmentName, c.alerts, c.events,
  c.entities, c.opened_at AS openedAt, c.updated_at AS updatedAt,
  (SELECT json_group_array(t.tag) FROM case_tags t WHERE t.case_id = c.id) AS tags`;

export type StoredCase = Omit<CaseRow, "severity" | "tags"> & { rank: number; tags: string };

export function caseRow({ rank, tags, ...row }: StoredCase): CaseRow {
  return { ...row, severity: SEVERITY_RANKS[rank] ?? "unknown", tags: JSON.parse(tags) as string[] };
}
