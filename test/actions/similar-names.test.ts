import { beforeAll, describe, expect, it } from "@jest/globals";
import { addDirectoryObject } from "../../sandbox/tenant/dataset/nodes.ts";
import type { GraphNode } from "../../sandbox/tenant/graph/graph.ts";
import type { Tenant } from "../../sandbox/tenant/index.ts";
import type { ActionResult } from "../../src/manifest/types.ts";
import type { JsonObject } from "../../src/runtime/protocol.ts";
import { TestHost } from "../support/host.ts";
import { startTenant } from "../support/tenant.ts";

/** Object ids that are the same in capitals: those of custom objects may be any text. */
const PLAIN = "custom-strasse";
const SHARP = "custom-straße";

let tenant: Tenant;
let host: TestHost;
/** A member of Domain Admins is one hop from here. */
let domainAdmins: GraphNode;
beforeAll(async () => {
  tenant = await startTenant();
  host = new TestHost(tenant);
  const { graph } = tenant.data;
  domainAdmins = [...graph.nodes].find(({ objectId }) => objectId.endsWith("-512"))!;
  const { environmentId, name } = domainAdmins;
  const domain = name.split("@")[1]!;
  const site = { graph, environmentId, domain, lastSeen: "2026-11-20T02:00:00Z" };
  addDirectoryObject(site, "User", PLAIN, `PLAIN@${domain}`);
  addDirectoryObject(site, "User", SHARP, `SHARP@${domain}`);
  graph.connect(PLAIN, "MemberOf", domainAdmins.objectId);
});

async function check(parameters: { "Start Node"?: string[]; "End Node"?: string }, context: JsonObject = {}) {
  const { "Start Node": starts, ...others } = parameters;
  const texts = starts === undefined ? {} : { "Start Node": JSON.stringify(starts) };
  const { result } = await host.act({ name: "Does Path Exist", parameters: { ...texts, ...others }, context });
  return { result, json: result.json as ActionResult<"Does Path Exist"> | undefined };
}

describe("Does Path Exist, for objects whose ids are the same in capitals", () => {
  it.each([[[PLAIN, SHARP]], [[SHARP, PLAIN]]])("answers %j each about its own object", async (starts) => {
    const { json } = await check({ "Start Node": starts, "End Node": domainAdmins.objectId });
    const answers = json!.paths.map(({ start, exists }) => [start.objectId, exists]);
    expect(answers).toEqual(starts.map((start) => [start, start === PLAIN]));
  });

  it("does not know the one that the service does not have, although it has the other", async () => {
    const names = [PLAIN, "custom-ſtrasse"];
    const { json } = await check({ "Start Node": names, "End Node": domainAdmins.objectId });
    expect(json!.paths).toMatchObject([
      { status: "path", start: { objectId: PLAIN } },
      { status: "unknown_object", start: { objectId: null, name: names[1] } },
    ]);
  });

  it("checks a finding from one to the other, and an entity against the other", async () => {
    tenant.data.graph.connect(SHARP, "GenericAll", PLAIN);
    const { json } = await check({}, { findings: [{ source: SHARP, target: PLAIN }] });
    expect(json!.paths).toMatchObject([
      { status: "path", length: 1, start: { objectId: SHARP }, end: { objectId: PLAIN } },
    ]);
    const entities = [{ identifier: SHARP, type: "USERUNIQNAME" }];
    const selected = await check({ "End Node": PLAIN }, { entities });
    expect(selected.json?.paths).toMatchObject([{ start: { objectId: SHARP }, end: { objectId: PLAIN } }]);
    tenant.data.graph.disconnect(SHARP, PLAIN);
  });

  it("says of each how near it is to Tier Zero", async () => {
    const entities = [PLAIN, SHARP].map((identifier) => ({ identifier, type: "USERUNIQNAME" }));
    const entered = await check({ "Start Node": [PLAIN, SHARP] });
    const selected = await check({}, { entities });
    for (const { json } of [entered, selected]) {
      expect(json?.nearTierZero?.starts).toMatchObject([
        { start: { objectId: PLAIN }, exists: true, hops: 1 },
        { start: { objectId: SHARP }, exists: false, hops: null },
      ]);
    }
    expect(selected.result.entities).toMatchObject([
      { identifier: PLAIN, properties: { objectId: PLAIN, tierZeroHops: 1 } },
      { identifier: SHARP, properties: { objectId: SHARP } },
    ]);
  });
});
