import { createHash } from "node:crypto";
import type { AttackPathService } from "../service/attack-path-service.ts";
import { endsTheRun, ServiceError } from "../service/errors.ts";
import { parseInstant } from "../service/instants.ts";
import type { Checkpoint, Gate } from "./checkpoint.ts";
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
 * trusted only when every finding type has been read and nothing is pending, and a sweep overrides it every hour.
 *
 * @param findingTypes - that are to be polled in the environment; at least one
 */
export async function decideGate(
  service: AttackPathService["findings"],
  checkpoint: Checkpoint,
  environmentId: string,
  findingTypes: readonly [string, ...string[]],
): Promise<GateDecision> {
  const pairs = checkpoint.pairs.get(environmentId);
  if (findingTypes.some((type) => pairs?.has(type) !== true)) return { read: true, gate: { quietPolls: 0 } };
  const { quietPolls, history } = checkpoint.gates.get(environmentId) ?? { quietPolls: -1 };
  const next = Math.min(quietPolls + 1, POLLS_AFTER_A_CHANGE);
  if (next < POLLS_AFTER_A_CHANGE) return { read: true, gate: { quietPolls: next } };
  // The question stays the same as long as nothing is delivered and the same finding type comes first.
  const from = startOfHistory(checkpoint, environmentId);
  const answer = await fingerprintOfHistory(service, { environmentId, findingType: findingTypes[0], from });
  if (answer === null) return { read: true, gate: { quietPolls } };
  if (history !== undefined && history !== answer) return { read: true, gate: { quietPolls: 0 } };
  return { read: history === undefined, gate: { quietPolls: next, history: answer } };
}

/** Null when the history says nothing: it is empty or cannot be read. */
async function fingerprintOfHistory(
  service: AttackPathService["findings"],
  question: { environmentId: string; findingType: string; from: string },
): Promise<string | null> {
  try {
    const points = await service.sparkline(question);
    if (points.length === 0) return null;
    return createHash("sha256")
      .update(JSON.stringify([question.findingType, points]))
      .digest("base64url")
      .slice(0, 12);
  } catch (error) {
    if (endsTheRun(error) || !(error instanceof ServiceError)) throw error;
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
