import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import type { Tenant } from "../../sandbox/tenant/index.ts";
import { alertOf } from "../../src/ingestion/mapping/alert.ts";
import { type FindingChange, recordsOf } from "../../src/output/finding-record.ts";
import { ocsfEvent, ocsfLine } from "../../src/output/ocsf.ts";
import { changedFindingLines, findingLines } from "../../src/output/finding-lines.ts";
import type { Alert, AlertChangeMessage } from "../../src/runtime/protocol.ts";
import type { Finding } from "../../src/service/resources/findings.records.ts";
import { askHere } from "../support/command-line.ts";
import { environment, MAPPED_AT, newFinding, ORIGIN, relationship } from "../support/mapped-findings.ts";
import { attributePaths, ocsfProblems } from "../support/ocsf/schema.ts";
import { rootDir } from "../support/package.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { startTenant } from "../support/tenant.ts";

/** An event as a reader of the line sees it. */
interface Event {
  activity_id: number;
  status_id: number;
  is_alert: boolean;
  status_detail?: string;
  time: number;
  finding_info: { uid: string };
  metadata: { original_event_uid: string };
  unmapped: Record<string, unknown>;
  resources?: unknown;
}

const description = {
  title: "Generic all on Tier Zero",
  short_description: "Full control of a Tier Zero object.",
  short_remediation: "Remove the right.",
  long_remediation: "# How",
};
const labels = {
  product: "Attack Path Analysis",
  vendor: "Attack Path Analysis Service",
  productField: "device_product",
  eventField: "finding_type",
  origin: ORIGIN,
};

function alertOfFindings(findings: readonly Finding[], findingType = "ExecuteDCOM", where = environment): Alert {
  const batch = { stream: { environment: where, findingType }, findings: findings.map((each) => newFinding(each)) };
  return alertOf(batch, description, labels, MAPPED_AT);
}

function eventsIn(lines: string): Event[] {
  return lines
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Event);
}

function eventOf(
  finding: Finding,
  change: FindingChange = "created",
  findingType?: string,
  where?: typeof environment,
) {
  const [event] = eventsIn(findingLines(alertOfFindings([finding], findingType, where), change, ocsfLine));
  return event!;
}

function problemsIn(events: readonly Event[]): unknown[] {
  return events
    .map((event) => ({ problems: ocsfProblems(event), event }))
    .filter(({ problems }) => problems.length > 0);
}

describe("the compiled schema of the tests", () => {
  const valid = JSON.parse(JSON.stringify(eventOf(relationship))) as Record<string, object>;

  it.each([
    ["an attribute that it does not have", { finding_uid: "x" }, "must NOT have additional properties"],
    ["a value that it does not list", { activity_id: 4 }, "must be equal to one of the allowed values"],
    ["a caption of another value", { severity: "Low" }, "/severity is not the caption of severity_id"],
    ["a missing attribute", { metadata: undefined }, "must have required property 'metadata'"],
    ["a text for a number", { time: "2026" }, "must be integer"],
    ["an object without a name", { resources: [{ type: "User" }] }, "must match a schema in anyOf"],
  ])("refuses %s", (_, change, problem) => {
    expect(ocsfProblems(valid)).toEqual([]);
    const changed: unknown = JSON.parse(JSON.stringify({ ...valid, ...change }));
    expect(ocsfProblems(changed).join()).toContain(problem);
  });
});

