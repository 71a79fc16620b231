import { isFilledText } from "../json.ts";
import type { Finding, ObjectProperties } from "../service/resources/findings.records.ts";

/** One end of a finding: a directory or cloud object. */
export interface Principal {
  readonly objectId: string | undefined;
  readonly kind: string | undefined;
  readonly name: string | undefined;
  readonly tierZero: boolean | undefined;
  /** What platforms have an entity for. */
  readonly role: "user" | "host" | "group" | undefined;
}

/** Where the path starts; a list finding has no such end. */
export function sourceOf(finding: Finding): Principal {
  const { FromPrincipal, FromPrincipalKind, FromPrincipalName, FromPrincipalProps } = finding;
  return principal(FromPrincipal, FromPrincipalKind, FromPrincipalName, FromPrincipalProps);
}

/** Where the path leads. A list finding names one principal, the exposed one: it is the target. */
export function targetOf(finding: Finding): Principal {
  return principal(
    firstText(finding.ToPrincipal, finding.Principal),
    firstText(finding.ToPrincipalKind, finding.PrincipalKind),
    firstText(finding.ToPrincipalName, finding.PrincipalName),
    finding.ToPrincipalProps ?? finding.Props,
  );
}

/** The domain of the target where it is not the one that the finding was made in. */
export function foreignDomain(finding: Finding, environmentName: string | undefined): string | undefined {
  const domain = textIn(finding.ToPrincipalProps ?? finding.Props, "domain");
  return domain?.toUpperCase() === environmentName?.toUpperCase() ? undefined : domain;
}

function principal(
  objectId: string | undefined,
  kind: string | undefined,
  name: string | undefined,
  props: ObjectProperties | undefined,
): Principal {
  const id = firstText(objectId, textIn(props, "objectid"));
  return {
    objectId: id,
    kind,
    name: firstText(textIn(props, "name"), name, id),
    tierZero: tierZeroIn(props),
    role: kind === undefined ? undefined : roles.get(kind),
  };
}

/** Kinds that platforms have an entity for (node kinds: BloodHound graph schema). */
const roles = new Map<string, "user" | "host" | "group">([
  ["User", "user"],
  ["AZUser", "user"],
  ["Computer", "host"],
  ["AZDevice", "host"],
  ["AZVM", "host"],
  ["Group", "group"],
  ["AZGroup", "group"],
]);

/**
 * Whether the properties of an object say that it belongs to Tier Zero: a flag of its own, else a word in `system_tags` (BloodHound
 * API, graph nodes). Undefined when they have neither.
 */
export function tierZeroIn(properties: Readonly<Record<string, unknown>> | undefined): boolean | undefined {
  if (typeof properties?.["isTierZero"] === "boolean") return properties["isTierZero"];
  const tags = properties?.["system_tags"];
  return typeof tags === "string" ? tags.split(/[\s,]+/).includes("admin_tier_0") : undefined;
}

/** The first text that says something: an empty one says as little as a missing one. */
export function firstText(...texts: readonly (string | undefined)[]): string | undefined {
  return texts.find(isFilledText);
}

function textIn(props: ObjectProperties | undefined, name: string): string | undefined {
  const value = props?.[name];
  return isFilledText(value) ? value : undefined;
}
