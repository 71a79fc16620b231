import { describe, expect, it } from "@jest/globals";
import { done } from "./fake-plugin.ts";
import { python } from "./installation.ts";
import { instanceConfiguration } from "./platform.ts";
import { type ActionOptions, runAction } from "./run-script.ts";
import { standInsForEachTest } from "./stand-ins.ts";

const alice = {
  identifier: "ALICE@EXAMPLE.LOCAL",
  entity_type: "USERUNIQNAME",
  additional_properties: { OriginalIdentifier: "alice@example.local" },
};

python.describe("an action script of Google SecOps that works on a case", () => {
  const host = standInsForEachTest(({ platform }) => {
    platform.configuration = instanceConfiguration;
  });

  /** Runs an action with a plugin that ends with this result. */
  async function act(name: string, result: object, options: ActionOptions = {}) {
    await host.node.says([done(result)]);
    return runAction(host.node, host.platform, name, { env: host.node.env, ...options });
  }

  describe("with a parameter left empty", () => {
    const context = async (parameters: Record<string, string>) => {
      const selected = { target_entities: [{ item1: "ALICE@EXAMPLE.LOCAL", item2: "USERUNIQNAME" }] };
      await act("Does Path Exist", {}, { parameters, context: selected });
      return (await host.node.heard())["context"];
    };

    it("hands over the selected entities under their original names, and the findings of the alert", async () => {
      const whole = { finding_id: "7", findings_in_alert: "2" };
      const [risk, end] = [{ severity: "high", accepted: "true" }, "2030-01-01T00:00:00Z"];
      host.platform.alert = {
        events: [
          { ...whole, source_object_id: "S-1", target_object_id: "S-2", ...risk, accepted_until: end },
          { ...whole, finding_id: "8", source_object_id: "S-3" },
          { source_object_id: "of another product", target_object_id: "S-4" },
          null,
        ],
        entities: [alice, { identifier: "SRV01.EXAMPLE.LOCAL", entity_type: "HOSTNAME" }],
      };
      expect(await context({ "Start Node": "S-1", "End Node": " " })).toEqual({
        caseId: "12",
        alertId: "A_1",
        entities: [{ identifier: "alice@example.local", type: "USERUNIQNAME" }],
        findings: [
          { source: "S-1", target: "S-2", ...risk, acceptedUntil: end },
          { source: "S-3", target: null, severity: null, accepted: null, acceptedUntil: null },
        ],
        findingsLost: 0,
      });
    });

    it("says how many findings of an alert the platform has not kept whole", async () => {
      const event = (id: string, more: object) => ({ finding_id: id, findings_in_alert: "120", ...more });
      const pair = { source_object_id: "S-1", target_object_id: "S-2" };
      const single = { target_object_id: "S-3" };
      const findings = [event("1", pair), event("1", pair), event("2", pair), event("3", single)];
      host.platform.alert = { events: findings, entities: [] };
      expect(await context({})).toMatchObject({ findingsLost: 118 });
      host.platform.alert = { events: [{ finding_id: "1", ...pair }], entities: [] };
      expect(await context({})).toMatchObject({ findingsLost: 1 });
      // Of a type that names single objects, no finding joins two that could be checked.
      host.platform.alert = { events: [event("1", single), event("2", single)], entities: [] };
      expect(await context({})).toMatchObject({ findingsLost: 0 });
    });

    it("hands over nothing when there is no alert", async () => {
      expect(await context({})).toMatchObject({ entities: [], findings: [] });
    });

    it("names the platform when it does not return the alert, which the SDK only writes into the log", async () => {
      host.platform.broken.add("AlertFullDetails");
      const answer = await act("Does Path Exist", {});
      expect(answer).toMatchObject({ state: 2, value: null });
      expect(answer.message).toMatch(/^The platform did not return the alert, .* bad day/);
      expect(answer.stderr).toContain("Error getting current alert");
    });

    it("names the platform when it does not return the entities of a case, which the SDK only writes into the log", async () => {
      host.platform.broken.add("AlertsFullDetails");
      const answer = await act("Does Path Exist", {});
      expect(answer).toMatchObject({ state: 2, value: null });
      expect(answer.message).toMatch(/^The platform did not return the selected entities, .* bad day/);
    });

    it("does not ask the platform when every parameter is given", async () => {
      await context({ "Start Node": "A", "End Node": "B" });
      expect(host.platform.operations).not.toContain("AlertFullDetails");
    });
  });

  describe("with something to show in the case", () => {
    const table = {
      title: "Hops",
      columns: ["From", "Relation", "To"],
      rows: [
        ["DOE, JANE", 'says "hi"', "B"],
        ["A", 2, "two\nlines, and 1,024"],
      ],
      note: "3 of 5 rows are left out here.",
    };
    const insight = { title: "Attack path to Tier Zero", text: "A <script> & 50% of B", severity: "critical" };
    const update = (identifier: string, properties: object, type = "USERUNIQNAME") => ({
      identifier,
      type,
      properties,
    });
    const enriched = update("alice@example.local", { objectId: "S-9", tierZero: true, adminRights: 3 });
    const show = (result: object) => act("Fetch Assets", result);

    beforeEach(() => {
      host.platform.alert = { events: [], entities: [alice] };
    });

    it("adds tables without commas and quotation marks in their cells, with what was left out in the last row", async () => {
      const answer = await show({ json: { a: 1 }, tables: [table, { title: "Empty", columns: ["X"], rows: [] }] });
      expect(answer.tables).toEqual({
        Hops: [
          "From,Relation,To",
          "DOE; JANE,says 'hi',B",
          "A,2,two lines; and 1 024",
          "3 of 5 rows are left out here.",
        ],
        Empty: ["X"],
      });
      expect(answer).toMatchObject({ state: 0, json: '{"a": 1}' });
    });

    it("adds an insight to the alert, as text in HTML", async () => {
      await show({ insight });
      expect(host.platform.insights).toEqual([
        expect.objectContaining({
          case_id: "12",
          alert_identifier: "A_1",
          triggered_by: "attack_path_analysis",
          title: "Attack path to Tier Zero",
          content: "A &lt;script&gt; &amp; 50% of B",
          severity: 2,
          type: 0,
        }),
      ]);
    });

    it("writes properties to the selected entities by their original names, and keeps the others", async () => {
      await show({ entities: [enriched, update("bob@example.local", { objectId: "S-8" })] });
      expect(host.platform.updatedEntities).toEqual([
        expect.objectContaining({
          identifier: "ALICE@EXAMPLE.LOCAL",
          is_enriched: true,
          additional_properties: expect.objectContaining({
            OriginalIdentifier: "alice@example.local",
            AttackPath_objectId: "S-9",
            AttackPath_tierZero: "true",
            AttackPath_adminRights: "3",
          }),
        }),
      ]);
    });

    it("leaves an entity alone that has the name of another one and is of another type", async () => {
      await show({ entities: [update("alice@example.local", { objectId: "S-9" }, "HOSTNAME")] });
      expect(host.platform.updatedEntities).toEqual([]);
    });

    it("overwrites a property that is not known any more, and adds none", async () => {
      const known = { ...alice.additional_properties, AttackPath_tierZero: "true" };
      host.platform.alert = { events: [], entities: [{ ...alice, additional_properties: known }] };
      await show({ entities: [update("alice@example.local", { tierZero: null, kind: null })] });
      const [{ additional_properties: now }] = host.platform.updatedEntities as [{ additional_properties: object }];
      const own = Object.entries(now).filter(([name]) => name.startsWith("AttackPath_"));
      expect(own).toEqual([["AttackPath_tierZero", "unknown"]]);
    });

    it("takes an entity that has no properties yet", async () => {
      const bare = { identifier: "ALICE@EXAMPLE.LOCAL", entity_type: "USERUNIQNAME", additional_properties: null };
      host.platform.alert = { events: [], entities: [bare] };
      await show({ entities: [update("ALICE@EXAMPLE.LOCAL", { kind: "User" })] });
      expect(host.platform.updatedEntities).toMatchObject([{ additional_properties: { AttackPath_kind: "User" } }]);
    });

    it("does not bother the platform with entities that are as they were, or not selected", async () => {
      const known = { ...alice.additional_properties, AttackPath_objectId: "S-9" };
      host.platform.alert = { events: [], entities: [{ ...alice, additional_properties: known }] };
      const same = update("alice@example.local", { objectId: "S-9" });
      await show({ entities: [same, update("bob@example.local", { objectId: "S-8" })] });
      expect(host.platform.operations).not.toContain("UpdateEntities");
    });

    it("ends in time when the platform does not answer, and says so in the log", async () => {
      host.platform.silent.add("CreateCaseInsight");
      const context = { execution_deadline_unix_time_ms: Date.now() + 3_000 };
      const answer = await act("Fetch Assets", { message: "Fine.", insight }, { context });
      expect(answer).toMatchObject({ state: 0, value: true, message: "Fine." });
      expect(answer.stderr).toContain(" ERROR] The case does not show the insight: it did not answer in time");
    });

    it("ends well when the platform takes none of it, and says so in the log", async () => {
      host.platform.broken.add("CreateCaseInsight").add("UpdateEntities");
      const broken = { title: "Broken" };
      const answer = await show({ message: "Fine.", tables: [table, broken], insight, entities: [enriched] });
      expect(answer).toMatchObject({ state: 0, value: true, message: "Fine." });
      expect(Object.keys(answer.tables)).toEqual(["Hops"]);
      expect(answer.stderr).toMatch(/ERROR\] The case does not show the tables: /);
      expect(answer.stderr).toMatch(/ERROR\] The case does not show the insight: /);
      expect(answer.stderr).toMatch(/ERROR\] The case does not show the properties of entities: /);
    });
  });
});
