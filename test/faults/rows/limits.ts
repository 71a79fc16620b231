import type { FaultEffect, RateLimitOptions } from "../../../sandbox/tenant/index.ts";
import { document, firstPage, laterPages, once, oneStream, type FaultRow } from "../row.ts";

const limitExceeded: FaultEffect = { kind: "status", status: 429, body: "text", message: "Limit exceeded" };
const reached = /Rate limit reached: Limit exceeded\. No more requests are sent in this run\. Try again later\./;
const goesOn = /The next run continues with UNIFORM-0001\.TEST \/ T0GenericAll\./;

/** Environments, finding types, a page, four documents and a second page are granted; the third page is not. */
function limited(name: string, style: Omit<RateLimitOptions, "perSecond">, says: RegExp): FaultRow {
  return {
    fault: `429 in the middle: ${name}`,
    tenant: oneStream,
    begin: ({ tenant }) => {
      tenant.control.setRateLimit({ perSecond: 8, windowMs: 30_000, ...style });
    },
    under: () => ({ run: { maxEventsPerAlert: 5 } }),
    expected: { status: "partial", delivered: 11, says: new RegExp(`${says.source} .*${goesOn.source}`) },
  };
}

export const limits: FaultRow[] = [
  {
    fault: "rate limit of 55 requests a second, 165 requests needed",
    tenant: { dataset: { environments: 2, findingTypes: 27, findingsPerPair: 3 }, rateLimit: { perSecond: 55 } },
    expected: { status: "completed", delivered: 162, says: /162 new findings/ },
  },
  limited(
    "text, no Retry-After",
    { style: "text" },
    /^Rate limit reached: Limit exceeded\. .*no sooner than \d+ s from now\./,
  ),
  limited(
    "text, Retry-After",
    { style: "text", retryAfter: true },
    /^Rate limit reached: Limit exceeded\. .*no sooner than 1 s from now\./,
  ),
  limited(
    "JSON, no Retry-After",
    { style: "json" },
    /^Rate limit reached: Too many requests\. .*no sooner than \d+ s from now\./,
  ),
  limited(
    "JSON, Retry-After",
    { style: "json", retryAfter: true },
    /^Rate limit reached: Too many requests\. .*no sooner than 1 s from now\./,
  ),
  {
    fault: "429 on the first page of one stream",
    tenant: oneStream,
    at: once(firstPage),
    effect: limitExceeded,
    expected: { status: "failed", delivered: 0, says: new RegExp(`^Nothing could be read\\. ${reached.source}`) },
  },
  {
    fault: "429 on the second page of one stream",
    tenant: oneStream,
    at: once(laterPages),
    effect: limitExceeded,
    under: () => ({ run: { maxEventsPerAlert: 5 } }),
    expected: { status: "partial", delivered: 6, says: new RegExp(`^${reached.source} .*${goesOn.source}`) },
  },
  {
    fault: "429 on a document",
    tenant: oneStream,
    at: once(document("long_remediation")),
    effect: limitExceeded,
    under: () => ({ run: { maxEventsPerAlert: 5 } }),
    expected: {
      status: "partial",
      delivered: 30,
      says: /^Could not load the description of T0GenericAll\..*Rate limit reached: Limit exceeded\. The run continues without/,
    },
  },
  {
    fault: "a host that takes two alerts a run",
    under: () => ({ run: { maxAlerts: 2 } }),
    expected: {
      status: "partial",
      delivered: 24,
      says: /^The host accepts no more alerts in this run\. The next run continues with UNIFORM-0001\.TEST \/ /,
    },
  },
];
