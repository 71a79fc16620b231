/** The texts that explain a finding type, one request each. */
export const documentKinds = ["title", "short_description", "short_remediation", "long_remediation"] as const;
export type DocumentKind = (typeof documentKinds)[number];
