import { addAbortSignal, type Readable } from "node:stream";
import { validate as isJobAlert } from "../../generated/job-alert-validator.js";
import { isObject, parseJson } from "../../json.ts";
import type { FindingFormat } from "../../output/formats.ts";
import { followedAlert, isAbout, isAlert, type FollowedAlert, type Standing } from "../../runtime/job-alert.ts";
import type { Alert } from "../../runtime/protocol.ts";
import { PromptClosedError } from "../../terminal.ts";
import { systemCode, UsageError } from "../failures.ts";
import { openForReading } from "../output/files.ts";

/** An alert as `poll` wrote it. */
export interface GivenAlert {
  readonly alert: FollowedAlert;
  /** What its line says about it; null when it says nothing. */
  readonly standing: Standing | null;
  /** All of it, where it is asked for. */
  readonly whole: Alert | null;
}

export interface GivenAlerts {
  /** By id. An alert that is there again counts as its last line says. */
  readonly alerts: ReadonlyMap<string, GivenAlert>;
  /** How many are about another tenant, and were left out. */
  readonly foreign: number;
  /** The last line was cut off, and was left out. */
  readonly isCut: boolean;
  /** How many other lines were cut off, and were left out. Their alerts are written again behind them. */
  readonly cut: number;
}

/** What other lines in such a file say they are. */
const OTHER_LINES = new Set<unknown>(["state", "alert_change", "result"]);

/**
 * Reads the lines that `poll` wrote. Its state lines are passed over, and so are lines that were cut off.
 *
 * @param from - a file, or standard input
 * @param origin - of the tenant that is asked
 * @param wholeFor - the format that needs all of each alert; null when what a job needs is enough
 * @throws UsageError when it cannot be read, or a line is something else or lacks what is kept; PromptClosedError when `stop` aborts
 */
export async function readAlerts(
  from: { readonly name: string; readonly input: Readable | null },
  { origin, wholeFor, stop }: { origin: string; wholeFor: FindingFormat | null; stop: AbortSignal },
): Promise<GivenAlerts> {
  const alerts = new Map<string, GivenAlert>();
  let foreign = 0;
  let isCut = false;
  let cut = 0;
  let number = 0;
  for await (const { line, isWhole } of linesOf(from, stop)) {
    number += 1;
    if (line.trim() === "") continue;
    const text = number === 1 ? line.replace(/^\uFEFF/, "") : line;
    const { value, beginsCutOff } = valueIn(text);
    if (value === undefined && !isWhole) {
      isCut = true;
      break;
    }
    if (beginsCutOff) cut += 1;
    if (value === undefined && beginsCutOff) continue;
    if (isObject(value) && OTHER_LINES.has(value["type"])) continue;
    if (!isAlert(value)) throw new UsageError(refusal(`Line ${number} of ${from.name}`));
    const given = givenIn(value, `Line ${number} of ${from.name}`, wholeFor);
    if (isAbout(value, origin)) alerts.set(value.id, given);
    else foreign += 1;
  }
  return { alerts, foreign, isCut, cut };
}

/**
 * What a line holds. Right behind one that was cut off, there may be an alert, where `poll` wrote into a pipe. If there is none, or if it
 * was cut off, too, the next run has written it again.
 */
function valueIn(line: string): { value: unknown; beginsCutOff: boolean } {
  const value = parseJson(line);
  if (value !== undefined || !line.startsWith("{")) return { value, beginsCutOff: false };
  // A text in an alert cannot hold this, because its quotes are escaped there.
  const next = line.lastIndexOf('{"id":');
  return { value: next > 0 ? parseJson(line.slice(next)) : undefined, beginsCutOff: true };
}

function givenIn(value: Alert, line: string, wholeFor: FindingFormat | null): GivenAlert {
  const given = { alert: followedAlert(value), standing: standingOf(value), whole: wholeFor === null ? null : value };
  if (!isJobAlert({ ...given.alert, ...OPEN })) throw new UsageError(refusal(line));
  if (!isJobAlert({ ...given.alert, ...(given.standing ?? OPEN) })) throw new UsageError(otherStanding(line));
  if (wholeFor !== null) {
    const missing = EVERYWHERE.find((name) => !Object.hasOwn(value, name));
    if (missing !== undefined) throw new UsageError(incomplete(line, missing, wholeFor));
  }
  return given;
}

/** Of an alert that nothing is known about. */
export const OPEN: Standing = { status: "open", closedBy: null, closedAt: null, reopenedBy: null };

/** A line with a status speaks for itself, and what it leaves out is not known. */
function standingOf(alert: Alert & Partial<Standing>): Standing | null {
  const { status, closedBy = null, closedAt = null, reopenedBy = null } = alert;
  return status === undefined ? null : { status, closedBy, closedAt, reopenedBy };
}

/** What the whole of every alert has, and a job does without. */
const EVERYWHERE = [
  "name",
  "startTime",
  "environmentName",
  "title",
  "product",
  "vendor",
  "extensions",
] as const satisfies (keyof Alert)[];

function incomplete(line: string, field: string, format: FindingFormat): string {
  return `${line} has no ${field}, which --format ${format} needs. Nothing was read from the service. Pass the lines as poll writes them.`;
}

function otherStanding(line: string): string {
  return `${line} has an invalid status, closedBy, closedAt or reopenedBy. Nothing was read from the service. status is "open" or "closed", closedBy and reopenedBy are "job", "person" or null, and closedAt is milliseconds since 1970 or null.`;
}

function refusal(line: string): string {
  return `${line} is not an alert of poll. Nothing was read from the service. Pass the lines that poll writes without --format.`;
}

/** Lines end with a line feed. The text may hold other characters at which some readers split. */
async function* linesOf(
  { name, input }: { readonly name: string; readonly input: Readable | null },
  stop: AbortSignal,
): AsyncGenerator<{ line: string; isWhole: boolean }> {
  let rest = "";
  try {
    const stream = addAbortSignal(stop, input ?? openForReading(name)).setEncoding("utf8");
    for await (const chunk of stream as AsyncIterable<string>) {
      const lines = `${rest}${chunk}`.split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) yield { line, isWhole: true };
    }
  } catch (error) {
    if (stop.aborted) throw new PromptClosedError();
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${name} cannot be read (${systemCode(error)}). Nothing was read from the service.`);
  }
  yield { line: rest, isWhole: false };
}
