import { DateTime } from "luxon";
import { durationText } from "../../../src/text.ts";
import { integer } from "../../../widgets/shared/text.ts";

/** How times, sizes and numbers are written, in one way everywhere. Needs no browser. */

const DAY = 86_400_000;

/** `now`, `12 s ago`, `3 min ago`, `in 4 min`; from a week on, the day. */
export function relativeTime(at: number, now: number): string {
  const distance = Math.abs(now - at);
  if (distance < 2000) return "now";
  if (distance >= 7 * DAY) return day(at);
  const span = durationText(Math.floor(distance / 1000) * 1000, 1);
  return at <= now ? `${span} ago` : `in ${span}`;
}

/** `2026-11-22`, in the time zone of the browser. */
export function day(at: number): string {
  return DateTime.fromMillis(at).toFormat("yyyy-MM-dd");
}

/** `2026-11-22 04:05:06`, in the time zone of the browser. */
export function instant(at: number): string {
  return DateTime.fromMillis(at).toFormat("yyyy-MM-dd HH:mm:ss");
}

/** For a machine; undefined for a time that no date can hold. */
export function machineTime(at: number): string | undefined {
  return DateTime.fromMillis(at).toUTC().toISO() ?? undefined;
}

/** `512 B`, `1.5 KB`, `12 MB`: powers of 1024. */
export function bytes(count: number): string {
  if (count < 1024) return `${count} B`;
  const power = Math.min(3, Math.floor(Math.log2(count) / 10));
  const value = count / 1024 ** power;
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${["B", "KB", "MB", "GB"][power] ?? "GB"}`;
}

/** What a list leaves out, in a sentence; undefined when it is whole. `which`: how its rows were chosen, such as `newest`. */
export function cutText(list: readonly unknown[], total: number, which: string, what: string): string | undefined {
  if (list.length >= total) return undefined;
  return `Showing the ${which} ${integer(list.length)} of ${integer(total)} ${what}.`;
}
