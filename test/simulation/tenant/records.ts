import { type EnvironmentPlan, type FindingPlan, FOREVER, type NullableShape } from "../scenario.ts";
import { hashText } from "../random.ts";
import { EPOCH, inSpan, millionCharacters, type World } from "../world.ts";
import { type Instant, writeInstant, ZERO_TIME, zeroInstant } from "./instants.ts";

type Json = Record<string, unknown>;

/**
 * Every event names its source and its target, and they tell findings apart: the target where the finding has one of its
 * own, else the source.
 */
const TARGET = "S-1-5-21-7-";
const SOURCE = "S-1-5-21-8-";
const SHARED_SOURCE = "S-1-5-21-7-513";

/** Null for objects of no finding. */
export function keyOfObjects(source: unknown, target: unknown): string | null {
  return keyAfter(SOURCE, source) ?? keyAfter(TARGET, target);
}

function keyAfter(start: string, objectId: unknown): string | null {
  return typeof objectId === "string" && objectId.startsWith(start) ? objectId.slice(start.length) : null;
}

/** The id as the service has it. Long ids differ in their last characters only. */
export function idOf({ id, idPadding }: FindingPlan): FindingPlan["id"] {
  return idPadding === undefined || id === null ? id : millionCharacters.slice(0, idPadding) + String(id);
}

/** What a filter or a sort order sees as the finding's created_at; null where the column is empty. */
export function createdInstant(world: World, finding: FindingPlan, moment: number): Instant | null {
  if (finding.created === "zero") return zeroInstant;
  const ms = world.createdAt(finding, moment);
  return ms === null ? null : { ms, nanoseconds: finding.nanoseconds ?? 0 };
}

export function updatedInstant(world: World, finding: FindingPlan, moment: number): Instant | null {
  const created = createdInstant(world, finding, moment);
  const ms = world.updatedAt(finding, moment);
  return created === null || ms === null || ms === created.ms ? created : { ms, nanoseconds: 0 };
}

/** One row of `details`, as the service writes it. */
export function findingRecord(world: World, finding: FindingPlan, moment: number): Json {
  const created = createdInstant(world, finding, moment);
  const updated = updatedInstant(world, finding, moment);
  const accepted = world.isAccepted(finding, moment);
  const record: Json = {
    ...(finding.id !== null && { id: idOf(finding) }),
    ...(created !== null ? { created_at: writeInstant(created) } : spoiltDate(finding.created)),
    ...(updated !== null && { updated_at: writeInstant(updated) }),
    ...deletedAt(finding, world.isMarkedDeleted(finding, moment)),
    ...principals(finding, lastCollection(world, moment)),
    Finding: finding.type,
    DomainSID: finding.environment,
    PrincipalHash: hashText(finding.target ?? objectsOf(finding)).toString(16),
    Accepted: accepted,
    AcceptedUntil: accepted ? acceptedUntil(finding, world.settled(moment)) : ZERO_TIME,
    ImpactPercentage: 0.25,
    ImpactCount: 12,
    Severity: world.severityOf(finding, moment),
  };
  return finding.odd === undefined ? record : { ...record, ...oddities[finding.odd](finding) };
}

/** A finding is deleted only where `valid` is true (service document, section Nullable wrappers). */
function deletedAt({ deleted, nullable }: FindingPlan, isDeleted: boolean): Json {
  if (isDeleted) {
    const time = new Date(EPOCH + (deleted?.at ?? 0)).toISOString();
    return { deleted_at: { time, valid: true, ...(nullable !== undefined && { more: 1 }) } };
  }
  if (nullable === "absent") return {};
  return { deleted_at: nullable === undefined ? { time: ZERO_TIME, valid: false } : notDeleted[nullable] };
}

const notDeleted: Record<Exclude<NullableShape, "absent">, unknown> = {
  null: null,
  empty: {},
  capitals: { Time: ZERO_TIME, Valid: false },
  "more fields": { time: ZERO_TIME, valid: false, more: 1 },
  "no valid": { time: ZERO_TIME },
  "valid is a text": { time: ZERO_TIME, valid: "true" },
  "valid is a number": { time: ZERO_TIME, valid: 1 },
  text: ZERO_TIME,
  number: 0,
  list: [],
  false: false,
};

