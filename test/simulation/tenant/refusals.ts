import type { Misbehaviour, OptionalRoute, RefusalPlan, TenantPlan } from "../scenario.ts";
import type { Call } from "./routes.ts";

/** Whether a request asks for one record and the count, to find out whether anything is new. */
export function isProbe(call: Call | null): boolean {
  return call?.endpoint === "details" && call.query.get("limit") === "1" && !call.query.has("skip");
}

/** How the tenant refuses such requests for ever; null when it does not. */
export function refusalOf(call: Call | null, { refuses = [] }: TenantPlan): Misbehaviour | null {
  const route = isProbe(call) ? "probe" : call?.endpoint;
  const refusal = refuses.find((each) => each.route === (route as OptionalRoute));
  return refusal === undefined ? null : misbehaviours[refusal.how];
}

const misbehaviours: Record<RefusalPlan["how"], Misbehaviour> = {
  429: { kind: "rate limit", body: "text", retryAfter: null },
  500: { kind: "status", status: 500, body: "json" },
  503: { kind: "status", status: 503, body: "json" },
  silence: { kind: "hang", head: false },
};
