import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { HostError, openHost, PackageRefused, type Host } from "../../../sandbox/soar/index.ts";
import type { JsonObject } from "../../../src/runtime/protocol.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { zipOf } from "../../support/zip.ts";
import { FIELDS, packageFiles, plugin, TOKEN_KEY } from "./fake-package.ts";
import { IDENTIFIER, installed } from "./running.ts";

const folder = temporaryFolder();
let data: string;
let host: Host;
let round = 0;
beforeEach(() => {
  data = join(folder, `host-${(round += 1)}`);
  host = openHost({ data });
});
afterEach(() => host.close());

const MISSING_FIELD = "There is no Only Newer in the settings of the connector. Reload the page, and try again.";

const input = (name: string, parameters: JsonObject = FIELDS) => ({ integration: IDENTIFIER, name, parameters });

/** A package of another version; `change` may edit its manifest. */
async function versioned(
  version: string,
  body = "result();",
  change = (manifest: JsonObject) => manifest,
): Promise<Buffer> {
  const files = await packageFiles(plugin(body));
  const manifest = JSON.parse(files.get("integration.json")!) as JsonObject;
  files.set("integration.json", JSON.stringify(change({ ...manifest, version })));
  files.set("CHANGELOG.md", `# Changelog\n\n## [Unreleased]\n\n## [${version}]\n\n- News.\n\n## [0.1.0]\n\n- Old.\n`);
  return zipOf(files);
}

describe("instances", () => {
  beforeEach(() =>
    installed(host, folder, `result({ value: request.instance["Token Key"] === "${TOKEN_KEY}", message: "Pong." });`),
  );

  it("show which secrets are set and never the secrets", () => {
    const added = host.instances.add(input("Tenant"));
    expect(added).toMatchObject({ name: "Tenant", integration: IDENTIFIER, secrets: ["Token Key"], lastTest: null });
    expect(added.parameters).toEqual({ Server: FIELDS.Server, "Token ID": "id" });
    expect(JSON.stringify(host.instances.list())).not.toContain(TOKEN_KEY);
  });

  it("keep a secret that is not entered again, and refuse an empty one", async () => {
    const { id } = host.instances.add(input("Tenant"));
    const changed = host.instances.change(id, input("Renamed", { Server: "https://b.test", "Token ID": "other" }));
    expect(changed).toMatchObject({
      name: "Renamed",
      parameters: { Server: "https://b.test" },
      secrets: ["Token Key"],
    });
    expect(await host.testInstance(id)).toMatchObject({ ok: true, message: "Pong." });
    expect(() => host.instances.change(id, input("Renamed", { ...FIELDS, "Token Key": " " }))).toThrow(
      "Token Key is empty",
    );
  });

  it("remember the outcome of their last test", async () => {
    const { id } = host.instances.add(input("Tenant", { ...FIELDS, "Token Key": "another-key" }));
    const outcome = await host.testInstance(id);
    expect(outcome).toMatchObject({ ok: false, message: "Pong." });
    expect(host.instances.view(id).lastTest).toEqual(outcome);
    expect(host.runView(outcome.runId)).toMatchObject({ name: "Ping", owner: "Tenant" });
  });

  it("tell every page when one is added, changed, tested or deleted", async () => {
    const told: string[] = [];
    host.live.on(({ type }) => {
      if (type === "instances") told.push("told");
    });
    const { id } = host.instances.add(input("Tenant"));
    host.instances.change(id, input("Renamed"));
    await host.testInstance(id);
    host.instances.remove(id);
    expect(told).toHaveLength(4);
  });

  it("have names of their own, and can be deleted", () => {
    const { id } = host.instances.add(input("Tenant"));
    expect(() => host.instances.add(input(" tenant "))).toThrow('Another instance is named "tenant"');
    expect(() => host.instances.add(input(" "))).toThrow("needs a name");
    host.instances.remove(id);
    expect(host.instances.list()).toEqual([]);
    expect(() => {
      host.instances.remove(id);
    }).toThrow("There is no instance");
    expect(() => host.instances.add({ ...input("x"), integration: "other" })).toThrow('no integration "other"');
  });
});