describe("a finding as an OCSF event", () => {
  it("is a Detection Finding with the attack path as a graph", () => {
    const { finding_info: info, ...event } = eventOf(relationship);
    expect(event).toMatchObject({
      activity_id: 1,
      activity_name: "Create",
      class_uid: 2004,
      type_uid: 200401,
      time: Date.parse("2026-01-01T00:00:00.123Z"),
      severity_id: 4,
      severity: "High",
      status_id: 1,
      is_alert: true,
      impact_score: 12,
      message: "Generic all on Tier Zero in CORP.TEST: ALICE@CORP.TEST → DOMAIN ADMINS@CORP.TEST",
      metadata: {
        version: "1.8.0",
        product: { name: labels.product, vendor_name: labels.vendor },
        original_event_uid: "17",
      },
      resources: [
        { uid: "S-1-5-21-1-512", type: "Group", role_id: 1, role: "Target", labels: ["Tier Zero"] },
        { uid: "S-1-5-21-1-1101", name: "ALICE@CORP.TEST", type: "User", role_id: 2, role: "Actor" },
      ],
      remediation: { desc: "Remove the right." },
      unmapped: { environment_id: "S-1-5-21-1", exposure_percentage: 87.5, PrincipalHash: "abc", accepted: false },
    });
    expect(info).toEqual({
      uid: expect.stringMatching(/^[\w-]{27}$/),
      title: "Generic all on Tier Zero",
      desc: "Full control of a Tier Zero object.",
      types: ["ExecuteDCOM"],
      analytic: { type_id: 1, type: "Rule", uid: "ExecuteDCOM", name: "Generic all on Tier Zero" },
      created_time: Date.parse("2026-01-01T00:00:00.123Z"),
      modified_time: Date.parse("2026-01-01T10:00:00Z"),
      data_sources: ["CORP.TEST"],
      src_url: expect.stringContaining(`${ORIGIN}/ui/explore`),
      attacks: [
        {
          technique: { uid: "T1021", src_url: "https://attack.mitre.org/techniques/T1021/" },
          sub_technique: { uid: "T1021.003", src_url: "https://attack.mitre.org/techniques/T1021/003/" },
        },
      ],
      attack_graph: {
        name: "Generic all on Tier Zero",
        is_directed: true,
        nodes: [
          { uid: "S-1-5-21-1-1101", name: "ALICE@CORP.TEST", type: "User" },
          { uid: "S-1-5-21-1-512", name: "DOMAIN ADMINS@CORP.TEST", type: "Group", data: { tier_zero: true } },
        ],
        edges: [
          {
            source: "S-1-5-21-1-1101",
            target: "S-1-5-21-1-512",
            name: "ExecuteDCOM",
            relation: "ExecuteDCOM",
            is_directed: true,
          },
        ],
      },
    });
  });

  it("has one node and no edge for a list finding, and one node for a principal that controls itself", () => {
    const list = eventOf({ id: 1, Principal: "S-1-9", PrincipalKind: "User", PrincipalName: "BOB@CORP.TEST" });
    expect(list.finding_info).toMatchObject({ attack_graph: { nodes: [{ uid: "S-1-9", type: "User" }] } });
    expect(list.finding_info).not.toHaveProperty("attack_graph.edges");
    const itself = eventOf({ id: 1, FromPrincipal: "S-1-9", ToPrincipal: "S-1-9" });
    expect(itself.finding_info).toMatchObject({
      attack_graph: { nodes: [{ uid: "S-1-9" }], edges: [{ source: "S-1-9", target: "S-1-9" }] },
    });
    const nobody = eventOf({ id: 1 });
    expect([nobody.finding_info, nobody.resources]).toEqual([
      expect.not.objectContaining({ attack_graph: {} }),
      undefined,
    ]);
    expect(problemsIn([list, itself, nobody])).toEqual([]);
  });

  it.each([
    ["created", false, { activity_id: 1, status_id: 1, is_alert: true, type_uid: 200401 }],
    ["created", true, { activity_id: 1, status_id: 3, is_alert: false, type_uid: 200401 }],
    ["updated", false, { activity_id: 2, status_id: 1, is_alert: false, type_uid: 200402 }],
    ["updated", true, { activity_id: 2, status_id: 3, status: "Suppressed", type_uid: 200402 }],
    ["closed", false, { activity_id: 3, status_id: 4, status: "Resolved", is_alert: false, type_uid: 200403 }],
    ["closed", true, { activity_id: 3, status_id: 4, activity_name: "Close", is_alert: false }],
  ] as const)("that is %s has its activity, and with accepted %s its status", (change, accepted, expected) => {
    const event = eventOf({ ...relationship, Accepted: accepted }, change);
    expect(event).toMatchObject(expected);
    expect(event.time).toBe(Date.parse(change === "created" ? "2026-01-01T00:00:00.123Z" : "2026-01-01T10:00:00Z"));
    expect(problemsIn([event])).toEqual([]);
  });

  it("keeps its uid whatever else changes, and has another one in another environment, type or finding", () => {
    const { uid } = eventOf(relationship).finding_info;
    const uidOf = (changes: Finding, change?: FindingChange, type?: string, where?: typeof environment) =>
      eventOf({ ...relationship, ...changes }, change, type, where).finding_info.uid;
    const renamed = { ...environment, name: "RENAMED.TEST" };
    const same = [
      uidOf({ Severity: "low", Accepted: true, ImpactPercentage: 0.5, updated_at: "2027-01-01T00:00:00Z" }),
      uidOf({ created_at: "2025-01-01T00:00:00Z", RelProps: { lastseen: "x" }, ToPrincipalProps: { name: "OTHER" } }),
      uidOf({}, "closed", undefined, renamed),
    ];
    expect(new Set(same)).toEqual(new Set([uid]));
    const others = [
      uidOf({ id: 18 }),
      uidOf({ FromPrincipal: "S-1-5-21-1-1102" }),
      uidOf({}, "created", "T0GenericWrite"),
      uidOf({}, "created", undefined, { ...environment, id: "S-1-5-21-2" }),
    ];
    expect(new Set([uid, ...others]).size).toBe(5);
  });

  it("names a technique that is no sub-technique alone", () => {
    const { finding_info: info } = eventOf(relationship, "created", "T0ADCSESC1");
    expect(info).toMatchObject({
      attacks: [{ technique: { uid: "T1649", src_url: "https://attack.mitre.org/techniques/T1649/" } }],
    });
    expect(info).not.toHaveProperty("attacks.0.sub_technique");
  });

  it("is valid whatever the service sends", () => {
    const hostile = fc.oneof(
      fc.string({ unit: "binary", maxLength: 20 }),
      fc.constantFrom("\ud800", "broken \udc00", "__proto__", "constructor", "N".repeat(2_000), "", "\0", "a\u2028b"),
      fc.double(),
      fc.boolean(),
    );
    const key = fc.oneof(
      fc.string({ maxLength: 10 }),
      fc.constantFrom(
        "__proto__",
        "constructor",
        "source_object_id",
        "target_principal_name",
        "severity",
        "start_time",
        "\ud800",
      ),
    );
    const fields = fc.record(
      {
        id: fc.oneof(fc.string(), fc.integer()),
        created_at: fc.constantFrom("2026-01-01T00:00:00.999999999Z", "0001-01-01T00:00:00Z", "no time"),
        updated_at: fc.constantFrom("9999-12-31T23:59:59Z", "2026-01-01T00:00:00Z", ""),
        FromPrincipal: fc.string({ unit: "binary", maxLength: 9 }),
        FromPrincipalName: fc.string({ unit: "binary", maxLength: 9 }),
        ToPrincipal: fc.constantFrom("\ud800", "S-1", "", "__proto__"),
        ToPrincipalKind: fc.string({ maxLength: 5 }),
        ToPrincipalProps: fc.dictionary(key, hostile),
        Severity: fc.constantFrom("constructor", "high", "__proto__", ""),
        ImpactPercentage: fc.double(),
        Accepted: fc.boolean(),
        RelProps: fc.dictionary(key, hostile),
      },
      { requiredKeys: [] },
    );
    const finding = fc.tuple(fc.dictionary(key, hostile), fields).map(([rest, known]) => ({ ...rest, ...known }));
    const type = fc.oneof(fc.constantFrom("__proto__", "\ud800", "T0Owns"), fc.string({ minLength: 1 }));
    fc.assert(
      fc.property(fc.array(finding, { minLength: 1, maxLength: 3 }), type, (findings, findingType) => {
        const alert = alertOfFindings(findings, findingType, { ...environment, name: findingType });
        const events = eventsIn(findingLines(alert, "updated", ocsfLine));
        expect(events).toHaveLength(findings.length);
        expect(problemsIn(events)).toEqual([]);
      }),
      { numRuns: 40 },
    );
  });

  it("changes nothing of the alert that it is made from", () => {
    const alert = alertOfFindings([relationship, { ...relationship, id: 18 }]);
    const before = JSON.stringify(alert);
    expect(recordsOf(alert, "created").map(ocsfEvent)).toHaveLength(2);
    expect(JSON.stringify(alert)).toBe(before);
  });
});

