import type { Clock } from "../../clock.ts";
import type { Credentials } from "../credentials.ts";
import type { Dialect } from "../dialects.ts";
import { sign } from "./signing.ts";
import type { OutgoingRequest } from "../transport.ts";

export interface SignedParts {
  readonly method: OutgoingRequest["method"];
  readonly target: string;
  readonly dialect: Dialect;
}

/**
 * The headers of a request. They are made for each attempt, because a signature is bound to its hour.
 *
 * @param waitSeconds - how long the service may work on it; Infinity for no limit
 */
export function requestHeaders(
  parts: SignedParts,
  credentials: Credentials,
  clock: Clock,
  waitSeconds: number,
): Record<string, string> {
  return {
    Accept: "application/json, text/plain;q=0.9, */*;q=0.1",
    "User-Agent": "attack-path-analysis",
    Prefer: `wait=${waitSeconds === Infinity ? -1 : Math.max(1, Math.ceil(waitSeconds))}`,
    ...authentication(parts, credentials, clock),
  };
}

function authentication(
  { method, target, dialect }: SignedParts,
  credentials: Credentials,
  clock: Clock,
): Record<string, string> {
  if (credentials.kind === "jwt") return { Authorization: `Bearer ${credentials.token.reveal()}` };
  const requestDate = new Date(clock.now()).toISOString();
  return {
    Authorization: `${dialect.signatureScheme} ${credentials.id}`,
    RequestDate: requestDate,
    Signature: sign(credentials.key.reveal(), method, target, requestDate),
  };
}
