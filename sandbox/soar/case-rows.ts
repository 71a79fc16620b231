import { SEVERITY_RANKS } from "./cases.ts";
import type { CaseRow } from "./rows.ts";

/** Columns of a case, of the table under the name `c`; see {@link caseRow}. */
export const CASE_COLUMNS = `c.id, c.title, c.status, c.severity_rank AS rank, c.priority,
  c.source_grouping_identifier AS sourceGroupingIdentifier, c.environment_name AS environmentName, c.alerts, c.events,
  c.entities, c.opened_at AS openedAt, c.updated_at AS updatedAt,
  (SELECT json_group_array(t.tag) FROM case_tags t WHERE t.case_id = c.id) AS tags`;

export type StoredCase = Omit<CaseRow, "severity" | "tags"> & { rank: number; tags: string };

export function caseRow({ rank, tags, ...row }: StoredCase): CaseRow {
  return { ...row, severity: SEVERITY_RANKS[rank] ?? "unknown", tags: JSON.parse(tags) as string[] };
}
