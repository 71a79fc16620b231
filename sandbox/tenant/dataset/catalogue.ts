import { AZURE_TYPES } from "./catalogue-cloud.ts";
import { DIRECTORY_TYPES } from "./catalogue-directory.ts";

export type DocumentKind = "title" | "short_description" | "short_remediation" | "long_remediation";
export const DOCUMENT_KINDS: readonly DocumentKind[] = [
  "title",
  "short_description",
  "short_remediation",
  "long_remediation",
];
export type FindingDocuments = Partial<Record<DocumentKind, string>>;

/** A finding type: what it is about, which part of the graph shows it, and what its documents say. */
export interface FindingType {
  name: string;
  title: string;
  description: string;
  remediation: string;
  /** Steps of the long remediation. */
  steps: readonly string[];
  /** How to see that the finding is gone. */
  check: string;
  source: EdgeSource | PrincipalSource;
}

/** Findings of the relationship form: edges of a kind, between ends of a tier. */
export interface EdgeSource {
  form: "relationship";
  edge: string;
  /** Which ends the edge must have; "default-group" is a group that holds everybody. */
  from: "any" | "not-tier-zero" | "default-group";
  to: "any" | "tier-zero" | "unconstrained";
}

/** Findings of the list form: principals with a property. */
export interface PrincipalSource {
  form: "list";
  kind: string;
  property: string;
  value: boolean;
  tierZeroOnly: boolean;
}

/** All finding types that the demo data set knows, by name. */
export const CATALOGUE: ReadonlyMap<string, FindingType> = new Map(
  [...DIRECTORY_TYPES, ...AZURE_TYPES].map((type) => [type.name, type]),
);

export function documentsOf(type: FindingType): FindingDocuments {
  const steps = type.steps.map((step, index) => `${index + 1}. ${step}`).join("\n");
  return {
    title: type.title,
    short_description: type.description,
    short_remediation: type.remediation,
    long_remediation: `# ${type.title}\n\n${type.description}\n\n## Steps\n\n${steps}\n\n## Check\n\n${type.check}\n`,
  };
}
