import type { ConnectorOutcome } from "../runtime/modules.ts";
import { commaHint } from "../runtime/lists.ts";
import { listed, sentences, named } from "../text.ts";
import type { ServiceError } from "../service/errors/errors.ts";
import { figures } from "./figures.ts";
import { reasonOf } from "./optional-routes.ts";
import type { NewerState, PollResult } from "./poll.ts";
import { environmentName, type Scope } from "./scope.ts";
import {
  type EnvironmentReport,
  isComplete,
  isDone,
  type MemoryNote,
  nameOf,
  type RunSummary,
  type StreamReport,
} from "./summary.ts";

/** What messages call the settings of a run. */
export interface RunTerms {
  readonly environments: string;
  readonly findingTypes: string;
  /** The sentence that says why no more alerts were delivered. */
  readonly alertLimit: string;
  /** How to enter a name that holds a comma, as a sentence; empty where names are given one by one. */
  readonly commaHint: (name: string) => string;
  /** How to go on without the saved state. */
  readonly startOver: string;
}

const PARAMETERS: RunTerms = {
  environments: "Selected Environments",
  findingTypes: "Selected Finding Types",
  alertLimit: "The host accepts no more alerts in this run.",
  commaHint,
  startOver: "reset the connector's state to start over",
};

/**
 * What a host is told about a run: the message, the same as figures, and the state unless it stays as it was.
 *
 * @param terms - default: the parameters of the connector
 */
export function outcomeOf(result: PollResult | NewerState, terms = PARAMETERS): ConnectorOutcome {
  if ("version" in result) return newerState(result, terms);
  const { summary, checkpoint } = result;
  const outcome = readOutcome(summary, terms);
  // A run that was cut off or failed before it read anything new still knows where the next one starts.
  const wasCutOff = summary.ended?.code === "deadline" || summary.ended?.code === "rate_limited";
  const goesOn = wasCutOff || summary.alerts > 0 || (summary.scope !== null && summary.scope.selected.length > 0);
  // The state stays as it was: otherwise the next run would skip the environments, and complete.
  if (outcome.status === "failed" && summary.noTypeKnown) return outcome;
  return outcome.status === "failed" && !goesOn ? outcome : { ...outcome, checkpoint };
}

function newerState({ version }: NewerState, { startOver }: RunTerms): ConnectorOutcome {
  const message = `The saved state was written by a newer version of this plugin (state version ${version}). Nothing was read and nothing was changed. Install that version again, or ${startOver}.`;
  return { status: "failed", message, value: null };
}

/** Whether a run left something out, or has something to say that a person must look at. */
export function needsAttention(summary: RunSummary): boolean {
  const { scope, unofferedTypes, memory } = summary;
  return !isWhole(summary) || scope?.unknown.length !== 0 || unofferedTypes.length > 0 || memory.length > 0;
}

export function nothingSelected(scope: Scope, terms = PARAMETERS): ConnectorOutcome {
  const advice = `${terms.environments}: no environment can be polled. Check the names or ids, and that the token's user can see environments with collected data.`;
  return {
    status: "failed",
    message: sentences([...unreadableNotes(scope), advice, ...scopeNotes(scope, terms), ...uncollectedNotes(scope)]),
    value: null,
  };
}

/** What ended the run, or else the first of the failures that did not; null when there was none. */
export function firstError({ ended, tenantError, environments }: RunSummary): ServiceError | null {
  const reports = environments.flatMap((report) => [report, ...report.streams.values()]);
  return ended ?? tenantError ?? reports.find(({ error }) => error !== null)?.error ?? null;
}

/** The message begins with what a person must act on; `json` holds the same as figures. */
function readOutcome(summary: RunSummary, terms: RunTerms): ConnectorOutcome {
  const { scope, ended, alerts } = summary;
  if (scope !== null && scope.selected.length === 0) {
    const nothing = nothingSelected(scope, terms);
    if (alerts === 0) return nothing;
    // The environments of the last run were read until their list arrived.
    const message = sentences([nothing.message, delivered(summary)]);
    return { status: "partial", message, value: true, json: figures(summary) };
  }
  const reports = summary.environments.flatMap((report) => [report, ...report.streams.values()]);
  const error = firstError(summary);
  const nothingRead = alerts === 0 && !reports.some((report) => "stream" in report && isDone(report));
  const skipped = summary.environments.some((report) => report.item?.decision === "skip");
  const outOfTime = ended?.code === "deadline" && scope !== null;
  if (error !== null && nothingRead && !skipped && !outOfTime) {
    const message = sentences([`Nothing could be read. ${error.message}`, ...memoryNotes(summary.memory)]);
    return { status: "failed", message, value: null, json: figures(summary) };
  }
  const whole = isWhole(summary);
  const misspelt = whole && summary.noTypeKnown;
  const message = sentences([
    ...problems(summary, terms),
    ...scopeNotes(scope, terms),
    ...typeNotes(summary, terms),
    ...memoryNotes(summary.memory),
    ...descriptionNotes(summary),
    misspelt ? "Nothing was read." : delivered(summary),
    ...uncollectedNotes(scope),
  ]);
  if (misspelt) return { status: "failed", message, value: null, json: figures(summary) };
  return { status: whole ? "completed" : "partial", message, value: true, json: figures(summary) };
}

