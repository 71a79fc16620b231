import type { Backup } from "../backup.ts";

/** One thing to deploy. */
export interface Change {
  subject: string;
  /** What is there and what will be. */
  effect: string;
  /** What differs, one line each. */
  details: readonly string[];
  /** Saves what is replaced. Null: nothing is replaced, or the platform does not give it away. */
  save: ((backup: Backup) => Promise<void>) | null;
  /** Null: nothing is changed. */
  apply: (() => Promise<void>) | null;
}

/** Nothing has to be done. */
export function unchanged(subject: string, effect: string): Change {
  return { subject, effect, details: [], save: null, apply: null };
}
