import { beforeAll, beforeEach, expect, it } from "@jest/globals";
import { selfSignedCertificate, type Tenant } from "../../sandbox/tenant/index.ts";
import { instanceParameters } from "../support/requests.ts";
import { startTenant } from "../support/tenant.ts";
import { installBuilt, python, type Installation } from "./installation.ts";
import { StandInPlatform } from "./platform.ts";
import { installPluginHere, type PluginHere } from "./plugin-here.ts";
import {
  type ActionOptions,
  connectorIdentifier,
  type ConnectorOptions,
  runAction,
  runConnector,
} from "./run-script.ts";

const ADA = { name: "ADA.FONTANA@CORP.HALDEN.TEST", objectId: "S-1-5-21-2697957641-2271029196-387917394-1158" };

/** The built plugin under Node.js. */
let installation: Installation;
/** For what neither the bundle nor Node.js can change. */
let here: PluginHere;
beforeAll(async () => {
  installation = await installBuilt();
  here = await installPluginHere();
});

python.describe("the actions under the platform's Python", () => {
  let tenant: Tenant;
  let platform: StandInPlatform;
  beforeAll(async () => {
    tenant = await startTenant();
  });
  beforeEach(async () => {
    platform = await StandInPlatform.start();
    platform.configuration = instanceParameters(tenant);
  });

  const runHere = (name: string, options: ActionOptions = {}) =>
    runAction(here, platform, name, { ...options, env: here.env });

  it("Ping reaches the tenant", async () => {
    const answer = await runHere("Ping");
    expect(answer).toMatchObject({ state: 0, value: true });
    expect(answer.message).toMatch(/^Successfully connected to the /);
    expect(JSON.parse(answer.json ?? "")).toMatchObject({ server: tenant.url, reached: true, authenticated: true });
  });

  it("Ping reaches a tenant whose certificate comes from a private CA, when it is given the certificate", async () => {
    const tls = selfSignedCertificate();
    platform.configuration = instanceParameters(await startTenant({ tls }));
    const certificate = Buffer.from(tls.cert).toString("base64");
    const parameters = { "CA Certificate File - parsed into Base64 String": certificate };
    expect(await runAction(installation, platform, "Ping", { parameters })).toMatchObject({ state: 0, value: true });
  });

  it("Ping fails with a wrong key, which it does not repeat", async () => {
    platform.configuration = { ...platform.configuration, "Token Key": "a-key-of-somebody-else" };
    const answer = await runHere("Ping");
    expect(answer).toMatchObject({ state: 2, value: false });
    expect(answer.message).toMatch(/^Failed to connect to the /);
    expect(JSON.parse(answer.json ?? "")).toMatchObject({ reached: true, authenticated: false });
    expect(JSON.stringify(answer)).not.toContain("somebody-else");
  });

  it("Ping fails when the tenant is down", async () => {
    await tenant.control.goAway();
    try {
      const answer = await runHere("Ping");
      expect(answer).toMatchObject({ state: 2, value: false });
      expect(answer.message).toMatch(/^Failed to connect to the /);
    } finally {
      await tenant.control.comeBack();
    }
  });

  it("names the parameter of the instance that is wrong", async () => {
    platform.configuration = { ...platform.configuration, Server: "http://tenant.example.test" };
    const answer = await runHere("Ping");
    expect(answer).toMatchObject({ state: 2, value: false, message: expect.stringContaining("Server") });
  });

  it("names the parameter of the action that is missing", async () => {
    const answer = await runHere("Get Object Id", { parameters: { "Object Names": "" } });
    expect(answer).toMatchObject({ state: 2, message: expect.stringContaining("Object Names") });
  });

  it("Get Object Id finds what is there and says what is not", async () => {
    const parameters = { "Object Names": `${ADA.name}, NOBODY@CORP.HALDEN.TEST` };
    const answer = await runHere("Get Object Id", { parameters });
    expect(answer).toMatchObject({ state: 0, value: false });
    expect(JSON.parse(answer.json ?? "")).toMatchObject({
      objects: [
        { name: ADA.name, status: "found", objectId: ADA.objectId },
        { name: "NOBODY@CORP.HALDEN.TEST", status: "not_found", objectId: null },
      ],
    });
  });

  it("Does Path Exist shows a path, tells that there is none, and fails for an object that nobody knows", async () => {
    const path = (start: string, end: string) =>
      runHere("Does Path Exist", { parameters: { "Start Node": start, "End Node": end } });
    const there = await path("HELP DESK@CORP.HALDEN.TEST", "DOMAIN ADMINS@CORP.HALDEN.TEST");
    expect(there).toMatchObject({ state: 0, value: true });
    expect((JSON.parse(there.json ?? "") as { paths: { hops: unknown[] }[] }).paths[0]?.hops).toHaveLength(4);
    const none = await path(ADA.objectId, "SERVER BASELINE@CORP.HALDEN.TEST");
    expect(none).toMatchObject({ state: 0, value: false });
    const unknown = await path(ADA.objectId, "NOBODY@CORP.HALDEN.TEST");
    expect(unknown).toMatchObject({ state: 2, message: expect.stringContaining("NOBODY@CORP.HALDEN.TEST") });
  });

  it("Fetch Assets reads several objects in one run", async () => {
    const parameters = { "Object IDs": `${ADA.objectId}, S-1-5-21-0-0-0-1` };
    const answer = await runAction(installation, platform, "Fetch Assets", { parameters, firstRun: "True" });
    expect(answer).toMatchObject({ state: 0, value: false });
    expect(JSON.parse(answer.json ?? "")).toMatchObject({
      assets: [
        { objectId: ADA.objectId, status: "found", kind: "User", name: ADA.name },
        { objectId: "S-1-5-21-0-0-0-1", status: "not_found" },
      ],
    });
  });

  it("Does Path Exist shows the hops of an alert's open findings, and points out those that lead to Tier Zero", async () => {
    const admins = ADA.objectId.replace(/\d+$/, "512");
    const helpDesk = [...tenant.data.graph.nodes].find(({ name }) => name === "HELP DESK@CORP.HALDEN.TEST")!.objectId;
    const finding = { finding_id: "7", findings_in_alert: "1", target_object_id: admins, severity: "high" };
    platform.alert = { events: [{ ...finding, source_object_id: helpDesk }, finding], entities: [] };
    const answer = await runHere("Does Path Exist");
    expect(answer).toMatchObject({ state: 0, value: true });
    expect(JSON.parse(answer.json ?? "")).toMatchObject({ summary: { verdict: "open", open: 1, worst: "high" } });
    const [head, ...hops] = answer.tables["Hops"] ?? [];
    expect(head).toBe("Path,Hop,From,Relation,To,Tier Zero");
    expect(hops).toHaveLength(4);
    expect(hops.at(-1)).toMatch(/,DOMAIN ADMINS@CORP\.HALDEN\.TEST,yes$/);
    expect(platform.insights).toMatchObject([
      { severity: 2, content: expect.stringContaining("DOMAIN ADMINS@CORP.HALDEN.TEST") },
    ]);
  });

  it("Fetch Assets shows a table of the selected entities, and enriches them", async () => {
    const ada = {
      identifier: ADA.name,
      entity_type: "USERUNIQNAME",
      additional_properties: { OriginalIdentifier: ADA.name.toLowerCase() },
    };
    platform.alert = { events: [], entities: [ada] };
    const answer = await runHere("Fetch Assets", {
      context: { target_entities: [{ item1: ADA.name, item2: "USERUNIQNAME" }] },
    });
    expect(answer).toMatchObject({ state: 0, value: true });
    expect(answer.tables["Assets"]?.[1]).toContain(`${ADA.name},User,${ADA.objectId},read,`);
    expect(platform.updatedEntities).toMatchObject([
      { is_enriched: true, additional_properties: { AttackPath_objectId: ADA.objectId, AttackPath_kind: "User" } },
    ]);
  });

  it("Fetch Assets goes on in the next run when the first one's time is over", async () => {
    const ids = [ADA.objectId, ADA.objectId.replace(/\d+$/, "512")];
    const run = (milliseconds: number, more: object) =>
      runHere("Fetch Assets", {
        parameters: { "Object IDs": ids.join(","), ...more },
        context: { execution_deadline_unix_time_ms: Date.now() + milliseconds },
        firstRun: "additional_data" in more ? "False" : "True",
      });
    tenant.control.fault({ path: "/groups/", effect: { kind: "stall" } });
    const first = await run(3_000, {});
    tenant.control.clearFaults();
    expect(first).toMatchObject({ state: 1, message: expect.stringContaining("The next run reads the rest") });
    const last = await run(60_000, { additional_data: String(first.value) });
    expect(last.state).toBe(0);
    const { assets } = JSON.parse(last.json ?? "") as { assets: { objectId: string }[] };
    expect(assets.map(({ objectId }) => objectId)).toEqual(ids);
  });
});

