import { readFileSync } from "node:fs";
import { describe, expect, it } from "@jest/globals";
import { alertOf } from "../../../src/ingestion/mapping/alert.ts";
import type { Mapping, MappingRelation } from "../../../src/manifest/manifest.ts";
import type { Alert, AlertEvent } from "../../../src/runtime/protocol.ts";
import type { Finding } from "../../../src/service/resources/findings.records.ts";
import { environment, newFinding, ORIGIN, relationship, subject } from "../../support/mapped-findings.ts";

/*
 * The platform's service limits, looked up in November 2026:
 * https://cloud.google.com/chronicle/docs/soar/admin-tasks/advanced/view-and-change-maximum-amounts-for-alerts-events-entities-and-relations
 */
const MOST_ENTITIES = 500;
const MOST_RELATIONS = 500;
const MOST_CHARACTERS = 8_000_000;

const read = (path: string): string => readFileSync(path, "utf8");
const mapping = JSON.parse(read("mappings/attack-path-findings.json")) as Mapping;
const launcher = read("src/packaging/google-secops/python/launcher.py");
const mostEvents = Number(/^MOST_EVENTS_IN_ALERT = (\d+)$/m.exec(launcher)?.[1]);

/** The fullest alert that the connector gets from the plugin: each finding has principals of its own. */
function fullAlert(findingOf: (index: number) => Finding): Alert {
  const findings = Array.from({ length: mostEvents }, (_, index) => newFinding(findingOf(index), String(index)));
  const description = {
    title: "T".repeat(100_000),
    short_description: "D".repeat(100_000),
    short_remediation: "S".repeat(100_000),
    long_remediation: "L".repeat(100_000),
  };
  const stream = { environment, findingType: "T0GenericAll" };
  const { product, vendor, productField, eventField } = subject;
  return alertOf(
    { stream, findings },
    description,
    { product, vendor, productField, eventField, origin: ORIGIN },
    Date.UTC(2026, 0, 2),
  );
}

/** What the rules of the mapping make of an event: entities by field of the ontology. */
function entitiesOf(event: AlertEvent): Map<string, string> {
  return new Map(
    mapping.rules.flatMap(({ target, kind, field, fallbackFields = [] }) => {
      const found = [field, ...fallbackFields].find((name) => event[name] !== undefined);
      return kind === "metadata" || found === undefined ? [] : [[target, String(event[found])]];
    }),
  );
}

/**
 * The pairs that a relation of the family draws between the entities of an event. The documentation does not say whether
 * the first field that is filled stands for each end, or all of them do, so all of them count.
 */
function pairsOf(relation: MappingRelation, entities: Map<string, string>): string[] {
  const ends = (fields: readonly string[]) => fields.flatMap((field) => entities.get(field) ?? []);
  const sources = ends([relation.source, ...(relation.fallbackSources ?? [])]);
  const targets = ends([relation.destination, ...(relation.fallbackDestinations ?? [])]);
  return sources.flatMap((from) => targets.map((to) => JSON.stringify([relation.relation, from, to])));
}

/** A user and a domain of the same name are two entities; the same user at both ends of findings is one. */
const typeOf = (target: string): string => target.replace(/^(Source|Destination)(?=User|Host)/, "");

function measured(alert: Alert): { entities: number; relations: number; characters: number } {
  const each = alert.events.map(entitiesOf);
  const entities = each.flatMap((found) => [...found].map(([target, name]) => `${typeOf(target)} ${name}`));
  const relations = each.flatMap((found) => (mapping.family?.relations ?? []).flatMap((rule) => pairsOf(rule, found)));
  return {
    entities: new Set(entities).size,
    relations: new Set(relations).size,
    characters: JSON.stringify(alert).length,
  };
}

