import type { GroupingRule } from "../../manifest/manifest.ts";
import type { BuiltPackage } from "../target.ts";
import { platformJson } from "./platform.ts";

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

/**
 * The rule in both spellings, for the output folder: `google-secops/grouping-rules/<name>.json` as the platform's own API
 * takes it, and `….chronicle.json`.
 *
 * @param file - its path in the project, such as `grouping-rules/source-domain.json`
 */
export function groupingRuleFiles(file: string, rule: GroupingRule): BuiltPackage[] {
  const content = (spelling: Spelling): Buffer => Buffer.from(platformJson(platformGroupingRule(rule, spelling)));
  const path = `google-secops/${file}`;
  return [
    { path, content: content("soar") },
    { path: path.replace(/\.json$/, ".chronicle.json"), content: content("chronicle") },
  ];
}
