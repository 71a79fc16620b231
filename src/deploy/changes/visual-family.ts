import type { FamilyAssignment } from "../artefacts.ts";
import { ifOffered, type OntologyRecord, type PlatformApi } from "../platform-api.ts";
import type { Change } from "../compare.ts";

/** Assigns the family to the product. Families of single kinds of events are an administrator's choice and stay. */
export function planVisualFamily(
  api: PlatformApi,
  { source, product, family }: FamilyAssignment,
  records: readonly OntologyRecord[] | null,
): Change {
  const subject = `Visual family "${family}"`;
  if (records === null) {
    const effect = `this version of the platform cannot assign it to ${product} by its API. Assign it by hand: docs/google-secops.md.`;
    return { subject, effect, details: [], apply: null };
  }
  const isProduct = (record: OntologyRecord): boolean =>
    record.source.toLowerCase() === source.toLowerCase() && record.product === product && record.eventName === null;
  const before = records.find(isProduct)?.familyName ?? null;
  if (before === family) {
    return { subject, effect: `already assigned to the product ${product}.`, details: [], apply: null };
  }
  const instead = before === null ? "" : ` instead of "${before}"`;
  return {
    subject,
    effect: `will be assigned to the product ${product}${instead}.`,
    details: [],
    apply: () => api.assignFamily(source, product, family),
  };
}

/** Null where the platform's version does not list what is assigned. */
export function assignedFamilies(api: PlatformApi): Promise<OntologyRecord[] | null> {
  return ifOffered(api.ontologyRecords());
}
