import { createHash, timingSafeEqual } from "node:crypto";
import type { MiddlewareHandler } from "hono";
import { Refusal } from "./problems.ts";

/**
 * What a page of this server may do. Scripts and styles come from this server alone and none stands in the page, and
 * text becomes markup only through the sanitising library, whose policy is the one that is named.
 */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types dompurify",
].join("; ");

/** Of every answer that does not set them itself. */
export const HEADERS: Readonly<Record<string, string>> = {
  "Cache-Control": "no-store",
  "Content-Security-Policy": PAGE_POLICY,
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
};

/** Query parameter of the page that holds the ticket. */
export const ENTRANCE = "entrance";

/** What the Host header may hold. Clients leave out the port that is the default of http. */
export function authoritiesOf(address: string, port: number): string[] {
  return [address, "localhost"].map((name) => new URL(`http://${name}:${port}`).host);
}

/**
 * Refuses requests that another site has a browser send. The Host header is compared because a foreign name can be made
 * to point to the loopback address; the Origin, because every site can send requests there.
 *
 * @param authorities host and port under which this server is reached
 * @param ticket lets another site open the page itself, as the query parameter {@link ENTRANCE}
 */
export function sameSite(authorities: () => readonly string[], ticket: string): MiddlewareHandler {
  return async ({ req }, next) => {
    const host = req.header("host") ?? "";
    if (!authorities().includes(host))
      throw new Refusal(403, "The console answers only under its own address. Open the URL that npm start printed.");
    const origin = req.header("origin");
    const site = req.header("sec-fetch-site") ?? "same-origin";
    const isInvited = req.path === "/" && req.query(ENTRANCE) === ticket;
    const isOwn = ["same-origin", "none"].includes(site) || isInvited;
    if (!isOwn || (origin !== undefined && origin !== `http://${host}`))
      throw new Refusal(403, "The console does not answer other sites.");
    await next();
  };
}

/** Lets in who sends `Authorization: Bearer <token>`. A browser adds no such header by itself. */
export function tokenRequired(token: string): MiddlewareHandler {
  // Digests have one length, so the comparison tells nothing about the token.
  const wanted = digest(`Bearer ${token}`);
  return async ({ req }, next) => {
    if (!timingSafeEqual(digest(req.header("authorization") ?? ""), wanted))
      throw new Refusal(401, "The token is missing or no longer valid. Open the URL that npm start printed.");
    await next();
  };
}

function digest(value: string): Buffer {
  return createHash("sha256").update(value).digest();
}
