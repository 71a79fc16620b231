import { validateAnalysisStatus } from "../../generated/validators.js";
import type { AttackPathService } from "../attack-path-service.ts";
import { isNotOffered } from "../errors/errors.ts";
import { path } from "../http/target.ts";
import { parseInstant } from "../instants.ts";
import type { AnalysisStatus, WireAnalysisStatus } from "./analysis.records.ts";
import { type Api, type Reply, savingWork } from "../api.ts";
import { removeInvalidValues } from "../responses/invalid-values.ts";
import { malformed, objectIn } from "../responses/response-body.ts";

/** Go writes a time that was never set as this one. */
const ZERO_TIME_MS = Date.parse("0001-01-01T00:00:00Z");

/** No time is longer; it is stored with each environment. */
const LONGEST_TIME = 40;

/** It has a word and four times. */
const LARGEST_STATUS_BYTES = 2 ** 16;

export function analysisOf(api: Api): AttackPathService["analysis"] {
  return {
    async status(options) {
      try {
        return toStatus(
          api,
          await api.get(path`/api/v2/datapipe/status`, [], savingWork(options, LARGEST_STATUS_BYTES)),
        );
      } catch (error) {
        // Where a poll got that from something else than the service, it asks again sooner.
        if (isNotOffered(error) && (error.wrapped || options?.required === true)) return null;
        throw error;
      }
    },
  };
}

/**
 * Null when the answer has no usable time, as that of an older service.
 *
 * @throws ProtocolError when it has no status: the next answer may have both
 */
function toStatus(api: Api, { body, endpoint }: Reply): AnalysisStatus | null {
  const record: Partial<Record<keyof WireAnalysisStatus, unknown>> = objectIn(body, endpoint);
  api.report(removeInvalidValues(validateAnalysisStatus, record), endpoint);
  const { status, last_complete_analysis_at: completedAt } = record;
  if (typeof status !== "string") throw malformed("has no status", endpoint);
  const idle = status === "idle";
  if (completedAt === null) return { completedAt, idle };
  if (typeof completedAt !== "string" || completedAt.length > LONGEST_TIME) return null;
  const epochMs = parseInstant(completedAt);
  return epochMs === null ? null : { completedAt: epochMs <= ZERO_TIME_MS ? null : completedAt, idle };
}
