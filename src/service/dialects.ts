/** In what two tenants of the same API differ. */
export interface Dialect {
  /** Scheme word of the Authorization header in signed requests. */
  readonly signatureScheme: string;
  /** Comes after the kind in the path of a finding document. */
  readonly documentSuffix: string;
}

export type DialectName = "standard" | "bloodhound-enterprise";

/**
 * `standard` is the Attack Path Analysis Service API as documented. `bloodhound-enterprise` is what tenants of BloodHound
 * Enterprise use (BloodHound API, docs/openapi.json; the document names come from its release notes).
 */
export const dialects: Readonly<Record<DialectName, Dialect>> = {
  standard: { signatureScheme: "svcsignature", documentSuffix: "" },
  "bloodhound-enterprise": { signatureScheme: "bhesignature", documentSuffix: ".md" },
};
