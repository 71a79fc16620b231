import { applyMergePatch } from "../../../src/runtime/merge-patch.ts";
import type { Json, JsonObject } from "../../../src/runtime/protocol.ts";
import type { Database } from "../database.ts";

/** What a run asks to be applied to the state of its connector or job. */
export interface Checkpoint {
  connectorId: string;
  runId: string;
  /** JSON merge patch; null: the state stays as it is. */
  checkpoint: JsonObject | null;
}

/**
 * Applies a checkpoint to the state of a connector or a job. Call it in the transaction that stores what it belongs to.
 * @throws Error when a newer run has begun: that one reads from where this one stood.
 */
export function applyCheckpoint(db: Database, { connectorId, runId, checkpoint }: Checkpoint): void {
  const sql = "SELECT state_json AS state FROM connectors WHERE id = ? AND current_run = ?";
  const row = db.first(sql, connectorId, runId) as { state: string } | null;
  if (row === null) throw new Error("A newer run of the connector has begun; this one stores nothing more.");
  if (checkpoint === null) return;
  const state = applyMergePatch(JSON.parse(row.state) as Json, checkpoint);
  db.run("UPDATE connectors SET state_json = ? WHERE id = ?", JSON.stringify(state), connectorId);
}
