import type { Environment } from "../../service/resources/environments.records.ts";
import type { ObjectReference } from "../objects/found-object.ts";
import { inCapitals, isSameText } from "../../text.ts";

/*
 * The ends that are tried. The service has no documented operation that lists Tier Zero, so these are objects whose ids follow from the
 * id of their environment, and which are in Tier Zero by default (BloodHound documentation, "Tier Zero: members and modification").
 * Object ids: Windows, "Well-known SIDs"; Entra ID, "Built-in roles".
 */

const SID = /^S-1-5-21(-\d+){3}$/i;
/** The SID of its domain, with which the id of an object begins. */
const DOMAIN_OF_SID = /^S-1-5-21(?:-\d+){3}(?=-|$)/i;

/** Of a directory domain. Domain Admins come first: whoever is a member administers every computer of the domain. */
const DIRECTORY_ENDS: readonly ((domain: { id: string; name: string }) => string)[] = [
  ({ id }) => `${id}-512`,
  // The domain itself: rights such as DCSync and WriteDacl end there.
  ({ id }) => id,
  // Administrators of the domain controllers. Without the name of the domain, their id is not known.
  ({ name }) => (name === "" ? "" : `${name}-S-1-5-32-544`),
  // Domain Controllers: each of its computers holds the passwords of the domain.
  ({ id }) => `${id}-516`,
  // Enterprise Admins and Schema Admins, which only the first domain of a forest has.
  ({ id }) => `${id}-519`,
  ({ id }) => `${id}-518`,
  // Key Admins and Enterprise Key Admins: they may write the keys that accounts sign in with.
  ({ id }) => `${id}-526`,
  ({ id }) => `${id}-527`,
];

/** Of a cloud tenant: itself, then the roles that can give themselves every other role. */
const CLOUD_ENDS: readonly ((tenant: { id: string }) => string)[] = [
  ({ id }) => id,
  // Global Administrator, Privileged Role Administrator, Privileged Authentication Administrator.
  ({ id }) => `62E90394-69F5-4237-9190-012177145E10@${id}`,
  ({ id }) => `E8611AB8-C189-46E8-94E1-60213AB1F814@${id}`,
  ({ id }) => `7BE44C8A-ADAF-4E2A-84D6-AB2649E08A13@${id}`,
];

/** Whether the environment is a directory domain or a cloud tenant. Of a custom kind, nothing is known to be in Tier Zero. */
export function hasTierZeroEnds({ id, type }: Environment): boolean {
  return SID.test(id) || type == null || isSameText(type, "azure");
}

/** An object that is tried as the end of a path. */
export interface TierZeroEnd {
  objectId: string;
  /** Domain Admins, or the tenant, of a start or of a collected environment: tried even if the service cannot find it. */
  isAlwaysTried: boolean;
}

/**
 * What to try for these starts, best first: everything of their own environments, then the first end of each other
 * environment. An attacker who has one domain of a forest has all of them, so these count as well. Environments that were not
 * collected come last: collectors of other environments may still have seen their first end.
 */
export function tierZeroEnds(environments: readonly Environment[], starts: readonly ObjectReference[]): TierZeroEnd[] {
  const homes = homesOfAll(environments, starts);
  const own = [...homes.values()].map(endsOf);
  const others = environments.filter(({ id }) => !homes.has(inCapitals(id)));
  const ends = [
    // The Domain Admins of every home come before anything else.
    ...own.flatMap((all) => all.slice(0, 1)),
    ...own.flatMap((all) => all.slice(1)),
    ...others.filter(isCollected).flatMap((each) => (homes.size === 0 ? endsOf(each) : endsOf(each).slice(0, 1))),
    ...others
      .filter((each) => !isCollected(each))
      .flatMap((each) => endsOf(each).slice(0, 1))
      .map((end) => ({ ...end, isAlwaysTried: false })),
  ];
  return [...new Map(ends.map((end) => [inCapitals(end.objectId), end])).values()];
}

/** Ids of the domains of these starts whose name is not known, and with it the id of their Administrators. */
export function namelessDomains(environments: readonly Environment[], starts: readonly ObjectReference[]): string[] {
  const homes = [...homesOfAll(environments, starts).values()];
  return homes.flatMap(({ id, name = "" }) => (SID.test(id) && name === "" ? [id] : []));
}

/** By the id in capitals. */
function homesOfAll(
  environments: readonly Environment[],
  starts: readonly ObjectReference[],
): ReadonlyMap<string, Environment> {
  const homes = new Map<string, Environment>();
  for (const home of starts.flatMap((start) => homesOf(start, environments))) {
    const key = inCapitals(home.id);
    homes.set(key, { ...home, ...homes.get(key) });
  }
  return homes;
}

function isCollected({ collected }: Environment): boolean {
  return collected !== false;
}

function endsOf({ id, name = "" }: Environment): TierZeroEnd[] {
  const isDirectory = SID.test(id);
  const ids = isDirectory
    ? DIRECTORY_ENDS.map((idIn) => idIn({ id, name: inCapitals(name) }))
    : CLOUD_ENDS.map((idIn) => idIn({ id }));
  return ids
    .map((objectId, index) => ({ objectId, isAlwaysTried: index === 0 }))
    .filter(({ objectId }) => objectId !== "");
}

/**
 * The environment that an object is in: its id begins with that of its domain, or its name ends in the domain's. The service may
 * not list the domain, for example because the token may not see it. Several when the object is in one of them; none when that is not known.
 */
export function homesOf(
  { objectId, name, type }: ObjectReference,
  environments: readonly Environment[],
): Environment[] {
  const byId = environments.filter(({ id }) => inCapitals(`${objectId}-`).startsWith(inCapitals(`${id}-`)));
  if (byId.length > 0) return byId;
  const [sid] = DOMAIN_OF_SID.exec(objectId) ?? [];
  if (sid !== undefined) return [unlisted(inCapitals(sid), name, type)];
  const isCloud = type?.startsWith("AZ") === true;
  // The name of a domain may be the end of another one's, which the service need not list.
  const [, domain = ""] = (name?.includes("@") === true ? /@([^@]+)$/ : /^[^.]+\.(.+)$/).exec(name ?? "") ?? [];
  const byName = environments.filter(
    // Accounts of the cloud often bear the name of a directory domain that they are synchronised with.
    (each) => each.name !== undefined && isSameText(each.name, domain) && !(isCloud && SID.test(each.id)),
  );
  if (byName.length > 0) return byName;
  return isCloud ? environments.filter((each) => !SID.test(each.id) && isCollected(each)) : [];
}

/** The service calls a computer by its DNS name and other objects `<account>@<domain>`. */
function unlisted(id: string, name: string | null, type: string | null): Environment {
  const [, domain] =
    /@([^@]+)$/.exec(name ?? "") ?? (type === "Computer" ? /^[^.]+\.(.+)$/.exec(name ?? "") : null) ?? [];
  return domain === undefined ? { id } : { id, name: domain };
}
