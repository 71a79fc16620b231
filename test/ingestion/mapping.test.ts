import { readFileSync } from "node:fs";
import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { alertOf } from "../../src/ingestion/alert.ts";
import type { FindingTexts } from "../../src/ingestion/documents.ts";
import { eventOf, type EventFrame } from "../../src/ingestion/event.ts";
import { priorityOf, severityOf, worst } from "../../src/ingestion/severity.ts";
import type { Mapping } from "../../src/manifest/manifest.ts";
import type { Severity } from "../../src/runtime/protocol.ts";
import type { Finding } from "../../src/service/records/findings.ts";

const NOW = Date.UTC(2026, 0, 2);

const frame: EventFrame = {
  environment: { id: "S-1-5-21-1", name: "CORP.TEST", type: "active-directory" },
  findingType: "T0GenericAll",
  title: "Full control of tier zero",
  product: "Attack Path Analysis",
  vendor: "Attack Path Analysis Service",
  origin: "https://tenant.test",
  productField: "device_product",
  eventField: "finding_type",
};
const texts: FindingTexts = { title: "", shortDescription: "short", shortRemediation: "", longRemediation: "long" };

const relationship: Finding = {
  id: 17,
  created_at: "2026-01-01T00:00:00.123456789Z",
  updated_at: "2026-01-01T10:00:00Z",
  Finding: "T0GenericAll",
  DomainSID: "S-1-5-21-1",
  FromPrincipal: "S-1-5-21-1-1101",
  FromPrincipalKind: "User",
  FromPrincipalProps: { name: "ALICE@CORP.TEST", objectid: "S-1-5-21-1-1101" },
  ToPrincipal: "S-1-5-21-1-512",
  ToPrincipalKind: "Group",
  ToPrincipalProps: { name: "DOMAIN ADMINS@CORP.TEST", domain: "CORP.TEST", system_tags: "admin_tier_0 owned" },
  Severity: "high",
  ExposurePercentage: 0.875,
  ExposureCount: 700,
  ImpactPercentage: 0.1234567,
  ImpactCount: 12,
  Accepted: false,
  AcceptedUntil: "0001-01-01T00:00:00Z",
  PrincipalHash: "abc",
};

describe("severity", () => {
  it("is the service's own word, in any letter case", () => {
    expect(["Critical", " HIGH ", "moderate", "medium", "low"].map((word) => severityOf(word))).toEqual([
      "critical",
      "high",
      "moderate",
      "moderate",
      "low",
    ]);
  });

  it("falls back to the service's thresholds over exposure, then impact, and is unknown without figures", () => {
    expect([0.95, 0.9499999, 0.8, 0.79, 0.4, 0.399, 0.001].map((share) => severityOf("", share))).toEqual([
      "critical",
      "high",
      "high",
      "moderate",
      "moderate",
      "low",
      "low",
    ]);
    expect(severityOf("", 0, 0.96)).toBe("critical");
    expect(severityOf("odd", undefined, 0.5)).toBe("moderate");
    expect([severityOf(undefined), severityOf("", 0, 0), severityOf("informational")]).toEqual([
      "unknown",
      "unknown",
      "unknown",
    ]);
  });

  it("of several is the worst by rank, not by alphabet", () => {
    expect(worst(["low", "moderate", "high"])).toBe("high");
    expect(worst(["unknown", "low"])).toBe("low");
    expect(worst(["critical", "high", "low"])).toBe("critical");
    expect(worst([])).toBe("unknown");
    expect((["critical", "high", "moderate", "low", "unknown"] as Severity[]).map(priorityOf)).toEqual([
      100, 80, 60, 40, -1,
    ]);
  });
});

