import { hourOfName } from "./delivered-ids.ts";

/** `window`: findings that become visible late are found for a shorter time. `ids`: findings may be repeated. */
export type MemoryCut = "window" | "ids";

/** Texts of identities by name, and from which hour on they hold everything that was delivered. */
export interface KeptIds {
  readonly stored: Readonly<Record<string, string>>;
  readonly storedFrom: number;
}

/**
 * Forgets the oldest hours when the ids no longer fit into the state. The window then starts later, so that nothing is
 * repeated.
 *
 * @param room - in characters
 * @param current - hour in which findings are still to come: the window cannot start later than that
 */
export function fitIds(
  { stored, storedFrom }: KeptIds,
  { room, current }: { room: number; current: number },
): KeptIds & { cut: MemoryCut | null } {
  let size = sizeOf(stored);
  if (size <= room) return { stored, storedFrom, cut: null };
  let cut: MemoryCut = "window";
  let from = storedFrom;
  const oldestFirst = Object.keys(stored).sort((a, b) => (hourOfName(a) ?? 0) - (hourOfName(b) ?? 0));
  const dropped = new Set<string>();
  for (const name of oldestFirst) {
    if (size <= room) break;
    const hour = hourOfName(name);
    size -= sizeOf({ [name]: stored[name] ?? "" });
    dropped.add(name);
    if (hour === null || hour >= current) cut = "ids";
    else from = Math.max(from, hour + 1);
  }
  const kept = Object.entries(stored).filter(([name]) => !dropped.has(name));
  return { stored: Object.fromEntries(kept), storedFrom: from, cut };
}

/** Characters that ids take in the state. */
function sizeOf(stored: Readonly<Record<string, string>>): number {
  return Object.entries(stored).reduce((size, [name, text]) => size + name.length + text.length + 6, 0);
}
