import { HOUR_MS, MINUTE_MS } from "../../clock.ts";
import { parseHttpDate } from "../instants.ts";
import type { Answer } from "../transport.ts";
import { quoted } from "./error-body.ts";
import { durationText } from "../../text.ts";

/** The service rejects a signature beyond this (BloodHound, cmd/api/src/api/auth.go, maxClockSkew). */
const LARGEST_SKEW_MS = HOUR_MS;
const SKEW_MESSAGE =
  /signature too far (?:ahead|behind)|behind by [\d.]+ minutes|request (?:date|time).*(?:ahead|behind|skew)/i;

/**
 * Whether a 401 comes from clocks that are too far apart: the service says so, or its Date header shows it. The service looks at the token
 * before it looks at the time.
 *
 * @param hasOtherCause - the service names a cause
 */
export function isClockSkew(answer: Answer, messages: readonly string[], now: number, hasOtherCause: boolean): boolean {
  if (messages.some((message) => SKEW_MESSAGE.test(message))) return true;
  return !hasOtherCause && Math.abs(skewByHeader(answer, now) ?? 0) > LARGEST_SKEW_MS;
}

/** The message, and how far this machine's clock is ahead in milliseconds (below 0: behind); null when not known. */
export function skewFailure(
  answer: Answer,
  messages: readonly string[],
  now: number,
): { message: string; skewMs: number | null } {
  const skewMs = skewByMessage(messages) ?? skewByHeader(answer, now);
  const difference =
    skewMs === null
      ? "differs too much from"
      : `is ${durationText(Math.round(Math.abs(skewMs) / MINUTE_MS) * MINUTE_MS)} ${skewMs < 0 ? "behind" : "ahead of"}`;
  const message = `The clock of this machine ${difference} the service's. The service rejected the signature${quoted(messages)}. Set the clock (NTP). The time zone does not matter.`;
  return { message, skewMs };
}

function skewByHeader(answer: Answer, now: number): number | null {
  const date = parseHttpDate(answer.headers["date"]);
  return date === null ? null : now - date;
}

/** The server writes both times. The minutes that it names are those beyond the allowed hour (BloodHound, cmd/api/src/api/auth.go). */
function skewByMessage(messages: readonly string[]): number | null {
  for (const message of messages) {
    const times = /Server time is (\S+?)[.,]?\s.*Client time is (\S+?)[.,]?(?:\s|$)/i.exec(message);
    const skew = times ? Date.parse(times[2] ?? "") - Date.parse(times[1] ?? "") : NaN;
    if (!Number.isNaN(skew)) return skew;
  }
  return null;
}