function isWhole({ scope, ended, tenantError, environments, descriptions }: RunSummary): boolean {
  const listed = scope !== null && scope.unreadable === 0 && environments.length >= scope.selected.length;
  return (
    listed && ended === null && tenantError === null && environments.every(isComplete) && descriptions.length === 0
  );
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
          `Incomplete: ${listed(unreadable)}. The service listed finding types without a valid name. The next run retries them.`,
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

export function scopeNotes(scope: Scope | null, { environments, commaHint } = PARAMETERS): string[] {
  const { unknown = [], visible = [] } = scope ?? {};
  if (unknown.length === 0) return [];
  const names = visible.map((environment) => named(environmentName(environment)));
  const withComma = names.find((name) => name.includes(","));
  return [
    `${environments} names ${listed(unknown)}, which the token cannot see. It sees: ${names.length === 0 ? "none" : listed(names)}.`,
    ...(withComma === undefined ? [] : [commaHint(withComma)]),
  ];
}

function unreadableNotes(scope: Scope | null): string[] {
  if ((scope?.unreadable ?? 0) === 0) return [];
  return ["Incomplete: the service listed environments without an id. The next run retries them."];
}

export function uncollectedNotes(scope: Scope | null): string[] {
  const { uncollected = [] } = scope ?? {};
  if (uncollected.length === 0) return [];
  const names = uncollected.map((environment) => named(environmentName(environment)));
  return [`Skipped because they have no collected data: ${listed(names)}.`];
}

function typeNotes({ unofferedTypes, unlisted, environments }: RunSummary, terms: RunTerms): string[] {
  const empty = environments.filter(({ types }) => types?.offered.length === 0).map(nameOf);
  const still = unlisted.map(nameOf);
  return [
    ...unofferedNotes(unofferedTypes, terms),
    ...(empty.length === 0 ? [] : [`The service currently lists no finding types for ${listed(empty)}.`]),
    ...(still.length === 0
      ? []
      : [
          `The service does not list finding types that it still knows: ${listed(still)}. They were read. Others may be missing from the list, too.`,
        ]),
  ];
}

export function unofferedNotes(unoffered: readonly string[], { findingTypes } = PARAMETERS): string[] {
  if (unoffered.length === 0) return [];
  return [
    `${findingTypes} names ${listed(unoffered)}, which no selected environment has at the moment. Check the spelling and letter case.`,
  ];
}

const STATE_IS_FULL = "Select fewer environments or finding types.";

function memoryNotes(notes: readonly MemoryNote[]): string[] {
  return notes.map((note) => {
    switch (note.kind) {
      case "damaged":
        return `The saved state is damaged (${named(note.detail)}). It was ignored, so findings that were delivered before may be repeated.`;
      case "other_tenant":
        return `The saved state belongs to ${named(note.detail)}. It was ignored, and this tenant is read from the beginning.`;
      case "clock_set_back":
        return `The service's clock was set back by more than the connector remembers. ${streams(note.streams)} may repeat findings.`;
      case "returned":
        return `${counted(note.findings, "finding")} returned or became visible late, and may have been delivered before.`;
      case "ids_reused":
        return `The service gave known ids to other findings in ${streams(note.streams)}. They were delivered, and some findings may be repeated.`;
      case "window_cut":
        return `The state is full. Findings of ${streams(note.streams)} may be missed when they become visible late, and repeated when an analysis dates them anew. ${STATE_IS_FULL}`;
      case "ids_cut":
        return `The state is full. ${streams(note.streams)} may repeat findings. ${STATE_IS_FULL}`;
    }
  });
}

export function descriptionNotes({ descriptions, ended }: Pick<RunSummary, "descriptions" | "ended">): string[] {
  const [first] = descriptions;
  if (first === undefined) return [];
  const types = descriptions.map(({ findingType }) => named(findingType));
  // The message already names what ended the run.
  const reason = typeof first.why !== "string" && ended?.code === first.why.code ? "" : ` ${reasonOf(first.why)}`;
  const has = types.length === 1 ? "Its alerts have" : "Their alerts have";
  return [`Could not load the description of ${listed(types)}. ${has} no description, or only part of it.${reason}`];
}

/** Empty when there is nothing to say: nothing was delivered, and no environment read to its end. */
function delivered({ findings, alerts, invalidValues, environments }: RunSummary): string {
  const skipped = environments.filter(({ outcome }) => outcome === "unchanged").length;
  const unchanged = skipped === 0 ? "" : ` (${skipped} without a new analysis)`;
  const odd =
    invalidValues === 0
      ? ""
      : ` ${counted(invalidValues, "value")} of an unexpected type ${invalidValues === 1 ? "was" : "were"} left out.`;
  const whole = environments.filter(isComplete).length;
  if (alerts === 0) return whole === 0 ? "" : `Nothing new in ${counted(whole, "environment")}${unchanged}.`;
  const scope = counted(environments.length, "environment");
  return `Delivered ${counted(findings, "new finding")} in ${counted(alerts, "alert")} from ${scope}${unchanged}.${odd}`;
}

function streams(count: number): string {
  return counted(count, "stream");
}

export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
