import type { PlatformGroupingRule } from "../packaging/google-secops/grouping-rule.ts";
import { type Artefacts, integrationIn } from "./artefacts.ts";
import type { SavedPlatform } from "./backup.ts";
import type { Change } from "./changes/change.ts";
import { planGroupingRule, planRule } from "./changes/grouping-rule.ts";
import { planIntegration } from "./changes/integration.ts";
import { planPlaybooks, planSavedPlaybook } from "./changes/playbooks.ts";
import { planVisualFamily } from "./changes/visual-family.ts";
import type { PlatformApi } from "./platform-api.ts";
import type { Step } from "./steps.ts";

export interface Wishes {
  /** Import the package even when its contents are installed. */
  reinstall: boolean;
  /** Name of the grouping rule that shall apply; null: the one on the platform stays, and the first of ours is the default. */
  grouping: string | null;
}

/** A step that asks the platform what it has, and says what to change. Asking changes nothing. */
export interface PlannedStep {
  step: Step;
  plan: () => Promise<Change[]>;
}

/** The steps that bring the project to a platform. */
export function deploySteps(api: PlatformApi, artefacts: Artefacts, wishes: Wishes): PlannedStep[] {
  const { integration, families, groupingRules, playbooks } = artefacts;
  return [
    ...some("package", integration, async (built) => [await planIntegration(api, built, wishes.reinstall)]),
    ...families.map((family) => ({
      step: "family" as const,
      plan: async () => [await planVisualFamily(api, family)],
    })),
    ...some("grouping", groupingRules.size === 0 ? null : groupingRules, async (rules) =>
      planGroupingRule(api, rules, wishes.grouping, await api.groupingRules()),
    ),
    ...some("playbook", playbooks, (built) => planPlaybooks(api, built)),
  ];
}

/** The steps that put back what a run has replaced. */
export function restoreSteps(api: PlatformApi, saved: SavedPlatform, reinstall = false): PlannedStep[] {
  return [
    ...some("package", saved.package, async (zip) => [
      withNote(await planIntegration(api, await integrationIn(zip, "The saved package"), reinstall), NOT_SAVED),
    ]),
    ...saved.families.map((family) => ({
      step: "family" as const,
      plan: async () => [await planVisualFamily(api, family)],
    })),
    ...some("grouping", saved.groupingRule, async ({ category, categoryDetails, groupingType, entityType }) => {
      const rule = { category, categoryDetails, groupingType, entityType: entityType ?? [] } as PlatformGroupingRule;
      return [planRule(api, rule, await api.groupingRules(), null)];
    }),
    ...[...saved.playbooks].map(([fileName, zip]) => ({
      step: "playbook" as const,
      plan: () => planSavedPlaybook(api, zip, fileName),
    })),
  ];
}

/** What no platform is known to export (GitSync of chronicle/content-hub). */
const NOT_SAVED =
  "The saved package has no widgets, mapping rules and visual families. To bring those of a version back, run the command with --package, the zip of that version, and --reinstall.";

function withNote(change: Change, note: string): Change {
  return change.apply === null ? change : { ...change, details: [...change.details, note] };
}

/** A step for something that may not be there. */
function some<T>(step: Step, what: T | null, plan: (what: T) => Promise<Change[]>): PlannedStep[] {
  return what === null ? [] : [{ step, plan: () => plan(what) }];
}
