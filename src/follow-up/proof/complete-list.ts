import { createHash } from "node:crypto";
import { sourceOf, targetOf } from "../../findings/principal.ts";
import { severityOf } from "../../findings/severity.ts";
import type { Severity } from "../../runtime/protocol.ts";
import { rankOf } from "../../runtime/severity.ts";
import type { AttackPathService } from "../../service/attack-path-service.ts";
import { BadRequestError, NotFoundError } from "../../service/errors/errors.ts";
import { parseInstant } from "../../service/instants.ts";
import { isEmpty } from "../../service/resources/findings.ts";
import type { Finding } from "../../service/resources/findings.records.ts";
import { inCapitals } from "../../text.ts";
import { type FindingKey, findingKeyOf, keyOfFinding } from "../finding-key.ts";
import type { Tracked } from "../streams.ts";

/** How the service lists one finding. */
export type Listed =
  | { readonly kind: "active" | "accepted"; readonly severity: Severity }
  /** Marked as deleted, in epoch milliseconds; null when the time cannot be read. */
  | { readonly kind: "deleted"; readonly at: number | null; readonly isAccepted: boolean };

/** A complete read of one stream. */
export interface CompleteList {
  readonly kind: "complete";
  /** Of the findings that were looked for, those that are listed. */
  readonly listed: ReadonlyMap<FindingKey, Listed>;
  /** How many findings the stream has that are not deleted. */
  readonly size: number;
}

export type ListOutcome =
  | CompleteList
  /** The service does not know the type, and the environment does not list it. */
  | { readonly kind: "no_type" }
  /** There was no time to read it to its end. */
  | { readonly kind: "unfinished" }
  | { readonly kind: "incomplete"; readonly why: string };

const FOREIGN = "The service listed entries that are not findings of this type and environment.";
const NAMELESS = "The service listed findings without the objects that they are about.";
const UNCOUNTED = "The service listed another number of findings than it counts, or did not count them.";
const LONGER = "The service lists more findings than it counts.";
const REPEATED = "The service listed several findings of this type about the same objects, so others may be left out.";

/**
 * Reads a stream to its end. It counts only when the service says how many findings there are, the distinct findings are as
 * many, and each says which objects it is about. Where it lacks a finding of an open alert, more has to hold, since the list may
 * be shorter than it seems: it ends where the service says, no two findings that are not deleted are about the same objects in the
 * same direction, and each says its type or environment.
 *
 * @param wanted - the findings to look for
 * @param hasTime - asked before another page
 * @throws ServiceError when the list cannot be read to its end
 */
export async function readCompleteList(
  service: AttackPathService,
  stream: { readonly environmentId: string; readonly findingType: string },
  wanted: ReadonlyMap<FindingKey, Tracked>,
  hasTime: () => boolean,
): Promise<ListOutcome> {
  const reading = new Reading(wanted);
  const { pageSize } = service.findings;
  let pages = 0;
  try {
    for await (const { findings, total } of service.findings.pages({ ...stream, once: true })) {
      pages += 1;
      reading.total = total;
      for (const finding of findings) reading.take(finding);
      if (reading.distinct !== total && !hasTime()) return { kind: "unfinished" };
    }
    // The count of one full page may be that of the page, and pages of a size that the service chose leave that open, too.
    if (reading.total === null || (pages === 1 && reading.total >= pageSize))
      reading.total = (await service.findings.newest(stream, { required: true }))?.total ?? null;
  } catch (error) {
    if (!(await isGone(error, service, stream))) throw error;
    return { kind: "no_type" };
  }
  const why = reading.doubt() ?? (await doubtOfEnd(service, stream, reading));
  return why === null ? reading.list() : { kind: "incomplete", why };
}

/** A list may be longer than its count. That matters only where something is missed, so only then it costs a request. */
async function doubtOfEnd(
  service: AttackPathService,
  stream: { readonly environmentId: string; readonly findingType: string },
  { lacksAny, distinct }: Reading,
): Promise<string | null> {
  return lacksAny && (await service.findings.hasMore(stream, distinct)) ? LONGER : null;
}

/** Whether the service denies a finding type and does not list it. What a gateway says does not count. */
async function isGone(
  error: unknown,
  service: AttackPathService,
  { environmentId, findingType }: { readonly environmentId: string; readonly findingType: string },
): Promise<boolean> {
  const isDenied = error instanceof NotFoundError || error instanceof BadRequestError;
  if (!isDenied || !error.wrapped) return false;
  const { types, unreadable, incomplete } = await service.findings.types(environmentId);
  return incomplete === undefined && unreadable === 0 && !types.includes(findingType);
}