describe("a change of an alert as OCSF events", () => {
  type Change = Pick<AlertChangeMessage, "change" | "reason" | "text">;
  const NOW = MAPPED_AT + 86_400_000;
  const given = (accepted: boolean) => ({ ...relationship, Accepted: accepted, AcceptedUntil: "2030-01-01T00:00:00Z" });
  const changed = (accepted: boolean, change: Change) =>
    eventsIn(changedFindingLines(alertOfFindings([given(accepted)]), change, NOW, ocsfLine));

  it.each([
    ["accepted", true, "priority", "accepted", { activity_id: 2, status_id: 3, status: "Suppressed" }],
    ["no longer accepted", false, "priority", "acceptance_ended", { activity_id: 2, status_id: 1 }],
    ["accepted, which is a comment only", true, "comment", "accepted", { activity_id: 2, status_id: 3 }],
    ["no longer accepted, which is one, too", false, "comment", "acceptance_ended", { activity_id: 2, status_id: 1 }],
    ["back, and is not accepted any more", false, "reopen", "returned", { activity_id: 2, status_id: 1 }],
  ] as const)(
    "says of a finding that is %s what holds now, not what held at delivery",
    (_, now, change, reason, expected) => {
      const [event] = changed(!now, { change, reason, text: "Why." });
      expect(event).toMatchObject({ ...expected, is_alert: false, time: NOW, status_detail: "Why." });
      expect(event!.unmapped["accepted"]).toBe(now);
      expect(event!.unmapped).not.toHaveProperty("accepted_until");
      expect(problemsIn([event!])).toEqual([]);
    },
  );

  it("gives the evidence for a finding that is closed, and nothing for a comment on what is gone", () => {
    const text = "All 2 findings of this alert are gone.";
    const events = changed(true, { change: "close", reason: "remediated", text });
    expect(events).toMatchObject([{ activity_id: 3, status_id: 4, status_detail: text, time: NOW }]);
    expect(problemsIn(events)).toEqual([]);
    expect(changed(false, { change: "comment", reason: "partly_gone", text })).toEqual([]);
  });
});

