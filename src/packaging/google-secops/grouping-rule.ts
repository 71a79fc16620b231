import type { GroupingRule } from "../../manifest/manifest.ts";
import type { BuiltPackage } from "../target.ts";
import { platformJson } from "./platform.ts";

/** Below the output folder: the rule as the platform's own API takes it. */
export const GROUPING_RULE_PATH = "google-secops/alert-grouping-rule.json";
/** The same rule as the Chronicle API spells it. */
const CHRONICLE_RULE_PATH = "google-secops/alert-grouping-rule.chronicle.json";

/** An alert grouping rule of the platform. Its two APIs spell the words in capitals differently. */
export interface PlatformGroupingRule {
  category: string;
  categoryDetails: { identifier: string; displayName: string }[];
  groupingType: string;
  entityType: string[];
}

/** `soar`: the API under `/api/1p/external/v1`; `chronicle`: the resource `alertGroupingRules` of the Chronicle API. */
export type Spelling = "soar" | "chronicle";

const categories: Readonly<Record<GroupingRule["category"], Readonly<Record<Spelling, string>>>> = {
  all: { soar: "All", chronicle: "ALL" },
  "data-source": { soar: "DataSource", chronicle: "DATA_SOURCE" },
  "product-name": { soar: "ProductName", chronicle: "PRODUCT_NAME" },
  "alert-type": { soar: "AlertType", chronicle: "ALERT_TYPE" },
};

const groupings: Readonly<Record<GroupingRule["groupBy"], Readonly<Record<Spelling, string>>>> = {
  entities: { soar: "Entities", chronicle: "ENTITIES" },
  "source-grouping-identifier": { soar: "SourceGroupingIdentifier", chronicle: "SOURCE_GROUPING_IDENTIFIER" },
  none: { soar: "None", chronicle: "NONE" },
};

/** A rule of `grouping-rules/` in the platform's form. The platform gives it a name of its own. */
export function platformGroupingRule(rule: GroupingRule, spelling: Spelling = "soar"): PlatformGroupingRule {
  return {
    category: categories[rule.category][spelling],
    categoryDetails: (rule.categoryDetails ?? []).map((name) => ({ identifier: name, displayName: name })),
    groupingType: groupings[rule.groupBy][spelling],
    entityType: [...(rule.groupingEntities ?? [])],
  };
}

/** The rule in both spellings, for the output folder. */
export function groupingRuleFiles(rule: GroupingRule): BuiltPackage[] {
  return [
    { path: GROUPING_RULE_PATH, content: Buffer.from(platformJson(platformGroupingRule(rule, "soar"))) },
    { path: CHRONICLE_RULE_PATH, content: Buffer.from(platformJson(platformGroupingRule(rule, "chronicle"))) },
  ];
}