function acceptedUntil({ accepted }: FindingPlan, moment: number): string {
  const until = accepted.find((span) => inSpan(moment, span))?.[1] ?? FOREVER;
  return until === FOREVER ? "2031-01-01T00:00:00Z" : new Date(EPOCH + until).toISOString();
}

function spoiltDate(created: FindingPlan["created"]): Json {
  if (created === "number") return { created_at: 1_700_000_000 };
  return created === "garbage" ? { created_at: "yesterday" } : {};
}

/** Properties tell when an object was last seen: they change with each analysis, and the finding stays the same. */
function lastCollection(world: World, moment: number): string {
  const last = world.analysesBefore(moment).at(-1)?.[1] ?? -86_400_000;
  return new Date(world.serviceClock(last)).toISOString();
}

function objectsOf({ key, sameAs }: FindingPlan): string {
  return sameAs ?? key;
}

function principals(finding: FindingPlan, lastseen: string): Json {
  const { shape, target: shared } = finding;
  const key = objectsOf(finding);
  const exposed = shape === "list" ? key : (shared ?? key);
  const target = TARGET + exposed;
  const source = shared === undefined ? SHARED_SOURCE : SOURCE + key;
  const props = { objectid: target, name: `TARGET-${exposed}@CORP.TEST`, domain: "CORP.TEST", lastseen };
  if (shape === "list") return { Principal: target, PrincipalKind: "User", Props: props };
  return {
    FromPrincipal: source,
    FromPrincipalKind: "Group",
    FromPrincipalProps: { objectid: source, name: "DOMAIN USERS@CORP.TEST" },
    ToPrincipal: target,
    ToPrincipalKind: "User",
    ToPrincipalProps: props,
    RelProps: { isacl: true, lastseen },
    ComboGraphRelationID: { int64: 7, valid: true },
    ExposurePercentage: 0.5,
    ExposureCount: 3,
  };
}

/** Own properties under names that every object inherits: only JSON can bring them about. */
const treacherous = JSON.parse(
  '{"__proto__":{"polluted":true},"constructor":"x","toString":1,"hasOwnProperty":null}',
) as Json;
const hugeName = "A".repeat(100_000);

const oddities: Record<NonNullable<FindingPlan["odd"]>, (finding: FindingPlan) => Json> = {
  "lone surrogates": () => ({ note: "\ud800 and \udfff", FromPrincipalName: "\udc00NAME" }),
  "prototype properties": () => Object.fromEntries(Object.entries(treacherous)),
  "constructor properties": ({ shape }) => ({ [shape === "list" ? "RelProps" : "Extra"]: treacherous }),
  "huge name": () => ({ FromPrincipalName: hugeName, note: hugeName }),
  "names of a million characters": () => ({ FromPrincipalName: millionCharacters, note: millionCharacters }),
  "numbers as text": () => ({ ImpactPercentage: "0.25", ImpactCount: "12", ExposureCount: "3" }),
  "wrong types": () => ({ updated_at: 17, RelProps: "none", ExposurePercentage: {}, FromPrincipalKind: ["User"] }),
  "deep properties": () => ({ RelProps: JSON.parse(`${'{"a":'.repeat(200)}1${"}".repeat(200)}`) as unknown }),
  "control characters": () => ({ FromPrincipalName: "line\nbreak\u0000\u202e", note: "\u0007" }),
};

export function environmentRecord(world: World, environment: EnvironmentPlan, moment: number): Json {
  const name = world.nameOf(environment, moment);
  const record: Json = {
    id: environment.id,
    ...(name !== null && { name }),
    type: environment.kind,
    collected: world.isCollected(environment, moment),
    impactValue: 5,
    hygiene_attack_paths: 0,
  };
  if (environment.odd === "name is a number") return { ...record, name: 17 };
  if (environment.odd === "exposures is a text") return { ...record, exposures: "none", impactValue: "high" };
  return environment.odd === "prototype property" ? { ...record, ...treacherous } : record;
}