describe("the command line with --format ocsf", () => {
  let tenant: Tenant;
  let polled: Event[];
  let listed: Event[];

  beforeAll(async () => {
    tenant = await startTenant({ dataset: { kind: "demo" } });
    const state = join(temporaryFolder(), "poll.json");
    polled = eventsIn((await askHere(tenant, ["poll", "--state", state, "--format", "ocsf"])).out);
    listed = eventsIn((await askHere(tenant, ["findings", "--format", "ocsf"])).out);
  });

  const uids = (events: readonly Event[]) => events.map((event) => event.finding_info.uid).sort();

  it("writes a valid event for each finding of the demo data", async () => {
    expect(problemsIn([...polled, ...listed])).toEqual([]);
    const { out } = await askHere(tenant, ["findings", "--json"]);
    expect(listed).toHaveLength(out.trimEnd().split("\n").length);
    expect(new Set(uids(listed)).size).toBe(listed.length);
    expect(uids(polled)).toEqual(uids(listed));
  });

  it("says that an accepted finding is suppressed", () => {
    for (const events of [polled, listed]) {
      const suppressed = events.filter((event) => event.status_id === 3);
      expect(suppressed.length).toBeGreaterThan(0);
      expect(suppressed.every((event) => event.unmapped["accepted"] === true)).toBe(true);
    }
  });

  it("creates what poll delivers, and updates what a list shows with a later change", () => {
    expect(new Set(polled.map((event) => event.activity_id))).toEqual(new Set([1]));
    for (const { activity_id: activity, unmapped } of listed)
      expect(activity).toBe(
        Date.parse(String(unmapped["updated_at"])) > Date.parse(String(unmapped["created_at"])) ? 2 : 1,
      );
  });

  it("writes the attributes that docs/outputs.md lists, and no others", () => {
    const page = readFileSync(join(rootDir, "docs/outputs.md"), "utf8");
    const [, table = ""] = /## Attributes of an event\n(.*?)\n## /s.exec(page) ?? [];
    const cells = [...table.matchAll(/^\| ([^|]*`[^|]*) \|/gm)].map(([, cell = ""]) => cell);
    const documented = cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, path = ""]) => path));
    const change = { change: "close", reason: "remediated", text: "Gone." } as const;
    const closed = eventsIn(changedFindingLines(alertOfFindings([relationship]), change, MAPPED_AT, ocsfLine));
    const written = new Set([...polled, ...listed, ...closed].flatMap((event) => attributePaths(event)));
    expect(documented.sort()).toEqual([...written].sort());
  });

  it("sorts and limits like every other list", async () => {
    const other = await startTenant({ dataset: { environments: 1, findingTypes: 2, findingsPerPair: 5 } });
    const sorted = ["findings", "--sort", "impact", "--format"];
    const { out: all } = await askHere(other, ["findings", "--format", "ocsf"]);
    const { out: events } = await askHere(other, [...sorted, "ocsf"]);
    const { out: rows } = await askHere(other, [...sorted, "ndjson"]);
    const { out: limited } = await askHere(other, [...sorted, "ocsf", "--limit", "3"]);
    const ids = (out: string) => eventsIn(out).map(({ metadata }) => metadata.original_event_uid);
    const expected = rows
      .trim()
      .split("\n")
      .map((line) => (JSON.parse(line) as { finding_id: string }).finding_id);
    expect(ids(events)).toEqual(expected);
    expect(ids(events)).not.toEqual(ids(all));
    expect(ids(limited)).toEqual(expected.slice(0, 3));
  });

  it("says what is missing when descriptions cannot be loaded", async () => {
    const other = await startTenant({ dataset: { environments: 1, findingTypes: 2, findingsPerPair: 1 } });
    other.control.fault({ path: "title|description|remediation", effect: { kind: "status", status: 403 } });
    const { out, error } = await askHere(other, ["findings", "--format", "ocsf"]);
    expect(eventsIn(out)).toHaveLength(2);
    expect(problemsIn(eventsIn(out))).toEqual([]);
    expect(error).toContain("Could not load the description of 2 finding types. Their events have no description.");
  });
});
