import { readFileSync } from "node:fs";
import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { eventOf } from "../../../src/ingestion/mapping/event.ts";
import { type AlertSubject, flatten } from "../../../src/ingestion/mapping/flatten.ts";
import type { Mapping } from "../../../src/manifest/manifest.ts";
import type { AlertEvent } from "../../../src/runtime/protocol.ts";
import type { Finding } from "../../../src/service/resources/findings.records.ts";
import { environment, MAPPED_AT, newFinding, ORIGIN, relationship, subject } from "../../support/mapped-findings.ts";

/** One event as a host gets it. */
function flat(finding: object, changed: Partial<AlertSubject> = {}): AlertEvent {
  const context = { environmentName: environment.name, origin: ORIGIN, now: MAPPED_AT };
  const event = flatten(eventOf(newFinding(finding, "17"), context), { ...subject, ...changed });
  return JSON.parse(JSON.stringify(event)) as AlertEvent;
}

describe("the fields of an event", () => {
  it("carry a relationship finding with both principals and the entities they make", () => {
    expect({ ...flat(relationship) }).toEqual({
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
      target_other_id: "S-1-5-21-1-512",
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
      finding_url: "https://tenant.test/ui/graphview?environmentId=S-1-5-21-1&findingName=T0GenericAll",
      PrincipalHash: "abc",
    });
  });

  it("of a list finding name no source", () => {
    const event = flat({ id: 3, Principal: "S-9", PrincipalKind: "Computer", Props: { name: "PC-9" } });
    expect(event).toMatchObject({ target_object_id: "S-9", target_host: "PC-9", severity: "unknown" });
    expect(Object.keys(event).filter((key) => key.startsWith("source_"))).toEqual(["source_domain"]);
  });

  it("leave out times that were never set", () => {
    const event = flat({
      created_at: "0001-01-01T00:00:00Z",
      updated_at: "soon",
      AcceptedUntil: "0001-01-01T00:00:00Z",
    });
    for (const field of ["created_at", "updated_at", "accepted_until"]) expect(event).not.toHaveProperty(field);
    expect(event).toMatchObject({ start_time: MAPPED_AT, end_time: MAPPED_AT });
  });

  it("keep their own values when the service sends fields of the same name", () => {
    const event = flat({
      ...relationship,
      severity: "None",
      start_time: "soon",
      finding_id: 5,
      url: "https://evil.test",
      finding_url: "https://evil.test",
    });
    expect(event).toMatchObject({ severity: "high", finding_id: "17", start_time: Date.UTC(2026, 0, 1, 0, 0, 0, 123) });
    for (const link of ["url", "finding_url"]) expect(event[link]).toMatch(/^https:\/\/tenant\.test\//);
  });

  it("name the technique of the finding type where one is known", () => {
    expect(flat(relationship)).not.toHaveProperty("attack_technique");
    expect(flat(relationship, { technique: "T1649" })).toMatchObject({ attack_technique: "T1649" });
  });

  it("leave out what JSON has no text for", () => {
    const event = flat({ ImpactPercentage: Infinity, Odd: -Infinity, NotANumber: Number.NaN });
    for (const field of ["impact_percentage", "Odd", "NotANumber"]) expect(event).not.toHaveProperty(field);
  });

  it("always include those that the parameters name for product and event, which never replace another field", () => {
    const renamed = { productField: "vendor_product", eventField: "source_user" };
    expect(flat({ id: 1 }, renamed)).toMatchObject({
      vendor_product: "Attack Path Analysis",
      source_user: "T0GenericAll",
    });
    expect(flat(relationship, renamed)["source_user"]).toBe("ALICE@CORP.TEST");
  });

  it("take hostile names as names", () => {
    const finding = JSON.parse('{"__proto__": "x", "constructor": "y", "toString": "z"}') as object;
    const event = flat(finding);
    const text = JSON.stringify(event);
    expect(text).toContain('"__proto__":"x"');
    expect(JSON.parse(text)).toMatchObject({ toString: "z", finding_id: "17" });
    expect(({} as Record<string, unknown>)["x"]).toBeUndefined();
  });

  it("can be written by every host: no lone surrogates, and no megabytes", () => {
    const event = flat({ ToPrincipal: "S-1", ToPrincipalName: "N".repeat(1_000_000), PrincipalHash: "broken \ud800" });
    expect(String(event["target_principal_name"]).length).toBeLessThan(5_000);
    expect(JSON.stringify(event).length).toBeLessThan(20_000);
    for (const value of Object.values(event)) if (typeof value === "string") expect(value.isWellFormed()).toBe(true);
  });

  it("are bounded also where the service sends very many fields of its own", () => {
    const fields = Array.from({ length: 1_000 }, (_, index) => [`Field${index}`, "x".repeat(2_000)]);
    const event = flat(Object.fromEntries(fields) as object);
    expect(event).toHaveProperty("Field0");
    expect(JSON.stringify(event).length).toBeLessThan(15_000);
  });

  it("are bounded also where the service's names and ids are a megabyte long", () => {
    const long = "N".repeat(1_000_000);
    const event = flat({ [long]: "x", FromPrincipal: long, ToPrincipal: long });
    expect(JSON.stringify(event).length).toBeLessThan(100_000);
  });

  it("are flat and complete whatever the finding holds", () => {
    const value = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(undefined), fc.object({ maxDepth: 1 }));
    const finding = fc.dictionary(fc.oneof(fc.constantFrom(...Object.keys(relationship)), fc.string()), value);
    fc.assert(
      fc.property(finding, (fields) => {
        // Where the service promises a type, its client has seen to that.
        const typed = Object.entries(fields).filter(
          ([key, given]) => !(key in relationship) || typeof given === typeof relationship[key as keyof Finding],
        );
        const event = flat(Object.fromEntries(typed));
        for (const field of Object.values(event)) expect(["string", "number", "boolean"]).toContain(typeof field);
        expect(event).toMatchObject({
          finding_id: "17",
          device_product: subject.product,
          finding_type: "T0GenericAll",
        });
      }),
    );
  });
});

