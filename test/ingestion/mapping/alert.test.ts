import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import type { Description } from "../../../src/ingestion/descriptions.ts";
import { alertOf } from "../../../src/ingestion/mapping/alert.ts";
import type { Alert } from "../../../src/runtime/protocol.ts";
import type { Environment } from "../../../src/service/resources/environments.records.ts";
import type { Finding } from "../../../src/service/resources/findings.records.ts";
import { environment, MAPPED_AT, newFinding, ORIGIN, relationship, subject } from "../../support/mapped-findings.ts";

const description: Description = {
  title: "Full control of tier zero",
  short_description: "short",
  short_remediation: "",
  long_remediation: "long",
};

interface Changed {
  environment?: Environment;
  findingType?: string;
  description?: Partial<Description>;
}

function alert(findings: readonly Finding[], changed: Changed = {}): Alert {
  const stream = {
    environment: changed.environment ?? environment,
    findingType: changed.findingType ?? "T0GenericAll",
  };
  const batch = { stream, findings: findings.map((finding) => newFinding(finding)) };
  const { product, vendor, productField, eventField } = subject;
  const labels = { origin: ORIGIN, product, vendor, productField, eventField };
  return alertOf(batch, { ...description, ...changed.description }, labels, MAPPED_AT);
}

const older: Finding = { id: 18, Severity: "critical", created_at: "2025-12-31T00:00:00Z" };