describe("an event", () => {
  it("carries a relationship finding with both principals and the entities they make", () => {
    expect(eventOf(relationship, "17", frame, NOW)).toEqual({
      finding_id: "17",
      finding_type: "T0GenericAll",
      title: "Full control of tier zero",
      environment_id: "S-1-5-21-1",
      environment_name: "CORP.TEST",
      environment_type: "active-directory",
      source_domain: "CORP.TEST",
      severity: "high",
      impact_percentage: 12.3457,
      impact_count: 12,
      exposure_percentage: 87.5,
      exposure_count: 700,
      source_principal_name: "ALICE@CORP.TEST",
      source_principal_kind: "User",
      source_object_id: "S-1-5-21-1-1101",
      source_user: "ALICE@CORP.TEST",
      target_principal_name: "DOMAIN ADMINS@CORP.TEST",
      target_principal_kind: "Group",
      target_object_id: "S-1-5-21-1-512",
      target_tier_zero: true,
      target_group: "DOMAIN ADMINS@CORP.TEST",
      start_time: Date.UTC(2026, 0, 1, 0, 0, 0, 123),
      end_time: Date.UTC(2026, 0, 1, 10),
      created_at: "2026-01-01T00:00:00.123456789Z",
      updated_at: "2026-01-01T10:00:00Z",
      accepted: false,
      device_product: "Attack Path Analysis",
      device_vendor: "Attack Path Analysis Service",
      url: "https://tenant.test/ui/explore?searchType=pathfinding&primarySearch=S-1-5-21-1-1101&secondarySearch=S-1-5-21-1-512",
      PrincipalHash: "abc",
    });
  });

  it("of a list finding names the exposed principal as its target and no source", () => {
    const event = eventOf(
      { id: 3, Principal: "S-9", PrincipalKind: "Computer", Props: { name: "PC-9", system_tags: "" } },
      "3",
      frame,
      NOW,
    );
    expect(event).toMatchObject({
      target_object_id: "S-9",
      target_principal_name: "PC-9",
      target_host: "PC-9",
      target_tier_zero: false,
      start_time: NOW,
      end_time: NOW,
      severity: "unknown",
      url: "https://tenant.test/ui/explore?searchType=node&primarySearch=S-9",
    });
    expect(Object.keys(event).filter((key) => key.startsWith("source_"))).toEqual(["source_domain"]);
  });

  it("keeps its own fields when the service sends ones of the same name, and leaves out what is no finite number", () => {
    const odd = { ...relationship, severity: "None", start_time: "soon", ImpactPercentage: Infinity, Odd: -Infinity };
    const event = eventOf(odd, "17", frame, NOW);
    expect(event).toMatchObject({ severity: "high", start_time: Date.UTC(2026, 0, 1, 0, 0, 0, 123) });
    expect(Object.keys(event)).not.toEqual(expect.arrayContaining(["impact_percentage"]));
    expect(Object.keys(event)).not.toEqual(expect.arrayContaining(["Odd"]));
  });

  it("always has the fields that the connector was told to name product and event", () => {
    const renamed = { ...frame, productField: "vendor_product", eventField: "source_user" };
    expect(eventOf({ id: 1 }, "1", renamed, NOW)).toMatchObject({
      vendor_product: "Attack Path Analysis",
      source_user: "T0GenericAll",
    });
    expect(eventOf(relationship, "17", renamed, NOW)["source_user"]).toBe("ALICE@CORP.TEST");
  });

  it("is flat and complete whatever the finding holds", () => {
    const value = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(undefined));
    const finding = fc.dictionary(fc.oneof(fc.constantFrom(...Object.keys(relationship)), fc.string()), value);
    fc.assert(
      fc.property(finding, (fields) => {
        // Numbers and booleans stand where the service promises them; the client has seen to that.
        const typed = Object.fromEntries(
          Object.entries(fields).filter(
            ([key, v]) => !(key in relationship) || typeof v === typeof relationship[key as keyof Finding],
          ),
        ) as Finding;
        const event = eventOf(typed, "id", frame, NOW);
        for (const field of Object.values(event)) expect(["string", "number", "boolean"]).toContain(typeof field);
        expect(event).toMatchObject({ finding_id: "id", device_product: frame.product, finding_type: "T0GenericAll" });
      }),
    );
  });
});

describe("an alert", () => {
  const events = [
    eventOf(relationship, "17", frame, NOW),
    eventOf({ id: 18, Severity: "critical", created_at: "2025-12-31T00:00:00Z" }, "18", frame, NOW),
  ];

  it("spans its events, takes the worst severity and groups by the environment", () => {
    expect(alertOf(events, frame, texts)).toMatchObject({
      name: "Full control of tier zero",
      severity: "critical",
      priority: 100,
      startTime: Date.UTC(2025, 11, 31),
      endTime: Date.UTC(2026, 0, 1, 10),
      sourceGroupingIdentifier: "S-1-5-21-1",
      environmentName: "CORP.TEST",
      description: "short",
      extensions: { long_remediation: "long" },
    });
  });

  it("has an id that is a function of what it holds", () => {
    const id = (subset: typeof events, changed: Partial<EventFrame> = {}): string =>
      alertOf(subset, { ...frame, ...changed }, texts).id;
    expect(id(events)).toBe(id(structuredClone(events), { title: "renamed" }));
    const ids = [id(events), id(events.slice(1)), id(events, { findingType: "T0Owns" })];
    ids.push(id(events, { environment: { id: "S-1-5-21-2", name: "CORP.TEST" } }));
    expect(new Set(ids).size).toBe(4);
  });
});

describe("the ontology mapping", () => {
  it("names only fields that events have", () => {
    const mapping = JSON.parse(readFileSync("mappings/attack-path-findings.json", "utf8")) as Mapping;
    const host = { FromPrincipal: "h", FromPrincipalKind: "Computer", ToPrincipal: "t", ToPrincipalKind: "AZUser" };
    const abroad = { ToPrincipal: "s", ToPrincipalProps: { domain: "OTHER.TEST" } };
    const shapes = [
      abroad,
      relationship,
      { ...host },
      { FromPrincipal: "u", FromPrincipalKind: "AZUser", Principal: "p", PrincipalKind: "AZVM" },
    ];
    const fields = new Set(shapes.flatMap((finding) => Object.keys(eventOf(finding, "1", frame, NOW))));
    const named = mapping.rules.flatMap(({ field, fallbackFields = [] }) => [field, ...fallbackFields]);
    expect(named.filter((field) => !fields.has(field))).toEqual([]);
    const entityFields = ["source_user", "source_host", "target_user", "target_host", "source_domain", "target_domain"];
    expect(entityFields.filter((field) => !named.includes(field))).toEqual([]);
  });
});
