import { beforeAll, describe, expect, it } from "@jest/globals";
import type { GraphNode } from "../../sandbox/tenant/graph/graph.ts";
import type { Tenant } from "../../sandbox/tenant/index.ts";
import type { ActionResult } from "../../src/manifest/types.ts";
import type { Json, JsonObject } from "../../src/runtime/protocol.ts";
import { TestHost } from "../support/host.ts";
import { startTenant } from "../support/tenant.ts";

const UNKNOWN = "S-1-5-21-9-9-9-999";

let tenant: Tenant;
let host: TestHost;
/** A path leads to it. */
let target: GraphNode;
/** Nothing leads from it. */
let source: GraphNode;
beforeAll(async () => {
  tenant = await startTenant();
  host = new TestHost(tenant);
  const nodes = [...tenant.data.graph.nodes];
  const isUnique = ({ name }: GraphNode): boolean => nodes.filter((node) => node.name === name).length === 1;
  target = nodes.find((node) => node.kind === "User" && isUnique(node))!;
  source = nodes.find(
    (node) => node !== target && isUnique(node) && tenant.data.graph.outgoing(node.objectId).length === 0,
  )!;
});

/** An object from which a relationship leads to another one. */
function opening(): GraphNode {
  return [...tenant.data.graph.nodes].find(({ objectId }) => tenant.data.graph.outgoing(objectId).length > 0)!;
}

async function check(parameters: object, context: JsonObject, state: Json = null) {
  const { result } = await host.act({ name: "Does Path Exist", parameters, context, state });
  return { result, json: result.json as ActionResult<"Does Path Exist"> | undefined };
}

const entity = (identifier: string) => ({ identifier, type: "USERUNIQNAME" });

describe("Does Path Exist, for objects that nobody entered", () => {
  it("says that the source of a finding is unknown, and names no parameter", async () => {
    const findings = [{ source: UNKNOWN, target: target.objectId }];
    const { result, json } = await check({}, { findings });
    expect(json?.paths).toMatchObject([{ status: "unknown_object" }]);
    expect(result.message).toContain(
      `The source of a finding of the alert, "${UNKNOWN}", was not found. The service does not know this object, or no longer knows it.`,
    );
    expect(result.message).not.toMatch(/Start Node|Enter/);
  });

  it("says that the target of a finding is unknown", async () => {
    const { result } = await check({}, { findings: [{ source: target.objectId, target: UNKNOWN }] });
    expect(result.message).toContain(`The target of a finding of the alert, "${UNKNOWN}", was not found.`);
  });

  it("does not know of findings that the platform has not kept, whatever the others say", async () => {
    const findings = [{ source: source.objectId, target: target.objectId }];
    const { result, json } = await check({}, { findings, findingsLost: 116 });
    expect(result).toMatchObject({ status: "completed", value: null });
    expect(result.message).toContain(
      "Could not check 116 more findings of it: the platform has not kept what they join.",
    );
    expect(json?.summary).toMatchObject({ verdict: "unknown", closed: 1, unanswered: 116 });
    expect((await check({}, { findings })).json?.summary).toMatchObject({ verdict: "closed" });
  });

  it("takes a finding that could not be checked for the worst one, and none for it when the platform has not kept all", async () => {
    const { from, to } = [...tenant.data.graph.outgoing(opening().objectId)][0]!;
    const findings = [
      { source: from, target: to, severity: "low" },
      { source: UNKNOWN, target: target.objectId, severity: "high" },
      { source: source.objectId, target: target.objectId, severity: "critical" },
    ];
    const summaryOf = async (context: JsonObject) => (await check({}, context)).json?.summary;
    expect(await summaryOf({ findings })).toMatchObject({ verdict: "open", open: 1, unanswered: 1, worst: "high" });
    expect(await summaryOf({ findings, findingsLost: 1 })).toMatchObject({ verdict: "open", worst: "unknown" });
    const critical = { source: UNKNOWN, target: target.objectId, severity: "critical" };
    const worse = { findings: [...findings, critical], findingsLost: 1 };
    expect(await summaryOf(worse)).toMatchObject({ verdict: "open", worst: "critical" });
  });

  it.each([undefined, null, " "])(
    "does not know of a finding whose target is %j, whatever the others say",
    async (none) => {
      const findings = [
        { source: source.objectId, target: target.objectId },
        { source: UNKNOWN, ...(none !== undefined && { target: none }) },
      ];
      const { result, json } = await check({}, { findings });
      expect(result).toMatchObject({ status: "completed", value: null });
      expect(json?.summary).toMatchObject({ verdict: "unknown", closed: 1, unanswered: 1 });
      expect(result.message).toContain(`The finding from ${UNKNOWN} names no target, so its path was not checked.`);
    },
  );

  it.each(["Start Node", "End Node"])("says that an entity selected as %s is unknown", async (empty) => {
    const given = empty === "Start Node" ? "End Node" : "Start Node";
    const { result } = await check({ [given]: target.objectId }, { entities: [entity("GONE@CORP.TEST")] });
    expect(result.message).toContain(
      `The selected entity "GONE@CORP.TEST", used as ${empty}, was not found. The service does not know this object, or no longer knows it. Select other entities of the case, or enter ${empty}.`,
    );
  });

  it("still names the parameter of an unknown object that was entered", async () => {
    const { result } = await check({ "End Node": UNKNOWN }, { entities: [entity(target.name)] });
    expect(result.message).toContain(`End Node "${UNKNOWN}" was not found. Enter an object id`);
  });
});

