/** How times, sizes and numbers are written, in one way everywhere. Needs no browser. */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** `now`, `12 s ago`, `3 min ago`, `in 4 min`; from a week on, the day. */
export function relativeTime(at: number, now: number): string {
  const distance = Math.abs(now - at);
  if (distance < 2000) return "now";
  if (distance >= 7 * DAY) return day(at);
  const span = roughSpan(distance);
  return at <= now ? `${span} ago` : `in ${span}`;
}

function roughSpan(ms: number): string {
  if (ms < MINUTE) return `${Math.floor(ms / 1000)} s`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min`;
  if (ms < DAY) return `${Math.floor(ms / HOUR)} h`;
  return `${Math.floor(ms / DAY)} d`;
}

/** `2026-11-22`, in the time zone of the browser. */
export function day(at: number): string {
  const date = new Date(at);
  return [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join("-");
}

/** `2026-11-22 04:05:06`, in the time zone of the browser. */
export function instant(at: number): string {
  return `${day(at)} ${clockTime(at)}`;
}

/** `04:05:06` */
function clockTime(at: number): string {
  const date = new Date(at);
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(":");
}

function two(value: number): string {
  return String(value).padStart(2, "0");
}

/** `12 ms`, `1.2 s`, `12 s`, `3 min 5 s`, `2 h 5 min` */
export function duration(ms: number): string {
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 9_950) return `${(ms / 1000).toFixed(1)} s`;
  if (ms < MINUTE) return `${Math.min(59, Math.round(ms / 1000))} s`;
  if (ms < HOUR) return joined(ms, MINUTE, "min", 1000, "s");
  if (ms < DAY) return joined(ms, HOUR, "h", MINUTE, "min");
  return joined(ms, DAY, "d", HOUR, "h");
}

function joined(ms: number, large: number, largeUnit: string, small: number, smallUnit: string): string {
  const rest = Math.floor((ms % large) / small);
  return `${Math.floor(ms / large)} ${largeUnit}${rest === 0 ? "" : ` ${rest} ${smallUnit}`}`;
}

/** `512 B`, `1.5 KB`, `12 MB`: powers of 1024. */
export function bytes(count: number): string {
  if (count < 1024) return `${count} B`;
  const power = Math.min(3, Math.floor(Math.log2(count) / 10));
  const value = count / 1024 ** power;
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${["B", "KB", "MB", "GB"][power] ?? "GB"}`;
}
