import { beforeAll, describe, expect, it } from "@jest/globals";
import { alertOf } from "../../src/ingestion/mapping/alert.ts";
import type { GroupingRule } from "../../src/manifest/manifest.ts";
import { readProject } from "../../src/manifest/project.ts";
import { environment, newFinding, ORIGIN, relationship, subject } from "../support/mapped-findings.ts";
import { done } from "./fake-plugin.ts";
import { installStandInNode, python } from "./installation.ts";
import { StandInPlatform } from "./platform.ts";
import { runConnector } from "./run-script.ts";

/*
 * A model of alert grouping as the platform documents it, looked up in November 2026:
 * https://cloud.google.com/chronicle/docs/soar/investigate/working-with-alerts/alert-grouping-mechanism-admin
 */

/** An alert as the connector's script delivers it. */
interface DeliveredAlert {
  source_grouping_identifier: string;
  start_time: number;
  events: Record<string, unknown>[];
}

/** Settings of the whole platform: SOAR Settings > Advanced > Alerts Grouping. */
interface Settings {
  timeFrameHours: number;
  mostAlerts: number;
}

const { manifest, mappings, groupingRules } = await readProject(".");
const rules = [...mappings.values()].flatMap((mapping) => mapping.rules);

function mapped(event: Record<string, unknown>, target: string): unknown {
  const { field, fallbackFields = [] } = rules.find((rule) => rule.target === target)!;
  return [field, ...fallbackFields].map((name) => event[name]).find((value) => value !== undefined);
}

/**
 * Times that the platform could take for the alert's. Its documentation does not say whether the time frame goes by the
 * alert or by the mapped times of its events, so all of them must be near.
 */
function timesOf({ start_time, events }: DeliveredAlert): number[] {
  return [start_time, ...events.flatMap((event) => [mapped(event, "StartTime"), mapped(event, "EndTime")].map(Number))];
}

/** What alerts must have in common to share a case, and whether the time frame applies. */
function sharedBy(rule: GroupingRule): { key: (alert: DeliveredAlert) => string; inTimeFrame: boolean } {
  if (rule.groupBy === "source-grouping-identifier")
    return { key: ({ source_grouping_identifier: identifier }) => identifier, inTimeFrame: false };
  const [target = ""] = rule.groupingEntities ?? [];
  return { key: ({ events }) => String(mapped(events[0]!, target)).toUpperCase(), inTimeFrame: true };
}

/** How many alerts each case holds, in the order in which the cases were opened. */
function casesOf(alerts: readonly DeliveredAlert[], rule: GroupingRule, settings: Settings): number[] {
  const { key, inTimeFrame } = sharedBy(rule);
  const cases: { key: string; times: number[]; alerts: number }[] = [];
  for (const alert of alerts) {
    const times = timesOf(alert);
    const near = (others: number[]) =>
      Math.max(...times, ...others) - Math.min(...times, ...others) <= settings.timeFrameHours * 3_600_000;
    const joined = cases.find(
      (open) => open.key === key(alert) && open.alerts < settings.mostAlerts && (!inTimeFrame || near(open.times)),
    );
    if (joined === undefined) cases.push({ key: key(alert), times, alerts: 1 });
    else Object.assign(joined, { times: [...joined.times, ...times], alerts: joined.alerts + 1 });
  }
  return cases.map(({ alerts: count }) => count);
}

/** 64 alerts as the plugin gives them: finding types of these domains, each with a finding from another month. */
function firstImport(domains: number): object[] {
  return Array.from({ length: 64 }, (_, index) => {
    const domain = index % domains;
    const found = { id: `S-1-5-21-${domain}`, name: `CORP-${domain}.TEST`, type: environment.type };
    const created_at = new Date(Date.UTC(2019, index)).toISOString();
    const finding = newFinding({ ...relationship, created_at, updated_at: created_at }, String(index));
    const stream = { environment: found, findingType: `Type${Math.floor(index / domains)}` };
    const { product, vendor, productField, eventField } = subject;
    const batch = { stream, findings: [finding] } as unknown as Parameters<typeof alertOf>[0];
    const description = { title: "", short_description: "", short_remediation: "", long_remediation: "" };
    return alertOf(batch, description, { product, vendor, productField, eventField, origin: ORIGIN }, Date.now());
  });
}

python.describe("a first import of 64 alerts, grouped as the platform documents it", () => {
  const ofDomains = new Map<number, DeliveredAlert[]>();

  beforeAll(async () => {
    const [node, platform] = await Promise.all([installStandInNode(), StandInPlatform.start()]);
    for (const domains of [1, 4]) {
      await node.says([...firstImport(domains).map((alert) => ({ type: "alert", alert })), done()]);
      const { alerts } = await runConnector(node, platform, { env: node.env });
      ofDomains.set(domains, alerts as unknown as DeliveredAlert[]);
    }
  });

  const settings = [20, 30, 90].flatMap((mostAlerts) =>
    [0.5, 2, 24].map((timeFrameHours) => ({ mostAlerts, timeFrameHours })),
  );

  describe.each([...groupingRules.values()])("by the rule $name", (rule) => {
    it.each(settings)("opens one case per domain, or as few as fit $mostAlerts, in $timeFrameHours hours", (given) => {
      for (const [domains, alerts] of ofDomains) {
        expect(alerts).toHaveLength(64);
        const cases = casesOf(alerts, rule, given);
        expect(cases).toHaveLength(domains * Math.ceil(64 / domains / given.mostAlerts));
      }
    });
  });

  it("would open a case for each alert by domain, if alerts had the times of their findings", () => {
    const rule = [...groupingRules.values()].find(({ groupBy }) => groupBy === "entities")!;
    const alerts = ofDomains.get(1)!.map((alert) => {
      const events = alert.events.map(({ ingested_at, ...event }) => ({ ...event, was: ingested_at }));
      return { ...alert, start_time: Number(mapped(events[0]!, "StartTime")), events };
    });
    expect(casesOf(alerts, rule, { mostAlerts: 30, timeFrameHours: 24 })).toHaveLength(64);
  });

  it("is grouped by source grouping identifier unless another rule is chosen", () => {
    expect(groupingRules.get(manifest.groupingRules[0]!)).toMatchObject({ groupBy: "source-grouping-identifier" });
  });
});
