/** A row of `details`, of which nothing can be taken for granted. */
export type Row = Record<string, unknown>;

export interface FakeEvent {
  finding_id: string;
  source_object_id: string;
  target_object_id: string;
  severity: string;
  accepted: boolean;
  start_time: number;
  end_time: number;
}

/** Ids may come to be those of other findings: source and target belong to the identity. */
export function identityOf(row: Row, byIdAlone = false): string {
  const { id } = row;
  const isNamed = typeof id === "number" || typeof id === "string";
  if (isNamed && byIdAlone) return String(id);
  return `${isNamed ? String(id) : "object"} ${sourceOf(row)} ${targetOf(row)}`;
}

/** Whether the row is of another finding type or environment, as a cache may give it. */
export function isForeign(row: Row, environment: string, type: string): boolean {
  const differs = (value: unknown, name: string): boolean => typeof value === "string" && value !== name;
  return differs(row["Finding"], type) || differs(row["DomainSID"], environment);
}

function sourceOf(row: Row): string {
  const source = row["FromPrincipal"];
  return typeof source === "string" ? source : "";
}

function targetOf(row: Row): string {
  const target = row["ToPrincipal"] ?? row["Principal"];
  return typeof target === "string" ? target : "";
}

export function isDeleted(row: Row): boolean {
  const deleted = row["deleted_at"];
  return typeof deleted === "object" && deleted !== null && "valid" in deleted && deleted.valid === true;
}

const RANKS = ["critical", "high", "moderate", "low"];

export function eventOf(identity: string, row: Row, now: number): FakeEvent {
  const created = typeof row["created_at"] === "string" ? Date.parse(row["created_at"]) : NaN;
  const start = created > 0 ? created : now;
  const { Severity: severity } = row;
  return {
    finding_id: identity,
    source_object_id: sourceOf(row),
    target_object_id: targetOf(row),
    severity: typeof severity === "string" && RANKS.includes(severity) ? severity : "unknown",
    accepted: row["Accepted"] === true,
    start_time: start,
    end_time: start,
  };
}

/** The worst of the findings that nobody has accepted. */
export function severityOf(events: readonly FakeEvent[]): string {
  const open = events.filter(({ accepted }) => !accepted).map(({ severity }) => severity);
  return open.length === 0 ? "low" : (RANKS.find((rank) => open.includes(rank)) ?? "unknown");
}