describe("the properties of a relationship", () => {
  const finding = {
    ...relationship,
    RelProps: { isacl: true, lastseen: "2026-01-01", weight: 3, nested: { a: [1] }, empty: null },
  };

  it("stand under names of their own, nested values as JSON text", () => {
    expect(flat(finding)).toMatchObject({
      relationship_isacl: true,
      relationship_lastseen: "2026-01-01",
      relationship_weight: 3,
      relationship_nested: '{"a":[1]}',
    });
  });

  it("are left out where they are nested more deeply than JSON can be written", () => {
    const nested = JSON.parse("[".repeat(20_000) + "]".repeat(20_000)) as unknown;
    const event = flat({ ...finding, RelProps: { nested, isacl: true } });
    expect([event["relationship_nested"], event["relationship_isacl"]]).toEqual([undefined, true]);
  });

  it("never replace a field of the service", () => {
    const event = flat({ ...finding, relationship_isacl: "the finding's own" });
    expect(event["relationship_isacl"]).toBe("the finding's own");
  });

  it("are at most 25, with 500 characters each", () => {
    const RelProps = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`p${i}`, "x".repeat(9_000)]));
    const fields = Object.entries(flat({ ...relationship, RelProps })).filter(([name]) =>
      name.startsWith("relationship_"),
    );
    expect(fields).toHaveLength(25);
    for (const [, value] of fields) expect(String(value).length).toBeLessThanOrEqual(501);
  });
});

describe("the ontology mapping", () => {
  it("names only fields that events have", () => {
    const mapping = JSON.parse(readFileSync("mappings/attack-path-findings.json", "utf8")) as Mapping;
    const shapes: Finding[] = [
      relationship,
      { ToPrincipal: "s", ToPrincipalProps: { domain: "OTHER.TEST" } },
      { FromPrincipal: "h", FromPrincipalKind: "Computer", ToPrincipal: "t", ToPrincipalKind: "AZUser" },
      { FromPrincipal: "u", FromPrincipalKind: "AZUser", Principal: "p", PrincipalKind: "AZVM" },
      { FromPrincipal: "g", FromPrincipalKind: "Group", ToPrincipal: "t", ToPrincipalKind: "User" },
    ];
    const fields = new Set(shapes.flatMap((finding) => Object.keys(flat(finding))));
    const named = mapping.rules.flatMap(({ field, fallbackFields = [] }) => [field, ...fallbackFields]);
    // The launcher of Google SecOps adds this one.
    expect(named.filter((field) => !fields.has(field) && field !== "ingested_at")).toEqual([]);
    const entityFields = ["source_user", "source_host", "target_user", "target_host", "source_domain", "target_domain"];
    expect(entityFields.filter((field) => !named.includes(field))).toEqual([]);
  });
});