/** A finding between principals that no other finding has, in a domain of its own; a list finding has no source. */
function between(index: number, source: string | undefined, target: string): Finding {
  const end = (side: string) => `${side}-${index}`;
  const from =
    source === undefined
      ? {}
      : {
          FromPrincipal: end("from"),
          FromPrincipalKind: source,
          FromPrincipalProps: { name: `${end("from")}@CORP.TEST`, objectid: end("from") },
        };
  const to = { name: `${end("to")}@OTHER.TEST`, objectid: end("to"), domain: `OTHER-${index}.TEST` };
  const { FromPrincipal, FromPrincipalKind, FromPrincipalProps, ...rest } = relationship;
  return { ...rest, ...from, ToPrincipal: end("to"), ToPrincipalKind: target, ToPrincipalProps: to };
}

const kinds = ["User", "Computer", "Group", "GPO"];
const pairs = kinds.flatMap((target) => [undefined, ...kinds].map((source) => [source, target] as const));

describe("a full alert on Google SecOps", () => {
  it.each(pairs)("stays within the platform's limits when its findings lead from %s to %s", (source, target) => {
    const { entities, relations } = measured(fullAlert((index) => between(index, source, target)));
    expect(entities).toBeLessThanOrEqual(MOST_ENTITIES);
    expect(relations).toBeLessThanOrEqual(MOST_RELATIONS);
    const ends = source === undefined ? 1 : 2;
    expect(entities).toBeGreaterThan(mostEvents * ends);
    expect(relations).toBeGreaterThanOrEqual(mostEvents);
  });

  it("has at most as many entities and relations as the guide says", () => {
    const counts = pairs.map(([source, target]) => measured(fullAlert((index) => between(index, source, target))));
    expect(Math.max(...counts.map(({ entities }) => entities))).toBe(361);
    expect(Math.max(...counts.map(({ relations }) => relations))).toBe(360);
    const guide = read("docs/google-secops.md");
    for (const count of ["at most 361:", "at most 360 ", `at most ${mostEvents}.`]) expect(guide).toContain(count);
  });

  it("stays within them when its findings are of every kind, and the longest that the service could send", () => {
    const long = "x".repeat(5_000);
    const fields = Array.from({ length: 500 }, (_, index) => [`${index}${long}`, long]);
    const RelProps = Object.fromEntries(fields) as Record<string, string>;
    const alert = fullAlert((index) => {
      const [source, target] = pairs[index % pairs.length]!;
      const finding = between(index, source, target);
      const ends = {
        ...(source === undefined ? {} : { FromPrincipal: long, FromPrincipalProps: { name: `${index}${long}` } }),
        ToPrincipal: `${index}${long}`,
        ToPrincipalProps: { name: `${index}${long}`, domain: `${index}${long}` },
      };
      return { ...finding, ...ends, ...RelProps, RelProps };
    });
    const { entities, relations, characters } = measured(alert);
    expect(entities).toBeLessThanOrEqual(MOST_ENTITIES);
    expect(relations).toBeLessThanOrEqual(MOST_RELATIONS);
    expect(characters).toBeLessThanOrEqual(MOST_CHARACTERS);
    // Measured: less would say that the alert is not as large as it can be.
    expect(characters).toBeGreaterThan(MOST_CHARACTERS / 4);
  });

  it("has one entity for each end of a finding, by name for users and hosts, and by id for other kinds", () => {
    const found = (source: string | undefined, target: string) =>
      Object.fromEntries(entitiesOf(fullAlert((index) => between(index, source, target)).events[0]!));
    const domains = { SourceDomain: "CORP.TEST", DestinationDomain: "OTHER-0.TEST" };
    const [user, host] = [{ SourceUserName: "from-0@CORP.TEST" }, { DestinationHostName: "to-0@OTHER.TEST" }];
    expect(found("User", "Computer")).toEqual({ ...domains, ...user, ...host });
    expect(found("User", "Group")).toEqual({ ...domains, ...user, GenericEntity: "to-0" });
    expect(found("Group", "Computer")).toEqual({ ...domains, GenericEntity: "from-0", ...host });
    expect(found(undefined, "GPO")).toEqual({ ...domains, GenericEntity: "to-0" });
    // The ontology has one field for both, so the end of the path goes before its start.
    expect(found("Group", "GPO")).toEqual({ ...domains, GenericEntity: "to-0" });
  });
});
