import type { FindingsQuery, InvalidValue } from "../attack-path-service.ts";
import { findingIdentity } from "./finding-identity.ts";
import type { Finding, SparklinePoint } from "./findings.records.ts";

/** What is wrong with list entries that `isEmpty` is true for. */
export const NOT_REQUESTED = "that are not findings of the requested type and environment";

type Asked = Pick<FindingsQuery, "environmentId" | "findingType">;

/**
 * Replaces findings of another finding type or environment by empty ones, in place: a cache that ignores the query answers
 * with them, and their times would move the cursor of this stream.
 *
 * @param identities - keeps the identities of the replaced findings
 */
export function emptyUnrequested(
  { records, invalidValues }: { records: Finding[]; invalidValues: InvalidValue[] },
  asked: Asked,
  { skip, identities }: { skip: number; identities: WeakMap<Finding, string> },
): void {
  for (const [index, finding] of records.entries()) {
    const problem = unrequested(finding, asked);
    if (problem === null) continue;
    const empty: Finding = {};
    identities.set(empty, findingIdentity(finding));
    records[index] = empty;
    invalidValues.push({ position: skip + index, path: "", problem });
  }
}

/** Why a finding does not belong to the stream; null when it does, or does not say. */
function unrequested({ Finding: type, DomainSID: id }: Finding, asked: Asked): string | null {
  if (isAnother(type, asked.findingType)) return "belongs to another finding type";
  return isAnotherEnvironment(id, asked.environmentId) ? "belongs to another environment" : null;
}

/** Whether a point of a sparkline says that it is about another environment. */
export function isOfAnother({ DomainSID: id }: SparklinePoint, environmentId: string): boolean {
  return isAnotherEnvironment(id, environmentId);
}

/** Of a directory domain. */
const SID = /^S-\d+(-\d+)*$/i;
/** Of a cloud tenant. */
const GUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * What a service writes as `DomainSID` where the environment is no directory domain is not documented, and its findings must
 * not be taken for those of another one: only two ids can be distinguished, and in a cloud tenant only two GUIDs.
 */
function isAnotherEnvironment(said = "", asked: string): boolean {
  const isComparable = GUID.test(said) ? SID.test(asked) || GUID.test(asked) : SID.test(said) && SID.test(asked);
  return isComparable && isAnother(said, asked);
}

function isAnother(said: string | undefined, asked: string): boolean {
  if (said === undefined || said === "" || said === asked) return false;
  return said.toLowerCase() !== asked.toLowerCase();
}
