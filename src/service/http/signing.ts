import { createHmac } from "node:crypto";

/**
 * Signature of a request (Attack Path Analysis Service API, section Signed requests): three chained HMAC-SHA-256 digests
 * over method and target, the hour of the date, and the body. The target is the raw text of the request line, with the
 * query: the server signs what it receives, undecoded (BloodHound, cmd/api/src/api/auth.go).
 *
 * @param key token key as text; it is not base64-decoded
 * @param requestDate RFC 3339 date-time, as sent in the RequestDate header
 * @returns base64 of the last digest
 */
export function sign(key: string, method: string, target: string, requestDate: string, body: Uint8Array | string = "") {
  const operation = digest(key, method + target);
  const hour = digest(operation, requestDate.slice(0, "2026-08-20T14".length));
  return digest(hour, body).toString("base64");
}

function digest(key: string | Uint8Array, content: Uint8Array | string): Buffer {
  return createHmac("sha256", key).update(content).digest();
}
