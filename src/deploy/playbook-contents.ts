import { parseJson } from "../json.ts";
import type { PlaybookWidget } from "../packaging/google-secops/playbook-overview.ts";
import type { PlatformPlaybook, PlatformStep } from "../packaging/google-secops/playbook.ts";
import { differences, type Parts, surplus } from "./compare.ts";

/**
 * What differs between two playbooks, one line each; empty when they do the same. The platform numbers versions, gives
 * steps other identifiers and fills in fields of its own, which are not compared.
 */
export function playbookDifferences(installed: PlatformPlaybook, built: PlatformPlaybook): string[] {
  const [there, here] = [partsOf(installed), partsOf(built)];
  return [...differences(there, here), ...surplus(there, here)];
}

function partsOf({ Definition, OverviewTemplatesDetails }: PlatformPlaybook): Parts {
  const { Name, Description, Triggers, Steps } = Definition;
  // What was exported by an older version of the platform may have no views.
  const overviews = (OverviewTemplatesDetails as typeof OverviewTemplatesDetails | undefined) ?? [];
  const names = new Map(Steps.map(({ Identifier, InstanceName }) => [Identifier, InstanceName]));
  return new Map<string, Record<string, unknown>>([
    ["playbook", { Name, Description }],
    ["trigger", { conditions: Triggers.map(({ Type, Conditions }) => ({ Type, Conditions })) }],
    ...Steps.map((step) => [`step "${step.InstanceName}"`, stepFields(step, names)] as const),
    ...overviews.flatMap(({ OverviewTemplate: { Widgets } }) =>
      Widgets.map((widget) => [`widget "${widget.Title}"`, widgetFields(widget)] as const),
    ),
  ]);
}

/** Steps are identified by their names. */
function stepFields(step: PlatformStep, names: ReadonlyMap<string, string>): Record<string, unknown> {
  const { ActionName, Integration, AutoSkipOnFailure, ParentStepIdentifiers, Parameters } = step;
  const way = parsed(step.PreviousResultCondition);
  const telling = Parameters.filter(({ Name }) => ["Branches", "ScriptParametersEntityFields"].includes(Name));
  return {
    action: [Integration, ActionName],
    "handling of failures": AutoSkipOnFailure,
    "place in the order": [
      ParentStepIdentifiers.map((id) => names.get(id) ?? id),
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
