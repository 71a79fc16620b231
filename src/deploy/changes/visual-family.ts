import type { FamilyAssignment } from "../artefacts.ts";
import { ifOffered, type PlatformApi } from "../platform-api.ts";
import { type Change, unchanged } from "./change.ts";

/** Assigns the family to the product. Families of single kinds of events are an administrator's choice and stay. */
export async function planVisualFamily(api: PlatformApi, assignment: FamilyAssignment): Promise<Change> {
  const { product, family } = assignment;
  const subject = `Visual family "${family}"`;
  // Null where the platform's version does not list what is assigned.
  const assigned = await ifOffered(api.assignedFamily(assignment));
  if (assigned === null) {
    return unchanged(
      subject,
      `this version of the platform cannot assign it to ${product} by its API. Assign it by hand: docs/google-secops.md.`,
    );
  }
  if (assigned === "no record") {
    return unchanged(
      subject,
      `can be assigned to the product ${product} once its first alert has arrived. Run the command with --only family then.`,
    );
  }
  const before = assigned.name;
  if (before === family) return unchanged(subject, `already assigned to the product ${product}.`);
  const instead = before === null ? "" : ` instead of "${before}"`;
  return {
    subject,
    effect: `will be assigned to the product ${product}${instead}.`,
    details: [],
    save: before === null ? null : (backup) => backup.saveFamily({ ...assignment, family: before }),
    apply: () => api.assignFamily(assignment, family),
  };
}
