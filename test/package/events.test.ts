import { beforeAll, describe, expect, it } from "@jest/globals";
import type { Tenant } from "../../sandbox/tenant/index.ts";
import { edgeTechniques } from "../../src/ingestion/mapping/edge-techniques.ts";
import type { Alert, AlertEvent } from "../../src/runtime/protocol.ts";
import { TestHost } from "../support/host.ts";
import { builtPackage } from "../support/package.ts";
import { startTenant } from "../support/tenant.ts";

/** Of an ordinary event. */
const MOST_BYTES = 1_600;
/** Of the event with the longest names. */
const BYTES_OF_THE_LARGEST = 1_760;

describe("the events of the built package, over the demo data set", () => {
  let tenant: Tenant;
  let alerts: Alert[];
  let events: AlertEvent[];
  beforeAll(async () => {
    const { plugin } = await builtPackage();
    tenant = await startTenant();
    ({ alerts, events } = await new TestHost(tenant, { plugin }).poll());
  });

  it("keep the properties of the relationship, and stay within 1.6 KB", () => {
    const relationships = events.filter((event) => "source_object_id" in event);
    expect(relationships.length).toBeGreaterThan(100);
    for (const event of relationships) {
      expect(Object.keys(event)).toEqual(expect.arrayContaining(["relationship_isacl", "relationship_lastseen"]));
    }
    const sizes = events.map((event) => Buffer.byteLength(JSON.stringify(event))).sort((a, b) => a - b);
    expect(sizes[Math.floor(sizes.length / 2)]).toBeLessThanOrEqual(MOST_BYTES);
    expect(sizes.at(-1)).toBeLessThanOrEqual(BYTES_OF_THE_LARGEST);
  });

  it("link to the page of the finding, as their alert does, and to the path", () => {
    for (const { environmentId, findingType, extensions, events } of alerts) {
      const page = new URL(extensions["finding_url"] ?? "");
      expect([page.origin, page.pathname]).toEqual([tenant.url, "/ui/graphview"]);
      expect(Object.fromEntries(page.searchParams)).toEqual({ environmentId, findingName: findingType });
      for (const { finding_url, url, target_object_id: target } of events) {
        expect(finding_url).toBe(page.href);
        const path = new URL(String(url));
        expect([path.origin, path.pathname]).toEqual([tenant.url, "/ui/explore"]);
        expect([...path.searchParams.values()]).toContain(target);
      }
    }
  });

  it("name the ATT&CK technique of the finding types that have one", () => {
    const techniques = new Map(alerts.map(({ findingType, events }) => [findingType, events[0]?.["attack_technique"]]));
    expect([...techniques].filter(([, technique]) => technique !== undefined)).toEqual(
      expect.arrayContaining([
        ["T0ADCSESC1", edgeTechniques["ADCSESC1"]?.technique],
        ["AzureT0MGGrantAppRoles", edgeTechniques["AZMGGrantAppRoles"]?.technique],
      ]),
    );
  });
});
