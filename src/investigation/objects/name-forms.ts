import type { SearchResult } from "../../service/resources/objects.records.ts";
import { inCapitals } from "../../text.ts";

/**
 * A name as other products write it, in capitals: `CORP\ALICE` (logon), `ALICE@MAIL.EXAMPLE` (address), `ALICE` or `SRV01`
 * (bare). A machine account ends in a dollar sign.
 */
export interface WrittenName {
  form: "logon" | "address" | "bare";
  account: string;
  /** What the text calls the domain: a NetBIOS name or a DNS name. Null in a bare name. */
  domain: string | null;
}

/** Security identifiers, also those with a domain in front, and UUIDs. */
const OBJECT_ID = /(^|-)S-1-\d+(-\d+)+$|^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** Some products escape the backslash. */
const LOGON = /^([^\\]+)\\+([^\\]+)$/;
const ADDRESS = /^(.+)@([^@]+)$/;
/** Windows cuts NetBIOS names off here (MS-NBTE, section 2.2.1). */
const LONGEST_NETBIOS_NAME = 15;

/** Whether a text has the form of an object id: the service may know the object even if its search does not find it. */
export function isObjectId(text: string): boolean {
  return OBJECT_ID.test(text);
}

export function readName(text: string): WrittenName {
  const name = inCapitals(text);
  const [, domain, account] = LOGON.exec(name) ?? [];
  if (domain !== undefined && account !== undefined) return { form: "logon", account, domain };
  const [, local, host] = ADDRESS.exec(name) ?? [];
  if (local !== undefined && host !== undefined) return { form: "address", account: local, domain: host };
  return { form: "bare", account: name, domain: null };
}

/**
 * The domain of an object that has this account name, else null. The service calls a computer by its DNS name and other
 * objects `<account>@<domain>`.
 */
export function domainOfAccount({ account, form }: WrittenName, { name = "", type }: SearchResult): string | null {
  const known = inCapitals(name);
  // Logon names are those of Active Directory.
  if (form === "logon" && type?.startsWith("AZ") === true) return null;
  const prefix = known.includes("@") ? `${account}@` : type === "Computer" ? hostPrefix(account) : null;
  if (prefix === null || !known.startsWith(prefix)) return null;
  const domain = known.slice(prefix.length);
  return domain.includes("@") ? null : domain;
}

/**
 * What to search for when the text itself finds nothing. Every name that can be meant contains one of these texts.
 *
 * @param isCut - only the first results for the text were read
 */
export function otherSearches({ account, form }: WrittenName, isCut: boolean): string[] {
  const isFound = form === "bare" && !isCut;
  const host = hostPrefix(account);
  const asHost = host !== null && (isCut || form === "logon" || account.endsWith("$")) ? [host] : [];
  return isFound ? asHost : [`${account}@`, ...asHost];
}

/** Whether a domain is called like this: by its DNS name, or by the NetBIOS name that Windows makes of its first label. */
export function isCalled(domain: string, text: string): boolean {
  const [first = ""] = domain.split(".");
  return domain === text || first === text || first.slice(0, LONGEST_NETBIOS_NAME) === text;
}

/** Whether any label of the DNS name is this text: administrators can choose a NetBIOS name, and often take a later label. */
export function hasLabel(domain: string, text: string): boolean {
  return domain.split(".").includes(text);
}

function hostPrefix(account: string): string | null {
  const host = account.replace(/\$$/, "");
  return host === "" ? null : `${host}.`;
}
