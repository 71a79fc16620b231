import type { RateLimitOptions } from "../../../sandbox/tenant/index.ts";
import { onePair, type FaultRow } from "../row.ts";

/** Environments, finding types, a page, four documents and a second page are granted; the third page is not. */
function limited(name: string, style: Omit<RateLimitOptions, "perSecond">, says: RegExp): FaultRow {
  return {
    fault: `429 in the middle: ${name}`,
    tenant: onePair,
    begin: ({ tenant }) => {
      tenant.control.setRateLimit({ perSecond: 8, ...style });
    },
    under: () => ({ run: { maxEventsPerAlert: 5 } }),
    expected: { status: "partial", delivered: 11, says },
  };
}

export const limits: FaultRow[] = [
  {
    fault: "rate limit of 55 requests a second, 165 requests needed",
    tenant: { dataset: { environments: 2, findingTypes: 27, findingsPerPair: 3 }, rateLimit: { perSecond: 55 } },
    expected: { status: "completed", delivered: 162, says: /162 new findings/ },
  },
  limited("text, no Retry-After", { style: "text" }, /takes no more requests for now/),
  limited("text, Retry-After", { style: "text", retryAfter: true }, /at the earliest in 1 s/),
  limited("JSON, no Retry-After", { style: "json" }, /Too many requests/),
  limited("JSON, Retry-After", { style: "json", retryAfter: true }, /Too many requests.*at the earliest in 1 s/),
  {
    fault: "429 on the first page of one pair",
    tenant: onePair,
    begin: ({ tenant }) => {
      const effect = { kind: "status", status: 429, body: "text", message: "Limit exceeded" } as const;
      tenant.control.fault({ path: "details", query: { skip: "0" }, times: 1, effect });
    },
    expected: { status: "failed", delivered: 0, says: /Nothing could be read.*takes no more requests/ },
  },
  {
    fault: "429 on the second page of one pair",
    tenant: onePair,
    begin: ({ tenant }) => {
      const effect = { kind: "status", status: 429, body: "text", message: "Limit exceeded" } as const;
      tenant.control.fault({ path: "details", query: { skip: "5" }, times: 1, effect });
    },
    under: () => ({ run: { maxEventsPerAlert: 5 } }),
    expected: { status: "partial", delivered: 6, says: /takes no more requests/ },
  },
  {
    fault: "429 on a document",
    tenant: onePair,
    begin: ({ tenant }) => {
      const effect = { kind: "status", status: 429, body: "text", message: "Limit exceeded" } as const;
      tenant.control.fault({ path: "long_remediation", times: 1, effect });
    },
    expected: { status: "failed", delivered: 0, says: /takes no more requests/ },
  },
  {
    fault: "a host that takes two alerts a run",
    under: () => ({ run: { maxAlerts: 2 } }),
    expected: { status: "partial", delivered: 24, says: /Left for the next run: UNIFORM-0001\.TEST/ },
  },
];
