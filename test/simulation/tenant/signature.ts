import { createHmac } from "node:crypto";
import type { TenantPlan } from "../scenario.ts";

/** The one token of every simulated tenant. */
export const token = {
  id: "6f2c1b9e-5f0a-4c57-9f3a-0d9b6b2f7a11",
  key: "kX9vT2mQ7wZ4sR8nB1cY6hJ3pL5dF0gAuEiOoNtWbVrMzKqDxSlHyUeGaPfIjC==",
};

const LARGEST_SKEW_MS = 3_600_000;

export interface Refusal {
  status: 400 | 401;
  message: string;
}

/**
 * Checks a signed request as the service does (service document, section Signed requests, and the order of the checks in
 * the service facts). The target is the raw text of the request line.
 */
export function checkSignature(
  { method, target, headers }: { method: string; target: string; headers: Readonly<Record<string, string>> },
  { scheme, checksRequestDate }: TenantPlan,
  now: number,
): Refusal | null {
  const header = (name: string): string | undefined =>
    Object.entries(headers).find(([given]) => given.toLowerCase() === name)?.[1];
  const authorization = header("authorization");
  if (authorization === undefined) return refuse(401, "not authenticated");
  const [word, id, ...rest] = authorization.split(" ");
  if (id === undefined || rest.length > 0) return refuse(400, "Expected only two components");
  if (word?.toLowerCase() !== scheme) return refuse(400, "Unexpected authorization scheme");
  if (id !== token.id) return refuse(401, "resource not found");
  const date = header("requestdate");
  if (date === undefined) return refuse(400, "no request date header");
  const client = Date.parse(date);
  if (Number.isNaN(client)) return refuse(400, "malformed request date");
  const signature = header("signature");
  if (signature === undefined) return refuse(400, "no signature header");
  if (checksRequestDate && Math.abs(client - now) > LARGEST_SKEW_MS) return refuse(401, skew(client, now));
  const link1 = createHmac("sha256", token.key).update(`${method}${target}`).digest();
  const link2 = createHmac("sha256", link1).update(date.slice(0, 13)).digest();
  const link3 = createHmac("sha256", link2).digest("base64");
  return link3 === signature ? null : refuse(401, "digest validation failed: signature digest mismatch");
}

function refuse(status: 400 | 401, message: string): Refusal {
  return { status, message: `unable to validate request signature for client: ${message}` };
}

function skew(client: number, server: number): string {
  const minutes = Math.round(Math.abs(client - server) / 60_000);
  const times = `Server time is ${new Date(server).toISOString()}. Client time is ${new Date(client).toISOString()}`;
  return client > server
    ? `signature too far ahead by ${minutes} minutes. ${times}`
    : `signature too far behind by ${minutes} minutes. ${times}`;
}
