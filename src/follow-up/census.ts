import { severityOf } from "../ingestion/mapping/severity.ts";
import type { Severity } from "../runtime/protocol.ts";
import { rankOf } from "../runtime/severity.ts";
import type { AttackPathService } from "../service/attack-path-service.ts";
import { NotFoundError } from "../service/errors/errors.ts";
import { parseInstant } from "../service/instants.ts";
import { isEmpty } from "../service/resources/findings.ts";
import type { Finding } from "../service/resources/findings.records.ts";
import { type FindingKey, keyOfFinding } from "./finding-key.ts";
import type { Tracked } from "./streams.ts";

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
}

export type CensusOutcome =
  | Census
  /** The service does not know the type, and the environment does not list it. */
  | { readonly kind: "no_type" }
  | { readonly kind: "incomplete"; readonly why: string };

const FOREIGN = "The service listed entries that are not findings of this type and environment.";
const NAMELESS = "The service listed findings without the objects that they are about.";
const UNCOUNTED = "The service listed another number of findings than it counts, or did not count them.";

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
  wanted: ReadonlyMap<FindingKey, Tracked>,
): Promise<CensusOutcome> {
  const reading = new Reading(wanted);
  const { pageSize } = service.findings;
  let pages = 0;
  try {
    for await (const { findings, total } of service.findings.pages({ ...stream, once: true })) {
      pages += 1;
      reading.total = total;
      for (const finding of findings) reading.take(finding);
    }
    // The count of one full page may be that of the page, and pages of a size that the service chose leave that open, too.
    if (reading.total === null || (pages === 1 && reading.total >= pageSize))
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
  readonly #wanted: ReadonlyMap<FindingKey, Tracked>;
  readonly #listed = new Map<FindingKey, Listed>();
  /** The wanted findings by their ids; null as long as nobody asked. */
  #byId: ReadonlyMap<string, FindingKey> | null = null;
  #distinct = 0;
  /** Those that are not deleted. */
  #held = 0;
  #problem: string | null = null;

  constructor(wanted: ReadonlyMap<FindingKey, Tracked>) {
    this.#wanted = wanted;
  }

  take(finding: Finding): void {
    this.#distinct += 1;
    if (isEmpty(finding)) {
      this.#problem ??= FOREIGN;
      return;
    }
    const named = keyOfFinding(finding);
    if (named === null) this.#problem ??= NAMELESS;
    const listed = listedAs(finding);
    if (listed.kind !== "deleted") this.#held += 1;
    const key = named !== null && this.#wanted.has(named) ? named : this.#keyById(finding);
    if (key === undefined) return;
    const known = this.#listed.get(key);
    if (known === undefined || counts(listed) > counts(known)) this.#listed.set(key, listed);
  }

  outcome(): CensusOutcome {
    // A service may leave what is deleted out of its count.
    const isCounted = this.total === this.#distinct || this.total === this.#held;
    const why = this.#problem ?? (isCounted ? null : UNCOUNTED);
    if (why !== null) return { kind: "incomplete", why };
    return { kind: "complete", listed: this.#listed, hasFindings: this.#held > 0 };
  }

  /** A finding with the id and the date that an alert has is the alert's, even if the service or the host names other objects for it. */
  #keyById({ id, created_at: createdAt }: Finding): FindingKey | undefined {
    this.#byId ??= new Map([...this.#wanted].map(([key, { id: own }]) => [own, key]));
    const key = this.#byId.get(String(id));
    const known = key === undefined ? undefined : this.#wanted.get(key)?.createdAt;
    return known !== undefined && known > 0 && known === parseInstant(createdAt ?? "") ? key : undefined;
  }
}

/** Several entries may be about the same objects: one that holds counts more than one that does not, and the worse of two more than the other. */
function counts(listed: Listed): number {
  if (listed.kind === "deleted") return listed.at ?? 0;
  return (listed.kind === "active" ? 2e16 : 1e16) - rankOf(listed.severity);
}

function listedAs(finding: Finding): Listed {
  const { deleted_at: deletedAt, Accepted, Severity, ExposurePercentage, ImpactPercentage } = finding;
  const at = deletedAt === undefined || deletedAt === null ? null : parseInstant(deletedAt);
  // Go writes a time that was never set as one in the year 1.
  if (deletedAt !== undefined && deletedAt !== null && (at === null || at > 0)) return { kind: "deleted", at };
  const severity = severityOf(Severity, ExposurePercentage, ImpactPercentage);
  return { kind: Accepted === true ? "accepted" : "active", severity };
}
