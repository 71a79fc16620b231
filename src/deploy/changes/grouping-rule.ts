import { isDeepStrictEqual } from "node:util";
import type { GroupingRule } from "../../manifest/manifest.ts";
import { type PlatformGroupingRule, platformGroupingRule } from "../../packaging/google-secops/grouping-rule.ts";
import type { InstalledRule, PlatformApi } from "../platform-api.ts";
import { listed } from "../../text.ts";
import { type Change, unchanged } from "./change.ts";

/**
 * A platform has one grouping rule at most for the same alerts. Where there is none, the first of ours is created. An
 * existing one stays, no matter who made it, unless a rule was requested by name.
 *
 * @param rules - ours by name, for the same alerts
 * @param wanted - name of the rule that was asked for; null when none was
 */
export function planGroupingRule(
  api: PlatformApi,
  rules: ReadonlyMap<string, GroupingRule>,
  wanted: string | null,
  installed: readonly InstalledRule[],
): Change[] {
  // The platform uses the spelling that it understands.
  const spelling = installed.some(({ category }) => category?.includes("_")) ? "chronicle" : api.spelling;
  const [name, source] = [...rules].find(([candidate]) => wanted === null || candidate === wanted) ?? [];
  if (name === undefined || source === undefined) return [];
  return [planRule(api, platformGroupingRule(source, spelling), installed, wanted === null ? name : null)];
}

/**
 * Creates a rule, or replaces the one for the same alerts.
 *
 * @param keptUnless - value of --grouping without which an existing rule stays; null: it is replaced
 */
export function planRule(
  api: PlatformApi,
  rule: PlatformGroupingRule,
  installed: readonly InstalledRule[],
  keptUnless: string | null,
): Change {
  const subject = "Alert grouping rule";
  const ours = sources(rule);
  const [before] = installed
    .filter((candidate) => includesScope(candidate, rule))
    .sort((a, b) => sources(a).length - sources(b).length);
  const others = before === undefined ? [] : sources(before).filter((source) => !ours.includes(source));
  if (before !== undefined && others.length > 0) {
    return unchanged(
      subject,
      `stays as it is: group by ${grouping(before)}. The rule also applies to ${listed(others)}, so change it by hand.`,
    );
  }
  if (before === undefined) {
    const effect = `will be created: group by ${grouping(rule)}.`;
    return { subject, effect, details: [], save: null, apply: () => api.createGroupingRule(rule) };
  }
  if (sameRule(before, rule)) return unchanged(subject, `already groups by ${grouping(before)}.`);
  if (keptUnless !== null) {
    return unchanged(subject, `stays as it is: group by ${grouping(before)}. --grouping ${keptUnless} replaces it.`);
  }
  return {
    subject,
    effect: "will be replaced.",
    details: [`group by ${grouping(rule)} instead of ${grouping(before)}`],
    save: (backup) => backup.saveGroupingRule(before),
    apply: () => api.updateGroupingRule(before, rule),
  };
}

function grouping({ groupingType, entityType = [] }: Partial<PlatformGroupingRule>): string {
  return [groupingType ?? "something unknown", ...entityType].join(" ");
}

/** A rule for the alerts of the other one, and maybe for more. */
function includesScope(a: Partial<PlatformGroupingRule>, b: Partial<PlatformGroupingRule>): boolean {
  return word(a.category) === word(b.category) && sources(b).every((source) => sources(a).includes(source));
}

/** Rules that do the same: in whatever spelling, order, or with what the platform adds of its own. */
function sameRule(a: Partial<PlatformGroupingRule>, b: Partial<PlatformGroupingRule>): boolean {
  return (
    word(a.groupingType) === word(b.groupingType) &&
    isDeepStrictEqual([...(a.entityType ?? [])].sort(), [...(b.entityType ?? [])].sort())
  );
}

/** `DataSource` and `DATA_SOURCE` are the same word. */
function word(text: string | undefined): string {
  return (text ?? "").replaceAll("_", "").toLowerCase();
}

function sources({ categoryDetails }: Partial<PlatformGroupingRule>): string[] {
  return (categoryDetails ?? []).map(({ identifier }) => identifier).sort();
}
