import type { ConnectorOutcome } from "../../runtime/modules.ts";
import { counted, listed, named, sentences } from "../../text.ts";
import { figures } from "./figures.ts";
import {
  descriptionNotes,
  leftOutNotes,
  nothingSelected,
  scopeNotes,
  uncollectedNotes,
  unofferedNotes,
  unreadableNotes,
} from "./notes.ts";
import type { NewerState, PollResult } from "../poll.ts";
import {
  type EnvironmentReport,
  firstError,
  isComplete,
  isDone,
  isWhole,
  leftOutOf,
  type MemoryNote,
  nameOf,
  type RunSummary,
  type StreamReport,
} from "./run-summary.ts";

/** What messages say differently to those who run the connector in different ways. */
export interface RunTerms {
  /** The sentence that says why no more alerts were delivered. */
  readonly alertLimit: string;
  /** How to go on without the saved state. */
  readonly startOver: string;
}

const ON_A_HOST: RunTerms = {
  alertLimit: "The host accepts no more alerts in this run.",
  startOver: "reset the connector's state to start over",
};

/**
 * What a host learns about a run: the message, the same as figures, and the state unless it stays as it was.
 *
 * @param terms - default: those of a host
 */
export function outcomeOf(result: PollResult | NewerState, terms = ON_A_HOST): ConnectorOutcome {
  if ("version" in result) return newerState(result, terms);
  const { summary, checkpoint } = result;
  const outcome = readOutcome(summary, terms);
  return outcome.status === "failed" && !goesOn(summary) ? outcome : { ...outcome, checkpoint };
}

/** Whether the next run can go on where a failed one ended. Otherwise the state stays as it was. */
function goesOn({ alerts, ended, memory, noTypeKnown, scope }: RunSummary): boolean {
  // Otherwise the next run would skip the environments, and complete.
  if (noTypeKnown) return false;
  if (alerts > 0) return true;
  if (scope !== null && scope.selected.length > 0) return true;
  // Nothing shows that another tenant is the one that was meant: Server may be misspelt.
  if (scope === null && memory.some(({ kind }) => kind === "other_tenant")) return false;
  // A run that was cut off before it read anything new still knows where the next one starts.
  return ended?.code === "deadline" || ended?.code === "rate_limited";
}

function newerState({ version }: NewerState, { startOver }: RunTerms): ConnectorOutcome {
  const message = `The saved state was written by a newer version of this plugin (state version ${version}). Nothing was read and nothing was changed. Install that version again, or ${startOver}.`;
  return { status: "failed", message, value: null };
}

/** The message begins with what a person must act on; `json` holds the same as figures. */
function readOutcome(summary: RunSummary, terms: RunTerms): ConnectorOutcome {
  const { scope, selection, ended, alerts } = summary;
  const error = firstError(summary);
  // A list that was cut short may lack what is selected.
  if (error === null && scope !== null && scope.selected.length === 0) {
    const nothing = nothingSelected(scope, selection);
    if (alerts === 0) return nothing;
    // The environments of the last run were read until their list arrived.
    const message = sentences([nothing.message, delivered(summary)]);
    return { status: "partial", message, value: true, json: figures(summary) };
  }
  const outOfTime = ended?.code === "deadline" && scope !== null;
  if (error !== null && !hasRead(summary) && !outOfTime) {
    const message = sentences([
      `Nothing could be read. ${error.message}`,
      ...memoryNotes(summary.memory, scope === null),
    ]);
    return { status: "failed", message, value: null, json: figures(summary) };
  }
  const whole = isWhole(summary);
  const misspelt = whole && summary.noTypeKnown;
  const message = sentences([
    ...problems(summary, terms),
    ...(summary.tenantError === null ? scopeNotes(scope, selection) : []),
    ...typeNotes(summary),
    ...memoryNotes(summary.memory),
    ...descriptionNotes(summary),
    misspelt ? "Nothing was read." : delivered(summary),
    ...leftOutNotes(leftOutOf(summary), selection),
    ...uncollectedNotes(scope),
  ]);
  if (misspelt) return { status: "failed", message, value: null, json: figures(summary) };
  return { status: whole ? "completed" : "partial", message, value: true, json: figures(summary) };
}

/** Whether anything was read to its end or delivered. */
function hasRead({ alerts, environments }: RunSummary): boolean {
  return alerts > 0 || environments.some((report) => isComplete(report) || [...report.streams.values()].some(isDone));
}

