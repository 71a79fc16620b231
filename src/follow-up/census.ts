import { severityOf } from "../ingestion/mapping/severity.ts";
import type { Severity } from "../runtime/protocol.ts";
import { rankOf } from "../runtime/severity.ts";
import type { AttackPathService } from "../service/attack-path-service.ts";
import { NotFoundError } from "../service/errors/errors.ts";
import { parseInstant } from "../service/instants.ts";
import { isEmpty } from "../service/resources/findings.ts";
import type { Finding, ObjectProperties } from "../service/resources/findings.records.ts";
import { type FindingKey, keyOfFinding } from "./finding-key.ts";

/** How the service lists one finding. */
export type Listed =
  | { readonly kind: "active" | "accepted"; readonly severity: Severity }
  /** Marked as deleted, in epoch milliseconds; null when the time cannot be read. */
  | { readonly kind: "deleted"; readonly at: number | null };

/** A complete read of one stream. */
export interface Census {
  readonly kind: "complete";
  /** Of the findings that were looked for, those that are listed. */
  readonly listed: ReadonlyMap<FindingKey, Listed>;
  /** Whether the stream has any finding that is not deleted. */
  readonly hasFindings: boolean;
  /** When a collection last saw an object of it, in epoch milliseconds; 0 when no finding says. */
  readonly seenAt: number;
}

export type CensusOutcome =
  | Census
  /** The service does not know the type, and the environment does not list it. */
  | { readonly kind: "no_type" }
  | { readonly kind: "incomplete"; readonly why: string };

const FOREIGN = "The service listed entries that are not findings of this type and environment.";
const NAMELESS = "The service listed findings without the objects that they are about.";
const UNCOUNTED = "The service listed fewer findings than it counts, or did not count them.";

/**
 * Reads a stream to its end. It counts only when the service says how many findings there are, the distinct findings are as
 * many, and each says which objects it is about.
 *
 * @param wanted - the findings to look for
 * @throws ServiceError when the list cannot be read to its end
 */
export async function readCensus(
  service: AttackPathService,
  stream: { readonly environmentId: string; readonly findingType: string },
  wanted: ReadonlySet<FindingKey>,
): Promise<CensusOutcome> {
  const reading = new Reading(wanted);
  try {
    for await (const { findings, total } of service.findings.pages({ ...stream, once: true })) {
      reading.total = total;
      for (const finding of findings) reading.take(finding);
    }
    // Pages that are all full, of a size that the service chose, leave open what their count is about.
    if (reading.total === null)
      reading.total = (await service.findings.newest(stream, { required: true }))?.total ?? null;
  } catch (error) {
    if (!(error instanceof NotFoundError) || !(await isUnlisted(service, stream))) throw error;
    return { kind: "no_type" };
  }
  return reading.outcome();
}

async function isUnlisted(
  service: AttackPathService,
  { environmentId, findingType }: { readonly environmentId: string; readonly findingType: string },
): Promise<boolean> {
  const { types, unreadable, incomplete } = await service.findings.types(environmentId);
  return incomplete === undefined && unreadable === 0 && !types.includes(findingType);
}

class Reading {
  total: number | null = null;
  readonly #wanted: ReadonlySet<FindingKey>;
  readonly #listed = new Map<FindingKey, Listed>();
  #distinct = 0;
  #hasFindings = false;
  #seenAt = 0;
  #problem: string | null = null;

  constructor(wanted: ReadonlySet<FindingKey>) {
    this.#wanted = wanted;
  }

  take(finding: Finding): void {
    this.#distinct += 1;
    if (isEmpty(finding)) {
      this.#problem ??= FOREIGN;
      return;
    }
    const key = keyOfFinding(finding);
    if (key === null) this.#problem ??= NAMELESS;
    const listed = listedAs(finding);
    if (listed.kind !== "deleted") {
      this.#hasFindings = true;
      this.#seenAt = Math.max(this.#seenAt, seenAt(finding));
    }
    if (key === null || !this.#wanted.has(key)) return;
    const known = this.#listed.get(key);
    if (known === undefined || counts(listed) > counts(known)) this.#listed.set(key, listed);
  }

  outcome(): CensusOutcome {
    const why = this.#problem ?? (this.total === null || this.total > this.#distinct ? UNCOUNTED : null);
    if (why !== null) return { kind: "incomplete", why };
    return { kind: "complete", listed: this.#listed, hasFindings: this.#hasFindings, seenAt: this.#seenAt };
  }
}

/** Several entries may be about the same objects: one that holds counts more than one that does not, and the worse of two more than the other. */
function counts(listed: Listed): number {
  if (listed.kind === "deleted") return listed.at ?? 0;
  return (listed.kind === "active" ? 2e16 : 1e16) - rankOf(listed.severity);
}

function listedAs(finding: Finding): Listed {
  const { deleted_at: deletedAt, Accepted, Severity, ExposurePercentage, ImpactPercentage } = finding;
  if (deletedAt !== undefined && deletedAt !== null) return { kind: "deleted", at: parseInstant(deletedAt) };
  const severity = severityOf(Severity, ExposurePercentage, ImpactPercentage);
  return { kind: Accepted === true ? "accepted" : "active", severity };
}

function seenAt({ FromPrincipalProps, ToPrincipalProps, Props, RelProps }: Finding): number {
  const times = [FromPrincipalProps, ToPrincipalProps, Props, RelProps].map((properties?: ObjectProperties) => {
    const text = properties?.["lastseen"];
    return (typeof text === "string" ? parseInstant(text) : null) ?? 0;
  });
  return Math.max(...times);
}