describe("an alert", () => {
  it("spans its events, takes the worst severity and groups by the environment", () => {
    expect(alert([relationship, older])).toMatchObject({
      name: "Full control of tier zero in CORP.TEST",
      title: "Full control of tier zero",
      severity: "critical",
      priority: 100,
      startTime: Date.UTC(2025, 11, 31),
      endTime: Date.UTC(2026, 0, 1, 10),
      sourceGroupingIdentifier: "S-1-5-21-1",
      environmentId: "S-1-5-21-1",
      environmentName: "CORP.TEST",
      findingType: "T0GenericAll",
      description: "short",
      tags: ["attack-path", "T0GenericAll"],
      extensions: {
        long_remediation: "long",
        finding_url: "https://tenant.test/ui/graphview?environmentId=S-1-5-21-1&findingName=T0GenericAll",
      },
    });
  });

  it("names the technique of its finding type, where one is known, once more for all events", () => {
    const { extensions, events } = alert([relationship], { findingType: "T0ADCSESC1" });
    expect([extensions["attack_technique"], events[0]?.["attack_technique"]]).toEqual(["T1649", "T1649"]);
    expect(alert([relationship]).extensions).not.toHaveProperty("attack_technique");
  });

  it("has one event for each finding, in the order in which they were listed", () => {
    expect(alert([relationship, older]).events.map((event) => event["finding_id"])).toEqual(["17", "18"]);
  });

  it("never has a time that was not set", () => {
    const times = fc.constantFrom("0001-01-01T00:00:00Z", "", "soon", "2026-01-01T00:00:00Z", "2025-06-01T00:00:00Z");
    const finding = fc.record({ created_at: times, updated_at: times });
    fc.assert(
      fc.property(fc.array(finding, { minLength: 1, maxLength: 5 }), (findings) => {
        const { startTime, endTime } = alert(findings);
        expect(startTime).toBeGreaterThan(0);
        expect(endTime).toBeGreaterThanOrEqual(startTime);
      }),
    );
  });

  it("is not raised by accepted findings, and low when there are no others", () => {
    const accepted: Finding = { ...older, Accepted: true };
    expect(alert([relationship, accepted]).severity).toBe("high");
    expect(alert([accepted])).toMatchObject({ severity: "low", priority: 40 });
    expect(alert([accepted]).events[0]).toMatchObject({ severity: "critical", accepted: true });
  });

  it("is unknown when nothing is known of its findings", () => {
    expect(alert([{ id: 1 }])).toMatchObject({ severity: "unknown", priority: -1 });
  });

  it("is named by its finding type when there is no title", () => {
    expect(alert([relationship], { description: { title: "" } })).toMatchObject({
      name: "T0GenericAll in CORP.TEST",
      title: "T0GenericAll",
    });
  });

  it("is named on one line by title and domain, whatever their length", () => {
    const named = (title: string, name: string | undefined) =>
      alert([relationship], {
        description: { title },
        environment: { ...environment, ...(name === undefined ? {} : { name }) },
      }).name;
    expect(named(" Full control\n of tier zero\n", "CORP.TEST\n")).toBe("Full control of tier zero in CORP.TEST");
    expect(named("\n", "\t")).toBe("T0GenericAll in S-1-5-21-1");
    const text = fc.string({ unit: "binary", maxLength: 400 });
    fc.assert(
      fc.property(text, text, (title, name) => {
        const given = named(title, name);
        expect(given.length).toBeLessThanOrEqual(250);
        expect(given).toBe(given.trim());
        expect(given).toMatch(/^[^\r\n\0]+ in [^\r\n\0]+$/);
      }),
    );
  });

  it("is grouped by the environment's id although two share a name, and by id where there is no name", () => {
    expect(alert([relationship], { environment: { id: "S-2", name: "CORP.TEST" } }).sourceGroupingIdentifier).toBe(
      "S-2",
    );
    expect(alert([relationship], { environment: { id: "S-3" } }).environmentName).toBe("S-3");
  });

  it("is cut where a platform would cut it: a megabyte of text does not get out", () => {
    const long = "x".repeat(1_000_000);
    const all = { title: long, short_description: long, short_remediation: long, long_remediation: long };
    const cut = alert([relationship], { description: all, environment: { id: "S-1", name: long } });
    expect(cut.environmentName.length).toBeLessThanOrEqual(251);
    expect(JSON.stringify(cut).length).toBeLessThan(250_000);
  });

  it("holds no U+0000, which some platforms cannot store, in its events or anywhere else", () => {
    const nul = "a\0b";
    const finding = { ...relationship, FromPrincipalName: nul, FromPrincipalProps: {}, Remark: nul, [nul]: nul };
    const properties = { RelProps: { [nul]: nul, only: "\0" } };
    const { events, ...rest } = alert([{ ...finding, ...properties }], {
      environment: { ...environment, name: nul },
      findingType: nul,
      description: { title: nul, short_description: nul, short_remediation: nul, long_remediation: nul },
    });
    expect(JSON.stringify([events, rest])).not.toContain("\\u0000");
    expect(events[0]).toMatchObject({ source_principal_name: "ab", Remark: "ab", ab: "ab", relationship_ab: "ab" });
    expect(events[0]).not.toHaveProperty("relationship_only");
  });

  it("holds no lone surrogates", () => {
    const broken = "broken \ud800";
    const {
      name,
      description: text,
      extensions,
    } = alert([relationship], {
      description: { title: broken, short_description: broken, long_remediation: broken },
    });
    for (const value of [name, text, ...Object.values(extensions)]) expect(value).not.toMatch(/\p{Surrogate}/u);
  });
});

describe("the id of an alert", () => {
  it("is a function of environment, finding type and findings, and of nothing else", () => {
    const known = alert([relationship, older]).id;
    expect(alert([{ ...relationship, Severity: "low" }, older], { description: { title: "renamed" } }).id).toBe(known);
    expect(alert([relationship, older], { environment: { id: environment.id, name: "RENAMED.TEST" } }).id).toBe(known);
    const others = [
      alert([older]),
      alert([relationship, older, { id: 19 }]),
      alert([relationship, older], { findingType: "T0Owns" }),
      alert([relationship, older], { environment: { id: "S-1-5-21-2", name: "CORP.TEST" } }),
    ];
    expect(new Set([known, ...others.map(({ id }) => id)]).size).toBe(5);
  });

  it("is the same in whichever order the findings were listed", () => {
    const ids = fc.uniqueArray(fc.integer({ min: 1, max: 99 }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(ids, (listed) => {
        const shuffled = [...listed].reverse();
        const idOf = (numbers: readonly number[]): string => alert(numbers.map((id) => ({ id }))).id;
        expect(idOf(shuffled)).toBe(idOf(listed));
      }),
    );
  });
});
