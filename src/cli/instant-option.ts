import { InvalidArgumentError } from "commander";
import { parseInstant } from "../service/instants.ts";

const UNITS_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Reads an option that names a moment as epoch milliseconds: an RFC 3339 instant, a date in UTC, or how long ago it was. */
export function instantOption(now: () => number): (text: string) => number {
  return (text) => {
    const [, amount, unit = ""] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
    const unitMs = UNITS_MS[unit];
    if (amount !== undefined && unitMs !== undefined) return now() - Number(amount) * unitMs;
    const instant = parseInstant(/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : text);
    if (instant === null) {
      throw new InvalidArgumentError("Expected 2026-01-31, 2026-01-31T06:00:00Z, or how long ago: 90m, 12h, 7d.");
    }
    return instant;
  };
}

/** An instant of the service as people read it: to the second. A text that is no instant stays as it is. */
export function toTheSecond(instant: string): string {
  return instant.replace(/(?<=T\d{2}:\d{2}:\d{2})\.\d+(?=Z$|[+-]\d{2}:\d{2}$)/, "");
}

/** As the service's filters take it. */
export function instantText(epochMs: number): string {
  return new Date(epochMs).toISOString();
}
