import type { Artefacts } from "./artefacts.ts";
import type { Change } from "./compare.ts";
import { planGroupingRule } from "./changes/grouping-rule.ts";
import { planIntegration } from "./changes/integration.ts";
import { planPlaybooks } from "./changes/playbooks.ts";
import { assignedFamilies, planVisualFamily } from "./changes/visual-family.ts";
import type { PlatformApi } from "./platform-api.ts";

export interface Wishes {
  /** Import the package even when its contents are installed. */
  reinstall: boolean;
  /** Name of the grouping rule that shall apply; null: the one on the platform stays, and the first of ours is the default. */
  grouping: string | null;
}

/**
 * Asks the platform what it has. Nothing is changed.
 *
 * @returns the changes in the order in which they must be made: the package brings what the others name
 */
export async function plan(api: PlatformApi, artefacts: Artefacts, wishes: Wishes): Promise<Change[]> {
  const integration = await planIntegration(api, artefacts.integration, wishes.reinstall);
  const records = artefacts.families.length === 0 ? [] : await assignedFamilies(api);
  const installedRules = artefacts.groupingRules.size === 0 ? [] : await api.groupingRules();
  return [
    integration,
    ...artefacts.families.map((family) => planVisualFamily(api, family, records)),
    ...planGroupingRule(api, artefacts.groupingRules, wishes.grouping, installedRules),
    ...(artefacts.playbooks === null ? [] : [await planPlaybooks(api, artefacts.playbooks)]),
  ];
}
