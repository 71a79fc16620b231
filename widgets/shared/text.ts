/**
 * Makes what a reader cannot see visible: control characters, and the marks that turn the direction of text around or
 * take no room. A name that holds them could otherwise pass for another one.
 */
export function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `‹U+${code.toString(16).toUpperCase().padStart(4, "0")}›`;
  });
}

const spellings: Readonly<Record<string, string>> = {
  adcs: "ADCS",
  cas: "CAs",
  ca: "CA",
  dcom: "DCOM",
  dcsyncers: "DCSync",
  gpo: "GPO",
  gpos: "GPOs",
  id: "ID",
  linkedgpos: "linked GPOs",
  ous: "OUs",
  pim: "PIM",
  pki: "PKI",
  ps: "PS",
  rdp: "RDP",
  sql: "SQL",
  tierzero: "tier zero",
};

/** A key of the service as words: `adminRights` is `Admin rights`, `inbound_object_control` is `Inbound object control`. */
export function words(key: string): string {
  if (!/^[\w-]+$/.test(key)) return key;
  const parts = key.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g) ?? [key];
  const text = parts.map((part) => spellings[part.toLowerCase()] ?? part.toLowerCase()).join(" ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const integers = new Intl.NumberFormat("en");

export function counted(count: number, one: string, many = `${one}s`): string {
  return `${integers.format(count)} ${count === 1 ? one : many}`;
}

export function integer(value: number): string {
  return integers.format(value);
}
