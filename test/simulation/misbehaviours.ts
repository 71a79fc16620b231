import type { Misbehaviour } from "./scenario.ts";

interface Traits {
  /** What becomes of the true answer: another one or none takes its place, it stays true, it says by its `flaw` whether it is wrong, or it is wrong. */
  readonly answer: "replaced" | "true" | "flawed" | "wrong";
  /** Nobody can tell such an answer from a right one, or not always. */
  readonly looksRight?: true;
  /** Records are missing on such a page, and only the count tells. */
  readonly hides?: true;
}

/** What the tenant and the invariants have to know of each kind. */
export const TRAITS: Readonly<Record<Misbehaviour["kind"], Traits>> = {
  status: { answer: "replaced" },
  "rate limit": { answer: "replaced" },
  drop: { answer: "replaced" },
  "broken body": { answer: "replaced" },
  hang: { answer: "replaced" },
  slow: { answer: "true" },
  "slow body": { answer: "true" },
  truncated: { answer: "replaced" },
  "web page": { answer: "replaced" },
  body: { answer: "replaced", looksRight: true },
  count: { answer: "wrong", looksRight: true },
  "null data": { answer: "wrong", looksRight: true, hides: true },
  "empty page": { answer: "wrong", looksRight: true, hides: true },
  "repeated page": { answer: "wrong", looksRight: true },
  duplicates: { answer: "wrong", looksRight: true, hides: true },
  "unstable order": { answer: "wrong", looksRight: true, hides: true },
  "page cap": { answer: "true" },
  "odd entries": { answer: "true" },
  "cut list": { answer: "flawed" },
  "short list": { answer: "flawed", looksRight: true },
  "other question": { answer: "flawed" },
  // A byte order mark leaves it true.
  encoding: { answer: "wrong" },
  trickle: { answer: "true" },
  "wrong date header": { answer: "true" },
};
