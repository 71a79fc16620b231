import { named } from "../text.ts";

/** How to go on with a name that the service does not know, as a sentence. */
export function lookUpHint(name: string): string {
  return `To see objects with similar names, run: attack-path-analysis object-id "${named(name)}".`;
}
