import { isDeepStrictEqual } from "node:util";
import type { PlatformGroupingRule } from "../packaging/google-secops/grouping-rule.ts";
import type { PlatformPlaybook, PlatformStep } from "../packaging/google-secops/playbook.ts";

/** Two rules for the same alerts: a platform has one at most. */
export function sameScope(a: Partial<PlatformGroupingRule>, b: Partial<PlatformGroupingRule>): boolean {
  return word(a.category) === word(b.category) && isDeepStrictEqual(sources(a), sources(b));
}

/** Rules that do the same: in whatever spelling, order, or with what the platform adds of its own. */
export function sameRule(a: Partial<PlatformGroupingRule>, b: Partial<PlatformGroupingRule>): boolean {
  return (
    sameScope(a, b) &&
    word(a.groupingType) === word(b.groupingType) &&
    isDeepStrictEqual([...(a.entityType ?? [])].sort(), [...(b.entityType ?? [])].sort())
  );
}

/** Playbooks that do the same: the platform numbers versions and fills in fields of its own, which are left out. */
export function samePlaybook(a: PlatformPlaybook, b: PlatformPlaybook): boolean {
  return isDeepStrictEqual(essence(a), essence(b));
}

/** `DataSource` and `DATA_SOURCE` are the same word. */
function word(text: string | undefined): string {
  return (text ?? "").replaceAll("_", "").toLowerCase();
}

function sources({ categoryDetails }: Partial<PlatformGroupingRule>): string[] {
  return (categoryDetails ?? []).map(({ identifier }) => identifier).sort();
}

function essence({ Definition: { Name, Description, Triggers, Steps } }: PlatformPlaybook): unknown {
  const names = new Map(Steps.map(({ Identifier, InstanceName }) => [Identifier, InstanceName]));
  return {
    Name,
    Description,
    triggers: Triggers.map(({ Type, Conditions }) => ({ Type, Conditions })),
    steps: Steps.map((step) => stepEssence(step, names)).sort((a, b) => (a.InstanceName < b.InstanceName ? -1 : 1)),
  };
}

/** Steps are told apart by their names: the platform may give them other identifiers. */
function stepEssence(step: PlatformStep, names: ReadonlyMap<string, string>) {
  const { InstanceName, ActionName, Integration, AutoSkipOnFailure, ParentStepIdentifiers, Parameters } = step;
  const way = parsed(step.PreviousResultCondition);
  const telling = Parameters.filter(({ Name }) => ["Branches", "ScriptParametersEntityFields"].includes(Name));
  return {
    InstanceName,
    ActionName,
    Integration,
    AutoSkipOnFailure,
    parents: ParentStepIdentifiers.map((id) => names.get(id) ?? id),
    branch: typeof way === "object" && way !== null ? Object.values(way) : [],
    parameters: telling.map(({ Name, Value }) => [Name, parsed(Value)]),
  };
}

/** The platform may lay JSON inside of texts out in another way. */
function parsed(text: string | null): unknown {
  try {
    return JSON.parse(text ?? "null") as unknown;
  } catch {
    return text;
  }
}
