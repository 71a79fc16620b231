/** Pieces of sentences for people: names, lists, numbers, durations and reasons, in one way everywhere. */

/**
 * The text as JSON and every host can carry it: no lone surrogates, no U+0000, which databases refuse, and an ellipsis after
 * `longest` characters.
 */
export function shortened(text: string, longest: number): string {
  const whole = text.includes("\0") ? text.replaceAll("\0", "") : text;
  // Not in the middle of a character that takes two units.
  const cut = (): string => whole.slice(0, longest).replace(/[\uD800-\uDBFF]$/, "");
  return (whole.length <= longest ? whole : `${cut()}…`).toWellFormed();
}

/** Before anything is replaced: a service may send megabytes, and only the beginning is ever shown. */
const LOOKED_AT = 10_000;

/** The beginning of somebody else's text on one line: without control characters, and short enough for a message. */
export function oneLine(text: string, longest = 400): string {
  const line = text
    .slice(0, LOOKED_AT)
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, " ")
    .trim();
  return shortened(line, longest);
}

/** A name that somebody else chose, as a sentence shows it. Without quotation marks, nobody would see an empty one. */
export function named(name: string): string {
  return oneLine(name, 100) || '""';
}

/**
 * For comparing names and ids without regard to letter case. Letters that become other ones in capitals stay as they are: `admın`
 * is no way to write `ADMIN`. They are ı, ſ, ß, and the ligatures of Latin letters.
 */
export function inCapitals(text: string): string {
  return text.replace(/[^\u0131\u017F\u00DF\uFB00-\uFB06]+/g, (part) => part.toUpperCase());
}

/** Whether two names, or two ids, differ in letter case at most. */
export function isSameText(one: string, other: string): boolean {
  return inCapitals(one) === inCapitals(other);
}

/** Characters of the names in one sentence. */
const MOST_OF_NAMES = 600;

/**
 * "A, B and 3 more": the names of things in a sentence.
 *
 * @param total - counts those, too, whose names are not known
 * @param room - characters of all names; at least one is shown
 */
export function listed(names: readonly string[], most = 12, total = names.length, room = MOST_OF_NAMES): string {
  let left = room;
  const shown = names
    .slice(0, most)
    .map(named)
    .filter((name, i) => (left -= name.length) >= 0 || i === 0);
  return shown.join(", ") + (total > shown.length ? ` and ${total - shown.length} more` : "");
}

/** A whole number as a sentence shows it: `12,345`. */
export function grouped(number: number): string {
  // The locale data behind `toLocaleString` takes each process 12 ms and 8 MB.
  return String(number).replace(/\B(?=(?:\d{3})+$)/g, ",");
}

/** `1 case`, `2 cases`. */
export function counted(number: number, singular: string, plural = `${singular}s`): string {
  return `${grouped(number)} ${number === 1 ? singular : plural}`;
}

const UNITS = [
  [86_400, "d"],
  [3_600, "h"],
  [60, "min"],
  [1, "s"],
] as const;

/** `12 ms`, `1.2 s`, `12 s`, `3 min 5 s`, `2 h 5 min`: a duration in its largest unit and at most `units` in all. */
export function durationText(ms: number, units = 2): string {
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 9_950) return `${Math.round(ms / 100) / 10} s`;
  let rest = Math.round(ms / 1_000);
  const parts = UNITS.map(([seconds, unit]) => {
    const count = Math.floor(rest / seconds);
    rest -= count * seconds;
    return { count, unit };
  });
  const first = parts.findIndex(({ count }) => count > 0);
  const shown = parts.slice(first, first + units).filter(({ count }) => count > 0);
  return shown.map(({ count, unit }) => `${count} ${unit}`).join(" ");
}

/** The message of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Characters of a result's message: platforms show it on one screen. */
const LONGEST_MESSAGE = 1_900;

/** Where less of each sentence would be left, those at the end are left out instead. */
const READABLE = 40;

/** Joins sentences into a message. If they do not fit, the longest ones lose their middle: a request id stands at the end. */
export function sentences(parts: readonly string[]): string {
  const said = parts.filter((part) => part !== "");
  const most = Math.max(READABLE, fairShare(said, LONGEST_MESSAGE - (said.length - 1)));
  return shortened(said.map((part) => withoutMiddle(part, most)).join(" "), LONGEST_MESSAGE);
}

/** How long each text may be so that all of them fit into so many characters. */
function fairShare(texts: readonly string[], room: number): number {
  const lengths = texts.map(({ length }) => length).sort((a, b) => a - b);
  let left = room;
  for (const [i, length] of lengths.entries()) {
    const share = Math.floor(left / (lengths.length - i));
    if (length > share) return share;
    left -= length;
  }
  return Infinity;
}

function withoutMiddle(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const end = Math.floor(longest / 3);
  // Not in the middle of a character that takes two units.
  return `${shortened(text, longest - end - 1)}${text.slice(-end).replace(/^[\uDC00-\uDFFF]/, "")}`;
}
