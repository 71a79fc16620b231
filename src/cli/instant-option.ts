import type { Command } from "commander";
import { DateTime, type DurationLikeObject } from "luxon";
import { MOMENTS } from "./option-values.ts";
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

/**
 * The moment that an option names, see `momentOf`; undefined when it was not given. Ends the command as commander does where an option's
 * value is not valid. Commander itself would need the library of dates for every help.
 */
export function momentOption(command: Command, name: string, now: number): number | undefined {
  const text = command.opts<Readonly<Record<string, string | undefined>>>()[name];
  if (text === undefined) return undefined;
  const moment = momentOf(text, now);
  if (moment !== null) return moment;
  const { flags } = command.options.find((option) => option.attributeName() === name) ?? { flags: name };
  return command.error(`error: option '${flags}' argument '${text}' is invalid. Expected ${MOMENTS}.`);
}

/** An instant of the service as people read it: to the second. A text that is no instant stays as it is. */
export function toTheSecond(instant: string): string {
  return instant.replace(/(?<=T\d{2}:\d{2}:\d{2})\.\d+(?=Z$|[+-]\d{2}:\d{2}$)/, "");
}

/** Milliseconds since an instant of the service, which hands on no others than parseInstant reads; at least 0. */
export function ageOf(instant: string, now: number): number {
  return Math.max(0, now - (parseInstant(instant) ?? now));
}

/** As the service's filters take it: no years before the first. Nothing there is older than 1970. */
export function instantText(epochMs: number): string {
  return DateTime.fromMillis(Math.max(0, epochMs)).toUTC().toISO() ?? "";
}