describe("connectors", () => {
  it("go on where they stood after a change, and begin again after a reset of their state", async () => {
    await installed(
      host,
      folder,
      `result({ json: { got: request.state }, checkpoint: { n: (request.state?.n ?? 0) + 1 } });`,
    );
    const { id } = host.connectors.add(input("Findings"));
    await host.runConnector(id);
    host.connectors.change(id, input("Renamed", { Server: "https://b.test", "Token ID": "id" }));
    expect((await host.runConnector(id)).json).toEqual({ got: { n: 1 } });
    host.connectors.resetState(id);
    expect((await host.runConnector(id)).json).toEqual({ got: null });
    expect(host.connectors.view(id)).toMatchObject({
      name: "Renamed",
      connector: "Attack Path Findings",
      lastRun: { status: "completed" },
    });
  });

  it("use the default of a field that is left blank", async () => {
    await installed(host, folder, "result();");
    const { id } = host.connectors.add(input("Findings", { ...FIELDS, "Run Every": "" }));
    expect(host.connectors.view(id)).toMatchObject({ runEveryMs: 600_000, parameters: { "Run Every": 10 } });
    const changed = host.connectors.change(id, input("Findings", { ...FIELDS, "Run Every": " " }));
    expect(changed.parameters["Run Every"]).toBe(10);
  });

  it("refuse what the version does not have", async () => {
    await installed(host, folder, "result();");
    const newer = input("Findings", { ...FIELDS, "Only Newer": "1" });
    const other = { ...input("Findings"), connector: "Other" };
    expect(() => host.connectors.add(newer)).toThrow(new HostError(400, MISSING_FIELD));
    expect(() => host.connectors.add(other)).toThrow(HostError);
  });

  it("several of one kind are apart, and one that is deleted leaves its cases and runs", async () => {
    await installed(host, folder, `send({ type: "alert", alert: alert("a", { findings: ["1", "2"] }) }); result();`);
    const [first, second] = [host.connectors.add(input("A")), host.connectors.add(input("B"))];
    await host.runConnector(first.id);
    await host.runConnector(second.id);
    expect(host.connectors.list().map(({ name, cases, events }) => [name, cases, events])).toEqual([
      ["A", 1, 2],
      ["B", 1, 2],
    ]);
    host.connectors.remove(first.id);
    expect(host.connectors.list().map(({ name }) => name)).toEqual(["B"]);
    expect([host.cases.list().total, host.records.list().total]).toEqual([1, 2]);
    expect(host.runView(host.records.list().rows[1]!.id)).toMatchObject({
      owner: "A",
      rerunRefusal: "The connector of this run was deleted.",
    });
  });
});

