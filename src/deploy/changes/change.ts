/** One thing to deploy. */
export interface Change {
  subject: string;
  /** What is there and what will be. */
  effect: string;
  /** What differs, one line each. */
  details: readonly string[];
  /** Null: nothing is changed. */
  apply: (() => Promise<void>) | null;
}