function problems(summary: RunSummary, { alertLimit }: RunTerms): string[] {
  const { tenantError, ended, environments, scope, alertsExhausted } = summary;
  const reports = environments.flatMap((report) => [report, ...report.streams.values()]);
  const unreadable = environments.filter(({ types }) => (types?.unreadable ?? 0) > 0).map(nameOf);
  const unanswered = reports.filter(({ outcome }) => outcome === "unanswered").map(nameOf);
  const left = reports.filter(({ outcome }) => outcome === "left").map(nameOf);
  return [
    ...(ended === null ? [] : [ended.message]),
    ...(tenantError === null
      ? []
      : [`Could not list ${scope === null ? "the" : "all"} environments. ${tenantError.message}`]),
    ...failuresByCode(reports),
    ...(unanswered.length === 0 ? [] : [`Incomplete: ${listed(unanswered)}. The service did not respond in time.`]),
    ...(unreadable.length === 0
      ? []
      : [
          `Incomplete: ${listed(unreadable)}. The service listed finding types without a usable name. The next run retries them.`,
        ]),
    ...unreadableNotes(scope),
    ...(isListPending(summary)
      ? ["Incomplete: the service had not listed the environments when the run ended. The next run asks again."]
      : []),
    ...(alertsExhausted && (left.length > 0 || isListPending(summary)) ? [alertLimit] : []),
    ...(left.length === 0 ? [] : [`The next run continues with ${listed(left)}.`]),
  ];
}

/** Whether the run ended without an error while the environments of the last run were read in place of the listed ones. */
function isListPending({ scope, tenantError, ended }: RunSummary): boolean {
  return scope === null && tenantError === null && ended === null;
}

/** One sentence for each kind of failure, with everything that it concerns. */
function failuresByCode(reports: readonly (EnvironmentReport | StreamReport)[]): string[] {
  const groups = new Map<string, { names: string[]; message: string }>();
  for (const report of reports) {
    if (report.outcome !== "failed" || report.error === null) continue;
    const group = groups.get(report.error.code) ?? { names: [], message: report.error.message };
    groups.set(report.error.code, group);
    group.names.push(nameOf(report));
  }
  return [...groups.values()].map(
    ({ names, message }) =>
      `Incomplete: ${listed(names)}. The next run retries ${names.length === 1 ? "it" : "them"}. ${message}`,
  );
}

function typeNotes({ selection, unofferedTypes, unlisted, environments }: RunSummary): string[] {
  const isEmpty = ({ types }: EnvironmentReport): boolean => types?.offered.length === 0 && types.unreadable === 0;
  const empty = environments.filter(isEmpty).map(nameOf);
  const still = unlisted.map(nameOf);
  return [
    ...unofferedNotes(unofferedTypes, selection),
    ...(empty.length === 0 ? [] : [`The service currently lists no finding types for ${listed(empty)}.`]),
    ...(still.length === 0
      ? []
      : [
          `The service does not list finding types that it still knows: ${listed(still)}. They were read. Others may be missing from the list, too.`,
        ]),
  ];
}

const STATE_IS_FULL = "Select fewer environments or finding types.";

/** @param isKept - the state stays as it was */
function memoryNotes(notes: readonly MemoryNote[], isKept = false): string[] {
  return notes.map((note) => {
    switch (note.kind) {
      case "damaged":
        return `The saved state is damaged (${named(note.detail)}). It was ignored, so findings that were delivered before may be repeated.`;
      case "other_tenant":
        return `The saved state belongs to ${named(note.detail)}. ${isKept ? "It stays as it is. If you meant that tenant, correct Server." : "It was ignored, and this tenant is read as in a first run."}`;
      case "clock_set_back":
        return `The service's clock was set back by more than the connector remembers. ${streams(note.streams)} may repeat findings.`;
      case "returned":
        return `${counted(note.findings, "finding")} returned, became visible late or got the id of another one, and may have been delivered before.`;
      case "ids_reused":
        return `The service may have given known ids to other findings in ${streams(note.streams)}. They were delivered, and some findings may be repeated.`;
      case "ids_reused_unread":
        return `The service may have given known ids to other findings in ${streams(note.streams)}. The next run delivers the rest of them, and some findings may be repeated.`;
      case "window_cut":
        return `The state is full. Findings of ${streams(note.streams)} may be missed when they become visible late, and repeated when an analysis dates them anew. ${STATE_IS_FULL}`;
      case "ids_cut":
        return `The state is full. ${streams(note.streams)} may repeat findings. ${STATE_IS_FULL}`;
    }
  });
}

/** Empty when there is nothing to say: nothing was delivered, and no environment read to its end. */
function delivered({ findings, alerts, invalidValues, environments }: RunSummary): string {
  const skipped = environments.filter(({ outcome }) => outcome === "unchanged").length;
  const unchanged = (more: string): string => (skipped === 0 ? "" : ` (${skipped}${more} without a new analysis)`);
  const odd =
    invalidValues === 0
      ? ""
      : ` ${counted(invalidValues, "value")} of an unexpected type ${invalidValues === 1 ? "was" : "were"} left out.`;
  const whole = environments.filter(isComplete).length;
  if (alerts === 0) return whole === 0 ? "" : `Nothing new in ${counted(whole, "environment")}${unchanged("")}.`;
  const sources = environments.filter(({ streams }) => [...streams.values()].some((stream) => stream.alerts > 0));
  const from = `from ${counted(sources.length, "environment")}${unchanged(" more")}`;
  return `Delivered ${counted(findings, "new finding")} in ${counted(alerts, "alert")} ${from}.${odd}`;
}

function streams(count: number): string {
  return counted(count, "stream");
}
