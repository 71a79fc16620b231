import { type ClockFault, type HostPlan, type TenantPlan } from "../scenario.ts";
import { DAY, MINUTE } from "../world.ts";
import type { Random } from "../random.ts";
import { type Draft, spanIn } from "./draft.ts";

export function planTenant(draft: Draft, host: HostPlan): TenantPlan {
  const { random } = draft;
  const latency = random.weighted<[number, number]>([
    [[2, 10], 3],
    [[10, 80], 5],
    [[100, 600], 1],
  ]);
  // A service that checks the date of requests answers nobody whose clock is an hour away.
  const checksRequestDate = Math.abs(host.aheadMs) < 50 * MINUTE && host.clock.length === 0 && random.chance(0.5);
  const standard = random.chance(0.85);
  return {
    scheme: standard ? "svcsignature" : "bhesignature",
    markdownDocuments: !standard,
    checksRequestDate,
    idsPerStream: random.chance(0.2),
    pageCap: random.chance(0.5) ? random.spread(1, 30) : null,
    pageDefault: 10,
    datapipe: random.weighted<TenantPlan["datapipe"]>([
      [200, 6],
      [404, 3],
      [403, 1],
    ]),
    sparkline: random.weighted<TenantPlan["sparkline"]>([
      ["honest", 7],
      ["empty", 2],
      [404, 1],
    ]),
    dateHeader: random.weighted<TenantPlan["dateHeader"]>([
      ["exact", 8],
      ["absent", 1],
      ["unreadable", 1],
    ]),
    ignoresFilters: random.chance(0.06),
    ignoresSorting: random.chance(0.06),
    refusesSorting: random.chance(0.1) ? random.pick([["-id"], ["id", "-id"], ["created_at", "id", "-id"]]) : [],
    largestLimit: random.chance(0.04) ? random.pick([10, 100, 999]) : null,
    refusesFilters: random.chance(0.02),
    nullForEmpty: random.chance(0.5),
    documents: random.pick(["text", "json", "absent"]),
    latency,
    // Two clocks that are both wrong leave nothing to hold on to.
    clock: host.clock.length === 0 && random.chance(0.2) ? planClock(draft, checksRequestDate) : [],
  };
}

/** From a poor crystal to a virtual machine that loses its ticks. */
export function planDrift(random: Random): number {
  return random.pick([-1, 1]) * random.spread(20, 50_000);
}

/** The service's clock goes wrong once or twice and is put right again. */
function planClock(draft: Draft, checked: boolean): ClockFault[] {
  const { random } = draft;
  const spans = [spanIn(draft), ...(random.chance(0.3) ? [spanIn(draft)] : [])];
  return spans.map((span) => {
    if (random.chance(0.4)) return { span, aheadMs: 0, driftPpm: planDrift(random) };
    const size = checked && random.chance(0.8) ? random.spread(1, 40 * 60) : random.spread(60, (20 * DAY) / 1_000);
    return { span, aheadMs: random.pick([-1, 1]) * size * 1_000 };
  });
}
