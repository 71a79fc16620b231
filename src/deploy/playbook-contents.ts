import { parseJson } from "../json.ts";
import type { PlaybookWidget } from "../packaging/google-secops/playbook-overview.ts";
import type { PlatformPlaybook, PlatformStep } from "../packaging/google-secops/playbook.ts";
import { differences, type Parts, surplus } from "./compare.ts";

/** What an admin sets on the platform without changing a playbook. */
const SETTINGS = ["IsEnable", "Environments", "Priority"] as const;
const TRIGGER_SETTINGS = ["IsEnabled", "Environments"] as const;

interface Comparison {
  /** Compare all parameters of the steps: the platform fills in some of what is built. */
  allParameters?: boolean;
}

/**
 * What differs between two playbooks, one line each; empty when they do the same. The platform numbers versions, gives
 * steps other identifiers and fills in fields of its own, which are not compared.
 */
export function playbookDifferences(
  installed: PlatformPlaybook,
  built: PlatformPlaybook,
  comparison: Comparison = {},
): string[] {
  const [there, here] = [partsOf(installed, comparison), partsOf(built, comparison)];
  return [...differences(there, here), ...surplus(there, here)];
}

/** What differs between the settings of two playbooks. */
export function settingDifferences(installed: PlatformPlaybook, saved: PlatformPlaybook): string[] {
  return differences(settingsOf(installed), settingsOf(saved));
}

function settingsOf({ Definition }: PlatformPlaybook): Parts {
  return new Map<string, Record<string, unknown>>([
    ["playbook", picked(Definition, SETTINGS)],
    ["trigger", { settings: Definition.Triggers.map((trigger) => picked(trigger, TRIGGER_SETTINGS)) }],
  ]);
}

/** A built playbook with the settings of the installed one. */
export function withSettingsOf({ Definition: installed }: PlatformPlaybook, built: PlatformPlaybook): PlatformPlaybook {
  const { Definition } = built;
  // Of several triggers, nothing says which one ours replaces.
  const common = TRIGGER_SETTINGS.filter(
    (name) => new Set(installed.Triggers.map((each) => JSON.stringify(each[name]))).size === 1,
  );
  const Triggers = Definition.Triggers.map((each) => ({ ...each, ...picked(installed.Triggers[0] ?? {}, common) }));
  return { ...built, Definition: { ...Definition, ...picked(installed, SETTINGS), Triggers } };
}

/** Those of some fields that have a value. */
function picked(from: Readonly<Record<string, unknown>>, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.flatMap((name) => ((from[name] ?? null) === null ? [] : [[name, from[name]]])));
}

function partsOf({ Definition, OverviewTemplatesDetails }: PlatformPlaybook, comparison: Comparison): Parts {
  const { Name, Description, Triggers, Steps } = Definition;
  // What was exported by an older version of the platform may have no views.
  const overviews = (OverviewTemplatesDetails as typeof OverviewTemplatesDetails | undefined) ?? [];
  const names = new Map(Steps.map(({ Identifier, InstanceName }) => [Identifier, InstanceName]));
  return new Map<string, Record<string, unknown>>([
    ["playbook", { Name, Description }],
    ["trigger", { conditions: Triggers.map(({ Type, Conditions }) => ({ Type, Conditions })) }],
    ...Steps.map((step) => [`step "${step.InstanceName}"`, stepFields(step, names, comparison)] as const),
    ...overviews.flatMap(({ OverviewTemplate: { Widgets } }) =>
      Widgets.map((widget) => [`widget "${widget.Title}"`, widgetFields(widget)] as const),
    ),
  ]);
}

type Nullable<T> = { [K in keyof T]: T[K] | null };

/** Steps are identified by their names. */
function stepFields(
  step: PlatformStep,
  names: ReadonlyMap<string, string>,
  { allParameters = false }: Comparison,
): Record<string, unknown> {
  const { ActionName, Integration, AutoSkipOnFailure } = step;
  // The platform may write a list without entries as null.
  const { ParentStepIdentifiers: parents, Parameters } = step as Nullable<PlatformStep>;
  const way = parsed(step.PreviousResultCondition);
  const telling = (Parameters ?? []).filter(
    ({ Name }) => allParameters || ["Branches", "ScriptParametersEntityFields"].includes(Name),
  );
  return {
    action: [Integration, ActionName],
    "handling of failures": AutoSkipOnFailure,
    "place in the order": [
      (parents ?? []).map((id) => names.get(id) ?? id),
      typeof way === "object" && way !== null ? Object.values(way) : [],
    ],
    parameters: telling.map(({ Name, Value }) => [Name, parsed(Value)]).sort(),
  };
}

function widgetFields({ DataDefinitionJson, ConditionsGroup }: PlaybookWidget): Record<string, unknown> {
  const { htmlContent } = (parsed(DataDefinitionJson) ?? {}) as { htmlContent?: unknown };
  return { HTML: htmlContent, conditions: ConditionsGroup };
}

/** The platform may lay JSON inside of texts out in another way. */
function parsed(text: string | null): unknown {
  const value = parseJson(text ?? "null");
  return value === undefined ? text : value;
}
