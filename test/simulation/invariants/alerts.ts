import type { AlertEvent, Severity } from "../../../src/runtime/protocol.ts";
import { aheadAt, DAY, EPOCH } from "../world.ts";
import type { Invariant } from "./invariant.ts";

const RANKS: readonly Severity[] = ["critical", "high", "moderate", "low", "unknown"];

/** Accepted findings are marked and do not raise the alert's severity; it is the worst of the others. */
export const severities: Invariant = (world, _history, run) => {
  for (const { alert, keys } of run.alerts) {
    for (const [index, key] of keys.entries()) {
      const event = alert.events[index];
      const finding = world.findings.get(key ?? "");
      if (event === undefined || finding === undefined) continue;
      const start = run.start - world.lagMs;
      const [before, after] = [world.isAccepted(finding, start), world.isAccepted(finding, run.end)];
      if (before === after && (event["accepted"] === true) !== before) {
        return `${finding.key} is ${before ? "" : "not "}accepted and the event says ${String(event["accepted"])}`;
      }
      const word = world.severityOf(finding, start);
      const isPlain = RANKS.some((rank) => rank === word) && word !== "unknown";
      if (isPlain && word === world.severityOf(finding, run.end) && event["severity"] !== word) {
        return `${finding.key} is ${word} and the event says ${String(event["severity"])}`;
      }
    }
    const expected = worst(alert.events);
    if (alert.severity !== expected) return `an alert is ${alert.severity} where its events make it ${expected}`;
  }
  return null;
};

function worst(events: readonly AlertEvent[]): Severity {
  const open = events.filter((event) => event["accepted"] !== true);
  if (open.length === 0) return "low";
  const ranks = open.map((event) => RANKS.indexOf(event["severity"] as Severity)).map((rank) => (rank < 0 ? 4 : rank));
  return RANKS[Math.min(...ranks)] ?? "unknown";
}

/** Times are real: start before end, inside the alert's own, never the zero time. */
export const times: Invariant = (world, _history, { alerts, end }) => {
  const { findings, tenant, host } = world.scenario;
  const created = findings.flatMap((finding) => world.datesOf(finding));
  const offsets = [...tenant.clock, ...host.clock].flatMap((fault) => [
    fault.aheadMs,
    aheadAt([fault], Math.min(end, fault.span[1] - 1)),
  ]);
  const wrong = Math.max(0, ...offsets.map(Math.abs)) + Math.abs(host.aheadMs) + DAY;
  const earliest = Math.min(EPOCH, ...created) - wrong;
  const latest = Math.max(EPOCH + end, ...created) + wrong;
  for (const { alert } of alerts) {
    for (const event of alert.events) {
      const [from, to] = [event["start_time"], event["end_time"]];
      if (typeof from !== "number" || typeof to !== "number") return "an event has no times";
      if (!(from <= to && from >= earliest && to <= latest)) return `an event lasts from ${from} to ${to}`;
    }
    const starts = alert.events.map((event) => Number(event["start_time"]));
    const ends = alert.events.map((event) => Number(event["end_time"]));
    if (alert.startTime !== Math.min(...starts) || alert.endTime !== Math.max(...ends)) {
      return `an alert lasts from ${alert.startTime} to ${alert.endTime} and its events do not`;
    }
  }
  return null;
};
