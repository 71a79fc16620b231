import { findingIdentity, principalsOf } from "../service/resources/finding-identity.ts";
import type { Finding } from "../service/resources/findings.records.ts";
import { timeOf } from "./time.ts";

/** A finding that was not delivered before. */
export interface NewFinding {
  readonly finding: Finding;
  /** See `findingIdentity`. */
  readonly id: string;
  /** Identifies this appearance of the finding. One that disappears and returns gets another value. The alert id is a hash of these values. */
  readonly occurrence: string;
  /** Whether it may have been delivered before it was gone. */
  readonly mayBeBack: boolean;
  /** Epoch milliseconds of its `created_at`; null when it has no usable one. */
  readonly createdAt: number | null;
}

/** A finding for which nothing is remembered. */
export function newFinding(finding: Finding): NewFinding {
  const id = findingIdentity(finding);
  const occurrence = occurrenceOf({ id, principals: principalsOf(finding), created: finding.created_at });
  return { finding, id, occurrence, mayBeBack: false, createdAt: timeOf(finding.created_at) };
}

/** @param forgotAt - set if the finding may have been delivered before and then forgotten */
export function occurrenceOf({
  id,
  principals,
  created = "",
  forgotAt,
}: {
  id: string;
  principals: string;
  created: string | undefined;
  forgotAt?: number | undefined;
}): string {
  return JSON.stringify([id, principals, created, ...(forgotAt === undefined ? [] : [forgotAt])]);
}