class Reading {
  total: number | null = null;
  distinct = 0;
  readonly #wanted: ReadonlyMap<FindingKey, Tracked>;
  /** Whether the host did not know where some of the wanted findings begin. */
  readonly #wantsEnds: boolean;
  readonly #listed = new Map<FindingKey, Listed>();
  /** The wanted findings by their ids; null as long as nobody asked. */
  #byId: ReadonlyMap<string, FindingKey> | null = null;
  /** What those are about that are not deleted. Numbers, because a list may have many. */
  readonly #held: number[] = [];
  #hasUntold = false;
  #problem: string | null = null;

  constructor(wanted: ReadonlyMap<FindingKey, Tracked>) {
    this.#wanted = wanted;
    this.#wantsEnds = [...wanted.values()].some(({ source }) => source === null);
  }

  /** Whether a finding of an open alert is not listed, or as deleted only. */
  get lacksAny(): boolean {
    return [...this.#wanted].some(
      ([key, { isOpen }]) => isOpen && (this.#listed.get(key)?.kind ?? "deleted") === "deleted",
    );
  }

  take(finding: Finding): void {
    this.distinct += 1;
    if (isEmpty(finding)) {
      this.#problem ??= FOREIGN;
      return;
    }
    if (keyOfFinding(finding) === null) this.#problem ??= NAMELESS;
    // Documented for each finding. A list of another type may be taken for this one without them.
    if (!finding.Finding && !finding.DomainSID) this.#hasUntold = true;
    const listed = listedAs(finding);
    if (listed.kind !== "deleted") this.#held.push(directedHash(finding));
    for (const key of this.#keysOf(finding)) {
      const known = this.#listed.get(key);
      if (known === undefined || precedenceOf(listed) > precedenceOf(known)) this.#listed.set(key, listed);
    }
  }

  /** Why the list is no complete one; null when nothing speaks against it. */
  doubt(): string | null {
    // A service may leave what is deleted out of its count.
    const isCounted = this.total === this.distinct || this.total === this.#held.length;
    return this.#problem ?? (isCounted ? null : UNCOUNTED) ?? (this.lacksAny ? this.#doubtOfAbsence() : null);
  }

  list(): CompleteList {
    return { kind: "complete", listed: this.#listed, size: this.#held.length };
  }

  #doubtOfAbsence(): string | null {
    if (this.#hasUntold) return FOREIGN;
    const sorted = Float64Array.from(this.#held).sort();
    return sorted.some((hash, at) => at > 0 && hash === sorted[at - 1]) ? REPEATED : null;
  }

  /** Those of the wanted findings that a listed one may be. */
  #keysOf(finding: Finding): FindingKey[] {
    const named = keyOfFinding(finding);
    const own = named !== null && this.#wanted.has(named) ? named : this.#keyById(finding);
    const keys = own === undefined ? [] : [own];
    if (!this.#wantsEnds) return keys;
    const ends = [sourceOf(finding), targetOf(finding)].flatMap(({ objectId }) => objectId ?? []);
    return keys.concat(ends.map((end) => findingKeyOf(null, end)).filter((key) => this.#wanted.has(key)));
  }

  /** A finding with the id and the date that an alert has is the alert's, even if the service or the host names other objects for it. */
  #keyById({ id, created_at: createdAt }: Finding): FindingKey | undefined {
    this.#byId ??= new Map([...this.#wanted].map(([key, { id: own }]) => [own, key]));
    const key = this.#byId.get(String(id));
    const known = key === undefined ? undefined : this.#wanted.get(key)?.createdAt;
    return known !== undefined && known > 0 && known === parseInstant(createdAt ?? "") ? key : undefined;
  }
}

/** If several entries are about the same objects, the greatest counts: active before accepted before deleted, then the worse severity or the later deletion. */
function precedenceOf(listed: Listed): number {
  if (listed.kind === "deleted") return listed.at ?? 0;
  return (listed.kind === "active" ? 2e16 : 1e16) - rankOf(listed.severity);
}

/** The same number for findings about the same objects in the same direction. 48 bits tell those of a list apart. */
function directedHash(finding: Finding): number {
  const target = inCapitals(targetOf(finding).objectId ?? "");
  const about = `${keyOfFinding(finding) ?? ""} ${target}`;
  return createHash("sha256").update(about).digest().readUIntBE(0, 6);
}

function listedAs(finding: Finding): Listed {
  const { deleted_at: deletedAt, Accepted, Severity, ExposurePercentage, ImpactPercentage } = finding;
  const at = deletedAt === undefined || deletedAt === null ? null : parseInstant(deletedAt);
  // Go writes a time that was never set as one in the year 1.
  const isAccepted = Accepted === true;
  if (deletedAt !== undefined && deletedAt !== null && (at === null || at > 0))
    return { kind: "deleted", at, isAccepted };
  const severity = severityOf(Severity, ExposurePercentage, ImpactPercentage);
  return { kind: isAccepted ? "accepted" : "active", severity };
}
