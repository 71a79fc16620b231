import { createHash } from "node:crypto";
import type { AttackPathService } from "../service/attack-path-service.ts";
import { parseInstant } from "../service/instants.ts";
import type { Checkpoint, Gate } from "./checkpoint.ts";
import { endsTheRun } from "./failures.ts";
import { HOUR_MS } from "./seen.ts";

/** Polls that read an environment in full after each change, before its analysis history may stand in for reading. */
const POLLS_AFTER_A_CHANGE = 2;

export interface GateDecision {
  read: boolean;
  /** What the environment's gate becomes if the run brings nothing new of it. */
  gate: Gate;
}

/**
 * Decides whether an environment must be read. Findings change only when the service has analysed the environment
 * again, and its analysis history (the sparkline of one finding type) tells whether it has. That is an inference: it is
 * trusted only when nothing is pending, and a sweep overrides it every hour.
 */
export async function decideGate(
  service: AttackPathService["findings"],
  checkpoint: Checkpoint,
  environmentId: string,
  findingType: string,
): Promise<GateDecision> {
  const known = checkpoint.gates.get(environmentId) ?? { quiet: -1 };
  const quiet = Math.min(known.quiet + 1, POLLS_AFTER_A_CHANGE);
  if (known.quiet < POLLS_AFTER_A_CHANGE - 1) return { read: true, gate: { ...known, quiet } };
  const question = known.history ?? { findingType, from: startOfHistory(checkpoint, environmentId) };
  const print = await printOfHistory(service, environmentId, question);
  if (print === null) return { read: true, gate: { quiet: known.quiet } };
  const history = { findingType: question.findingType, from: question.from, print };
  if (known.history === undefined) return { read: true, gate: { quiet, history } };
  if (known.history.print !== print) return { read: true, gate: { quiet: 0, history } };
  return { read: known.quiet < POLLS_AFTER_A_CHANGE, gate: { quiet, history } };
}

/** Null when the history says nothing: it is empty or cannot be read. */
async function printOfHistory(
  service: AttackPathService["findings"],
  environmentId: string,
  { findingType, from }: { findingType: string; from: string },
): Promise<string | null> {
  try {
    const points = await service.sparkline({ environmentId, findingType, from });
    if (points.length === 0) return null;
    return createHash("sha256").update(JSON.stringify(points)).digest("base64url").slice(0, 12);
  } catch (error) {
    if (endsTheRun(error)) throw error;
    return null;
  }
}

/** A day before the newest finding: the analysis that found it lies inside, whatever clock this machine has. */
function startOfHistory(checkpoint: Checkpoint, environmentId: string): string {
  let newest = 0;
  for (const { cursor } of checkpoint.pairs.get(environmentId)?.values() ?? []) {
    newest = Math.max(newest, (cursor === null ? null : parseInstant(cursor))?.epochMs ?? 0);
  }
  return new Date(Math.max(0, newest - 24 * HOUR_MS)).toISOString().replace(/\.\d+Z$/, "Z");
}
