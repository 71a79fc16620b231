import { createHash } from "node:crypto";

/** The first characters of a text's SHA-256 in base64url, 6 bits each. Stored states and alert ids hold such hashes, so they must not change. */
export function shortHash(text: string, length: number): string {
  return createHash("sha256").update(text).digest("base64url").slice(0, length);
}
