/** Finding types of the scenarios, and whether each names two objects. */
export const TYPES = [
  { name: "T0GenericAll", pairs: true },
  { name: "T0WriteDACL", pairs: true },
  { name: "Kerberoasting", pairs: false },
  { name: "T0Logins", pairs: true },
  { name: "ASREPRoasting", pairs: false },
] as const;

export function isPair(type: string): boolean {
  return TYPES.some(({ name, pairs }) => name === type && pairs);
}

export function restsOnSession(type: string): boolean {
  return type === "T0Logins";
}
