import type { Json, JsonObject, Severity } from "../runtime/protocol.ts";
import { InputError } from "../runtime/errors.ts";
import { parseInstant } from "../service/instants.ts";
import { inCapitals, isSameText, listed } from "../text.ts";
import { isSeverity, rankOf } from "../runtime/severity.ts";

/** An entity of the case, as the platform identifies it. */
export interface CaseEntity {
  identifier: string;
  /** In the platform's own words, such as USERUNIQNAME or SourceUserName. */
  type: string;
}

/** The ends of one finding of the alert, by object id. */
export interface FindingEnds {
  source: string;
  /** Empty when neither the service nor the host says it. */
  target: string;
  /** `low` for a finding whose risk is accepted; absent when the host does not say it. */
  severity?: Severity;
}

/** What the host knows of the case and the alert that an action runs on. */
export interface CaseContext {
  /** The selected entities that can be directory objects, each once; letter case makes no difference. */
  entities: CaseEntity[];
  /** The findings of the alert that have a source. */
  findings: FindingEnds[];
  /** How many more the alert has, of which the host does not know both ends. */
  findingsLost: number;
  /** The host has no entities that a person could select, so no message may ask for that. */
  withoutSelection?: true;
}

/** Types of entities that no directory holds; platforms differ in prefixes and letter case. */
const NO_OBJECT = /address|ipset|url|hash|filename|process|email|threat|cve|usb|creditcard|phone/i;
/** What platforms with a type for e-mail addresses call it. An address can be the name of a user. */
const E_MAIL_ADDRESS = /e-?mail[ _]?addr/i;

/**
 * Reads the context of an action; what does not have the form of the host contract is left out.
 *
 * @param now - epoch milliseconds: an acceptance may have ended since the alert was made
 */
export function readCaseContext({ entities, findings = [], findingsLost = 0 }: JsonObject, now: number): CaseContext {
  const byIdentifier = new Map<string, CaseEntity>();
  for (const { identifier, type } of objects(entities ?? [])) {
    const entity = { identifier: text(identifier), type: text(type) };
    const key = inCapitals(entity.identifier);
    if (key !== "" && mayBeObject(entity.type) && !byIdentifier.has(key)) byIdentifier.set(key, entity);
  }
  const known = objects(findings);
  const ends = known.map((finding) => ({
    source: text(finding["source"]),
    target: text(finding["target"]),
    ...severityOf(finding, now),
  }));
  const unreadable = Array.isArray(findings) ? findings.length - known.length : 0;
  return {
    entities: [...byIdentifier.values()],
    findings: ends.filter(({ source }) => source !== ""),
    findingsLost: unreadable + wholeNumber(findingsLost),
    ...(entities === undefined && { withoutSelection: true }),
  };
}

function mayBeObject(type: string): boolean {
  return E_MAIL_ADDRESS.test(type) || !NO_OBJECT.test(type);
}

/** The values of a parameter that may be left empty. */
export interface ChosenValues {
  values: readonly string[];
  /** Whether the selected entities stand in for the parameter. They may be names as well as object ids. */
  selected: boolean;
  /** Which entities these are, as a sentence; empty when the parameter was given. */
  note: string;
}

/**
 * The values of a parameter, or in place of an empty one the selected entities.
 *
 * @throws InputError when there are none either
 */
export function valuesOrEntities(
  label: string,
  given: readonly string[] | null,
  { entities, withoutSelection }: CaseContext,
): ChosenValues {
  if (given !== null) return { values: given, selected: false, note: "" };
  const values = entities.map(({ identifier }) => identifier);
  if (values.length > 0) {
    return { values, selected: true, note: `Used the selected entities as ${label}: ${listed(values)}.` };
  }
  if (withoutSelection) throw new InputError(`${label} is empty. Enter it.`);
  throw new InputError(
    `${label} is empty, and no entity that can be a directory object is selected. Enter ${label}, or select entities of the case.`,
  );
}

function objects(value: Json): JsonObject[] {
  if (!Array.isArray(value)) return [];
  return value.filter((entry): entry is JsonObject => typeof entry === "object" && entry !== null);
}

/** A host may make a number of a text that looks like one, and the other way round. */
function text(value: Json | undefined): string {
  return typeof value === "string" || typeof value === "number" ? String(value).trim() : "";
}

/** 0 for anything but a number. */
function wholeNumber(value: Json): number {
  const number = Number(text(value));
  return Number.isFinite(number) ? Math.max(0, Math.ceil(number)) : 0;
}

/** The severity of a finding as a host passes it on. An accepted finding counts as low, as it does for its alert. */
function severityOf({ severity, accepted, acceptedUntil }: JsonObject, now: number): { severity?: Severity } {
  if (!isSeverity(severity)) return {};
  const end = typeof acceptedUntil === "string" ? parseInstant(acceptedUntil) : null;
  // A platform without booleans makes texts of them, such as True.
  const isTrue = typeof accepted === "string" ? isSameText(accepted, "true") : accepted === true;
  const isAccepted = isTrue && (end === null || end > now);
  return { severity: isAccepted && rankOf(severity) < rankOf("low") ? "low" : severity };
}