python.describe("the connector under the platform's Python", () => {
  let tenant: Tenant;
  let platform: StandInPlatform;
  let fields: Record<string, string>;
  beforeEach(async () => {
    await serve(3, 2);
    platform = await StandInPlatform.start();
  });

  /** Starts the tenant, with so many findings of each type in each of two environments. */
  async function serve(findingsPerPair: number, findingTypes = 1): Promise<void> {
    tenant = await startTenant({ dataset: { environments: 2, findingTypes, findingsPerPair } });
    fields = {
      Server: tenant.url,
      "Token ID": tenant.tokenId,
      "Token Key": tenant.tokenKey,
      "Selected Environments": "All",
      "Selected Finding Types": "All",
    };
  }

  /** One more than an alert holds, so that each stream has two alerts. */
  const TWO_ALERTS = 121;

  const runHere = (options: ConnectorOptions = {}) =>
    runConnector(here, platform, { fields, ...options, env: here.env });
  const findingIds = (alerts: Record<string, unknown>[]): unknown[] =>
    alerts.flatMap(({ events }) => (events as Record<string, unknown>[]).map((event) => event["finding_id"]));

  it("delivers every finding once, and later only what is new", async () => {
    await serve(TWO_ALERTS);
    const first = await runConnector(installation, platform, { fields });
    expect(first.exitCode).toBe(0);
    expect(new Set(findingIds(first.alerts)).size).toBe(2 * TWO_ALERTS);
    expect(first.alerts).toHaveLength(4);
    const again = await runHere();
    expect(again).toMatchObject({ exitCode: 0, alerts: [] });
    const [environment, findingType] = pairOf(first.alerts[0]);
    tenant.control.analyse(environment, { findings: { [findingType]: 2 } });
    const later = await runHere();
    expect(later.alerts).toMatchObject([{ rule_generator: findingType, source_grouping_identifier: environment }]);
    expect(findingIds(later.alerts)).toHaveLength(2);
  });

  it("gives an alert the same id when a run is repeated", async () => {
    await serve(TWO_ALERTS);
    const first = await runHere();
    platform.properties.clear();
    const again = await runHere();
    const ids = (alerts: Record<string, unknown>[]) => alerts.map(({ display_id }) => display_id).sort();
    expect(ids(again.alerts)).toEqual(ids(first.alerts));
    expect(new Set(ids(first.alerts)).size).toBe(first.alerts.length);
  });

  it("asks again for what overflowed until the platform has it all", async () => {
    await serve(TWO_ALERTS);
    platform.properties.set("4/overflow_settings/overflow_settings", '{"max_alerts_in_time_period": 2}');
    const seen = new Set<unknown>();
    for (let round = 0; round < 2; round += 1) {
      const { exitCode, alerts, overflowed, log } = await runHere();
      const postponed = log.filter(({ message }) => message.includes("The next run delivers them."));
      expect([exitCode, alerts.length, overflowed.length]).toEqual([0, 2, 0]);
      expect(postponed).toHaveLength(round === 0 ? 1 : 0);
      for (const id of findingIds(alerts)) seen.add(id);
      for (const key of platform.properties.keys()) if (key.endsWith("/overflow_data")) platform.properties.delete(key);
    }
    expect(seen.size).toBe(2 * TWO_ALERTS);
    expect(await runHere()).toMatchObject({ exitCode: 0, alerts: [] });
  });

  it.each([0, 1])(
    "repeats nothing although a finding type, number %i, overflows from the first alert on",
    async (number) => {
      platform.properties.set("4/overflow_settings/overflow_settings", '{"max_alerts_in_time_period": 2}');
      const [environment] = tenant.data.environments;
      const type = tenant.data.findingTypes(environment!.id)[number]!;
      const full = { digestion_times: [Date.now(), Date.now()], last_notification_time: 0 };
      const key = `4/${connectorIdentifier}/overflow_data`;
      platform.properties.set(key, JSON.stringify({ [`|Default Environment|Attack Path Analysis|${type}`]: full }));
      const first = await runHere();
      expect(first.alerts).toHaveLength(2);
      expect(first.alerts.map((alert) => alert["rule_generator"])).not.toContain(type);
      platform.properties.delete(key);
      const second = await runHere();
      expect(second.alerts.map((alert) => alert["rule_generator"])).toEqual([type, type]);
      expect(new Set(findingIds([...first.alerts, ...second.alerts])).size).toBe(2 * 2 * 3);
      expect(await runHere()).toMatchObject({ exitCode: 0, alerts: [] });
    },
  );

  it("delivers a sample in a test run and remembers nothing", async () => {
    const { exitCode, alerts } = await runHere({ test: true });
    expect(exitCode).toBe(0);
    expect(alerts.length).toBeGreaterThan(0);
    expect([...platform.properties.keys()]).toEqual([]);
  });

  it("fails with a wrong key, and when the tenant is down", async () => {
    const wrong = await runHere({ fields: { ...fields, "Token Key": "a-key-of-somebody-else" } });
    expect(wrong).toMatchObject({ exitCode: 1, alerts: [] });
    expect(wrong.stderr).not.toContain("somebody-else");
    await tenant.close();
    expect(await runHere()).toMatchObject({ exitCode: 1, alerts: [] });
  });

  it("says which field is missing", async () => {
    const { exitCode, stderr } = await runHere({ fields: { ...fields, Server: "" } });
    expect(exitCode).toBe(1);
    expect(stderr).toContain("Server");
  });

  it("names events and products by the fields that the platform asks for", async () => {
    const { alerts } = await runHere({
      fields: { ...fields, DeviceProductField: "vendor_product", EventClassId: "event_kind" },
      test: true,
    });
    const [event] = alerts[0]!["events"] as Record<string, unknown>[];
    expect(event).toMatchObject({ vendor_product: "Attack Path Analysis", event_kind: alerts[0]?.["rule_generator"] });
  });
});

function pairOf(alert: Record<string, unknown> | undefined): [string, string] {
  return [String(alert?.["source_grouping_identifier"]), String(alert?.["rule_generator"])];
}
