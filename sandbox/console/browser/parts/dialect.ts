const TEXTS: Readonly<Record<string, string>> = {
  standard: "As the Attack Path Analysis Service documents it",
  "bloodhound-enterprise": "As BloodHound Enterprise documents it",
};

/** How requests to a tenant are signed, which messages of the plugin call its dialect. */
export function dialectText(dialect: string | null): string {
  if (dialect === null) return "Not known yet";
  return `${Object.hasOwn(TEXTS, dialect) ? (TEXTS[dialect] ?? "") : "In a way of its own"} (dialect ${dialect})`;
}
