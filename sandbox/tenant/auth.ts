import { createHmac, timingSafeEqual } from "node:crypto";
import { Refusal } from "./answer.ts";
import type { SpokenDialect, TenantJwt, TenantToken } from "./contract.ts";
import { formatInstant, fromMilliseconds, parseInstant } from "./instants.ts";

/** What authentication looks at: the request as it came over the wire. */
export interface SignedRequest {
  method: string;
  /** Path and query, not decoded. */
  rawTarget: string;
  header(name: string): string | undefined;
  body: Buffer;
}

export interface Keyring {
  scheme: string;
  tokens: readonly TenantToken[];
  jwts: readonly TenantJwt[];
  apiKeysDisabled: boolean;
}

const SCHEMES: Record<SpokenDialect, string> = { standard: "svcsignature", "bloodhound-enterprise": "bhesignature" };
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const MOST_SKEW_MS = 3_600_000;

export function schemeOf(dialect: SpokenDialect): string {
  return SCHEMES[dialect];
}

/**
 * The token of a request, or null for a valid JWT. Checks come in the order of the service, with its messages
 * (BloodHound API, cmd/api/src/api/auth.go and middleware/auth.go).
 */
export function authenticate(request: SignedRequest, keyring: Keyring, now: number): TenantToken | null {
  const authorization = request.header("authorization");
  if (authorization === undefined || authorization === "") throw new Refusal(401, "not authenticated");
  const [scheme, parameter, ...more] = authorization.split(" ");
  if (scheme === undefined || parameter === undefined || more.length > 0) {
    throw invalid(400, "Expected only two components for the Authorization header.");
  }
  if (scheme.toLowerCase() === "bearer") {
    checkJwt(parameter, keyring.jwts, now);
    return null;
  }
  if (scheme.toLowerCase() !== keyring.scheme) throw invalid(400, `Unexpected authorization scheme: ${scheme}.`);
  if (!UUID.test(parameter)) throw invalid(400, "Token ID is malformed.");
  return checkSignature(request, parameter, keyring, now);
}

function invalid(status: number, message: string): Refusal {
  return new Refusal(status, `unable to validate request signature for client: ${message}`, "login");
}

function checkJwt(token: string, jwts: readonly TenantJwt[], now: number): void {
  const known = jwts.find((jwt) => jwt.token === token);
  if (known === undefined || (known.expiresAt !== undefined && known.expiresAt <= now)) {
    throw new Refusal(401, "Token Authorization failed.");
  }
}

function checkSignature(request: SignedRequest, tokenId: string, keyring: Keyring, now: number): TenantToken {
  const date = request.header("requestdate");
  if (date === undefined || date === "") throw invalid(400, "no request date header");
  const instant = parseInstant(date);
  if (instant === null) throw invalid(400, `malformed request date: cannot parse "${date}" as RFC 3339`);
  const signature = request.header("signature");
  if (signature === undefined || signature === "") throw invalid(400, "no signature header");
  if (keyring.apiKeysDisabled) throw invalid(401, "use of API keys has been disabled");
  if (!BASE64.test(signature)) throw invalid(400, "malformed signature header: illegal base64 data");
  const token = keyring.tokens.find((candidate) => candidate.id.toLowerCase() === tokenId.toLowerCase());
  if (token === undefined) throw invalid(401, "resource not found");
  if (token.disabled === true) throw invalid(403, "user disabled");
  checkAge(Number(instant / 1_000_000n), now);
  if (!sameBytes(Buffer.from(signature, "base64"), digest(request, token.key, date))) {
    throw invalid(401, "digest validation failed: signature digest mismatch");
  }
  return token;
}

/** A request may be one hour old or early; the message counts the minutes beyond that hour. */
function checkAge(clientTime: number, serverTime: number): void {
  const ahead = clientTime - serverTime;
  if (Math.abs(ahead) <= MOST_SKEW_MS) return;
  const minutes = ((Math.abs(ahead) - MOST_SKEW_MS) / 60_000).toFixed(2);
  const text = (time: number): string => formatInstant(fromMilliseconds(Math.floor(time / 1000) * 1000));
  throw invalid(
    401,
    `signature too far ${ahead > 0 ? "ahead" : "behind"} by ${minutes} minutes. ` +
      `Server time is ${text(serverTime)}. Client time is ${text(clientTime)}`,
  );
}

/** The three links: method and raw target, the hour of the date as the client wrote it, the body. */
function digest(request: SignedRequest, key: string, date: string): Buffer {
  const link = (linkKey: string | Buffer, message: string | Buffer): Buffer =>
    createHmac("sha256", linkKey).update(message).digest();
  return link(link(link(key, request.method + request.rawTarget), date.slice(0, 13)), request.body);
}

function sameBytes(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}
