import { InvalidArgumentError } from "commander";
import { DateTime, type DurationLikeObject } from "luxon";
import { MOMENTS } from "./moments.ts";
import { parseInstant } from "../service/instants.ts";

const UNITS: Readonly<Record<string, keyof DurationLikeObject>> = { m: "minutes", h: "hours", d: "days" };

/**
 * A moment as epoch milliseconds: a date or an instant as in ISO 8601, in UTC unless it names another zone, or how long ago it was. Null
 * when it is neither.
 */
export function momentOf(text: string, now: number): number | null {
  const [, amount, unit = ""] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  const units = UNITS[unit];
  if (units !== undefined)
    return DateTime.fromMillis(now)
      .toUTC()
      .minus({ [units]: Number(amount) })
      .toMillis();
  const instant = DateTime.fromISO(text, { zone: "utc" });
  return /^\d{4}-\d{2}-\d{2}(T|$)/.test(text) && instant.isValid ? instant.toMillis() : null;
}

/** Reads an option that names a moment, see `momentOf`. */
export function instantOption(now: () => number): (text: string) => number {
  return (text) => {
    const moment = momentOf(text, now());
    if (moment === null) throw new InvalidArgumentError(`Expected ${MOMENTS}.`);
    return moment;
  };
}

/** An instant of the service as people read it: to the second. A text that is no instant stays as it is. */
export function toTheSecond(instant: string): string {
  return instant.replace(/(?<=T\d{2}:\d{2}:\d{2})\.\d+(?=Z$|[+-]\d{2}:\d{2}$)/, "");
}

/** Milliseconds since an instant of the service, which hands on no others than parseInstant reads; at least 0. */
export function ageOf(instant: string, now: number): number {
  return Math.max(0, now - (parseInstant(instant) ?? now));
}

/** As the service's filters take it. */
export function instantText(epochMs: number): string {
  return DateTime.fromMillis(epochMs).toUTC().toISO() ?? "";
}