describe("versions of a package", () => {
  it("are compared before anything is installed", async () => {
    const inspected = await host.integrations.inspect(await versioned("1.2.0"));
    expect(inspected).toMatchObject({ version: "1.2.0", change: "install", currentVersion: null });
    expect(inspected.releaseNotes).toBe("## [1.2.0]\n\n- News.");
    expect(inspected.contents).toMatchObject({
      connectors: ["Attack Path Findings"],
      groupingRules: ["Attack path findings by source grouping identifier", "Attack path findings by source domain"],
    });
    expect(await host.integrations.list()).toEqual([]);
    await host.install(await versioned("1.2.0"));
    const changes = await Promise.all(
      ["1.2.0", "1.10.0", "1.1.9"].map(async (version) => host.integrations.inspect(await versioned(version))),
    );
    expect(changes.map(({ change }) => change)).toEqual(["same", "upgrade", "downgrade"]);
    const rebuilt = await host.integrations.inspect(await versioned("1.2.0", "result({ value: 2 });"));
    expect(rebuilt).toMatchObject({ change: "rebuild", currentVersion: "1.2.0" });
  });

  it("are installed once when several people install the same one at the same time", async () => {
    const archive = await versioned("0.2.0");
    const all = await Promise.all([archive, archive, archive, archive].map((bytes) => host.install(bytes)));
    expect(new Set(all.map(({ id }) => id)).size).toBe(1);
    expect((await host.integrations.list())[0]!.versions).toHaveLength(1);
  });

  it("damaged or foreign ones are refused with the reason", async () => {
    await expect(host.integrations.inspect(Buffer.from("no zip"))).rejects.toThrow(PackageRefused);
    const tampered = zipOf(await packageFiles("one"));
    tampered.write("X", tampered.indexOf("plugin.mjs") + 10);
    await expect(host.install(tampered)).rejects.toThrow(PackageRefused);
  });

  it("upgrade and roll back with all settings, states and cases", async () => {
    const says = (text: string) =>
      `result({ message: "${text}", json: { got: request.state }, checkpoint: { from: "${text}" } });`;
    await host.install(await versioned("1.0.0", says("old")));
    const connector = host.connectors.add(input("Findings"));
    const instance = host.instances.add(input("Tenant"));
    await host.runConnector(connector.id);
    await host.install(await versioned("2.0.0", says("new")));
    expect(await host.runConnector(connector.id)).toMatchObject({ message: "new", json: { got: { from: "old" } } });
    expect((await host.runAction(instance.id, "Ping", {})).message).toBe("new");
    const [{ versions, manifest } = { versions: [], manifest: { version: "" } }] = await host.integrations.list();
    expect(manifest.version).toBe("2.0.0");
    expect(versions.map(({ version, inUse }) => [version, inUse])).toEqual([
      ["2.0.0", true],
      ["1.0.0", false],
    ]);
    const rolledBack = await host.integrations.use(IDENTIFIER, versions[1]!.id);
    expect(rolledBack).toMatchObject({ manifest: { version: "1.0.0" }, instances: 1, connectors: 1 });
    expect(await host.runConnector(connector.id)).toMatchObject({ message: "old", json: { got: { from: "new" } } });
  });

  it("one without a connector that is in use is refused, and nothing changes", async () => {
    await host.install(await versioned("1.0.0"));
    host.connectors.add(input("Findings"));
    const without = await versioned("2.0.0", "result();", (manifest) => ({
      ...manifest,
      connectors: (manifest["connectors"] as JsonObject[]).map((one) => ({
        ...one,
        name: "Other",
        entry: "connectors/other.ts",
      })),
    }));
    await expect(host.install(without)).rejects.toThrow(
      'has no connector or job "Attack Path Findings", which Findings runs',
    );
    expect((await host.integrations.view(IDENTIFIER)).versions).toHaveLength(1);
  });

  it("are uninstalled together with instances and connectors, and leave cases and runs", async () => {
    const { id } = await host.install(
      await versioned("1.0.0", `send({ type: "alert", alert: alert("a") }); result();`),
    );
    const connector = host.connectors.add(input("Findings"));
    host.instances.add(input("Tenant"));
    await host.runConnector(connector.id);
    const removal = await host.integrations.removal(IDENTIFIER);
    expect(removal).toEqual({
      instances: ["Tenant"],
      connectors: ["Findings"],
      playbooks: [],
      versions: ["1.0.0"],
      keptCases: 1,
      keptRuns: 1,
    });
    expect(await host.integrations.remove(IDENTIFIER)).toEqual(removal);
    expect([host.instances.list(), host.connectors.list(), await host.integrations.list()]).toEqual([[], [], []]);
    expect(existsSync(join(data, "packages", id))).toBe(false);
    expect([host.cases.list().total, host.records.list().total]).toEqual([1, 1]);
    await host.install(await versioned("1.0.0"));
    expect(host.cases.view(host.cases.list().rows[0]!.id).alertList).toHaveLength(1);
  });
});
