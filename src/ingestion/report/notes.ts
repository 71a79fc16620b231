import type { ConnectorOutcome } from "../../runtime/modules.ts";
import { counted, listed, named, sentences } from "../../text.ts";
import { reasonOf } from "../optional-routes.ts";
import type { RunSummary } from "./run-summary.ts";
import { environmentName, type Scope } from "../scope.ts";
import type { LeftOut, Selection } from "../selection.ts";

// Sentences that the messages of runs and of test runs share. Each function returns none where there is nothing to say.

/** The outcome of a run, or of a test run, that selects no environment. */
export function nothingSelected(scope: Scope, selection: Selection): ConnectorOutcome {
  return {
    status: "failed",
    message: sentences([
      ...unreadableNotes(scope),
      whyNothing(scope, selection),
      ...scopeNotes(scope, selection),
      ...uncollectedNotes(scope),
    ]),
    value: null,
  };
}

function whyNothing({ visible, unknown, unreadable }: Scope, selection: Selection): string {
  if (visible.length === 0 && unreadable === 0)
    return "The token sees no environments, so none can be polled. Give the user of the token access to the environments.";
  if (visible.length === 0) return "No environment can be polled.";
  const criterion = selection.nameOf("Selected Environments");
  return unknown.length === 0
    ? "No selected environment has collected data, so none can be polled. Collect data first: there are no findings without it."
    : `${criterion}: no environment can be polled. Check the names or ids, and that the token's user can see environments with collected data.`;
}

export function scopeNotes(scope: Scope | null, selection: Selection): string[] {
  const { unknown = [], visible = [] } = scope ?? {};
  if (unknown.length === 0) return [];
  const names = visible.map((environment) => named(environmentName(environment)));
  const withComma = names.find((name) => name.includes(","));
  return [
    `${selection.nameOf("Selected Environments")} names ${listed(unknown)}, which the token cannot see. It sees: ${names.length === 0 ? "none" : listed(names)}.`,
    ...(withComma === undefined ? [] : [selection.commaHint(withComma)]),
  ];
}

export function unreadableNotes(scope: Scope | null): string[] {
  if ((scope?.unreadable ?? 0) === 0) return [];
  return ["Incomplete: the service listed environments without a usable id. The next run retries them."];
}

export function uncollectedNotes(scope: Scope | null): string[] {
  const { uncollected = [] } = scope ?? {};
  if (uncollected.length === 0) return [];
  const names = uncollected.map((environment) => named(environmentName(environment)));
  return [`Skipped because they have no collected data: ${listed(names)}.`];
}

export function unofferedNotes(unoffered: readonly string[], selection: Selection): string[] {
  if (unoffered.length === 0) return [];
  return [
    `${selection.nameOf("Selected Finding Types")} names ${listed(unoffered)}, which no selected environment has at the moment. Check the spelling and letter case.`,
  ];
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

export function leftOutNotes(leftOut: LeftOut, selection: Selection): string[] {
  return [...leftOut].map(
    ([criterion, count]) =>
      `${counted(count, "finding")} ${count === 1 ? "was" : "were"} left out by ${selection.nameOf(criterion)}.`,
  );
}