describe("Does Path Exist, when an object of the case is the other end", () => {
  it.each<[string, () => string]>([
    ["in other letter case", () => target.objectId.toLowerCase()],
    ["by its name", () => target.name],
  ])("leaves out a selected entity that is the End Node %s", async (_, identifier) => {
    const entities = [entity(source.name), entity(identifier())];
    const { result, json } = await check({ "End Node": target.objectId }, { entities });
    expect(result).toMatchObject({ status: "completed", value: false });
    expect(json).toMatchObject({ exists: false, summary: { verdict: "closed", open: 0, closed: 1 } });
    expect(json?.paths).toHaveLength(1);
    expect(result.message).toContain(`Left out ${identifier()}: start and end are the same object.`);
  });

  it("leaves out a selected entity that is the Start Node", async () => {
    const entities = [entity(source.name), entity(target.name)];
    const { result, json } = await check({ "Start Node": source.name }, { entities });
    expect(json?.paths).toMatchObject([{ start: { objectId: source.objectId }, end: { objectId: target.objectId } }]);
    expect(result.value).toBe(false);
  });

  it.each<[string, () => string]>([
    ["as it was entered", () => target.objectId],
    ["by its name", () => target.name],
  ])("says what to enter when only the End Node is selected, %s", async (_, identifier) => {
    const { result } = await check({ "End Node": target.objectId }, { entities: [entity(identifier())] });
    expect(result).toMatchObject({ status: "failed", value: null });
    expect(result.message).toBe(
      "Start Node is empty, and no entity besides End Node itself is selected. Enter Start Node, or select other entities of the case.",
    );
  });

  it("says how near the Start Node is to Tier Zero when it is all that is selected, under another name", async () => {
    const parameters = { "Start Node": target.objectId };
    const context = { entities: [entity(target.name)] };
    const { result, json } = await check(parameters, context);
    expect(result.status).toBe("completed");
    const starts = json?.nearTierZero?.starts.map(({ start }) => start.objectId);
    expect(starts).toEqual([target.objectId]);
    expect(json).toEqual((await check(parameters, {})).json);
  });

  it("goes on with that question in the next run", async () => {
    const parameters = { "Start Node": target.objectId };
    const context = { entities: [entity(target.name)] };
    tenant.control.fault({ path: "available-domains", effect: { kind: "status", status: 429 } });
    const first = await check(parameters, context);
    tenant.control.clearFaults();
    expect(first.result.status).toBe("in_progress");
    const { result } = await check(parameters, context, first.result.state ?? null);
    expect(result).toMatchObject({ status: "completed", json: (await check(parameters, context)).json });
  });

  it("leaves out a finding from an object to itself", async () => {
    const self = { source: target.objectId, target: target.objectId };
    const { json } = await check({}, { findings: [self, { source: source.objectId, target: target.objectId }] });
    expect(json).toMatchObject({ exists: false, paths: [{ start: { objectId: source.objectId } }] });
    const { result } = await check({}, { findings: [self] });
    expect(result).toMatchObject({ status: "failed", value: null });
    expect(result.message).toContain("no finding of the alert has a source and a target that differ");
  });

  it("has a path of no hops for an object and itself that were entered", async () => {
    const parameters = { "Start Node": target.name, "End Node": target.objectId };
    const { result, json } = await check(parameters, { entities: [entity(target.name)] });
    expect(result.value).toBe(true);
    expect(json?.paths).toMatchObject([{ status: "path", length: 0 }]);
  });
});
