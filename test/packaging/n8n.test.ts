import { beforeAll, describe, expect, it } from "@jest/globals";
import { createHash } from "node:crypto";
import { request as httpRequestOf } from "node:http";
import { manifest } from "../../src/generated/manifest.ts";
import { buildPackages } from "../../src/packaging/build.ts";
import { n8n } from "../../src/packaging/n8n/index.ts";
import { requestHelperTransport, throughHelper } from "../../src/packaging/n8n/node/request-helper-transport.ts";
import { camelCase } from "../../src/packaging/n8n/node/properties.ts";
import type { AuthenticatedRequest, Item, NodeDescription } from "../../src/packaging/n8n/node/n8n.ts";
import { path, requestTarget } from "../../src/service/http/target.ts";
import type { Tenant } from "../../sandbox/tenant/index.ts";
import { executeFunctions, httpRequest, legacyRequest, loadN8nPackage, type N8nPackage } from "../support/n8n.ts";
import { exampleParameters } from "../support/requests.ts";
import { rootDir } from "../support/package.ts";
import { startTenant } from "../support/tenant.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { readFile } from "node:fs/promises";

let built: N8nPackage;
let tenant: Tenant;
let credential: { server: string; tokenId: string; tokenKey: string };

beforeAll(async () => {
  built = await loadN8nPackage();
  tenant = await startTenant({ dataset: { environments: 2, findingTypes: 3, findingsPerPair: 20 } });
  credential = { server: tenant.url, tokenId: tenant.tokenId, tokenKey: tenant.tokenKey };
});

function execute(parameters: Record<string, unknown>, more: Partial<Parameters<typeof executeFunctions>[1]> = {}) {
  return built.node.execute.call(executeFunctions(built.node.description, { credential, parameters, ...more }));
}

function operations({ properties }: NodeDescription): string[] {
  const list = properties.find(({ name }) => name === "operation")?.options as { name: string }[];
  return list.map(({ name }) => name);
}

const ids = (items: readonly Item[] = []) => items.map(({ json }) => json["id"] as string);

describe("the package for n8n", () => {
  it("has a node, a trigger and a credential, and needs nothing installed", () => {
    const about = JSON.parse(String(built.files.get("package.json"))) as Record<string, unknown>;
    expect(about).toMatchObject({
      name: "n8n-nodes-attack-path-analysis",
      version: manifest.version,
      keywords: ["n8n-community-node-package"],
      peerDependencies: { "n8n-workflow": "*" },
    });
    expect(Object.keys(about)).not.toContain("dependencies");
    const icon = "attack-path-analysis.svg";
    for (const folder of ["dist/nodes/AttackPathAnalysis", "dist/credentials"])
      expect(built.files.has(`${folder}/${icon}`)).toBe(true);
    expect(built.node.description).toMatchObject({ usableAsTool: true, icon: `file:${icon}` });
    expect(built.trigger.description).toMatchObject({ polling: true, inputs: [] });
  });

  it("reads no environment and no files, and opens no connection of its own", () => {
    const code = String(built.files.get("dist/plugin.js"));
    expect(code.includes("process.env")).toBe(false);
    const required = [...code.matchAll(/require\("([^"]+)"\)/g)].map(([, name]) => name?.replace("node:", ""));
    for (const name of ["fs", "fs/promises", "http", "https", "net", "tls", "child_process"])
      expect(required).not.toContain(name);
  });

  it("has the same bytes each time", async () => {
    const outDir = temporaryFolder();
    const [artefact] = await buildPackages({ rootDir, outDir, targets: [n8n] });
    const hash = (content: Buffer) => createHash("sha256").update(content).digest("hex");
    expect(hash(await readFile(artefact!.path))).toBe(hash(built.tarball));
  });

  it("offers every action of the manifest, the findings, and its job", () => {
    expect(operations(built.node.description)).toEqual([
      ...manifest.actions.map(({ name }) => name),
      "Get New Findings",
      ...manifest.jobs.map(({ name }) => name),
    ]);
  });

  it("holds workflows whose nodes and parameters exist", () => {
    const workflows = [...built.files].filter(([path]) => path.startsWith("workflows/"));
    expect(workflows).toHaveLength(4);
    for (const [, content] of workflows) {
      const { nodes } = JSON.parse(String(content)) as {
        nodes: { type: string; parameters: Record<string, string> }[];
      };
      const own = nodes.filter(({ type }) => type === "n8n-nodes-attack-path-analysis.attackPathAnalysis");
      expect(own).toHaveLength(1);
      const { operation = "", ...parameters } = own[0]!.parameters;
      const offered = built.node.description.properties.filter(({ displayOptions }) =>
        displayOptions?.show["operation"]?.includes(operation),
      );
      const names = (properties: typeof offered) => properties.map(({ name }) => name);
      const given = Object.keys(parameters);
      // n8n gives a node the default of each parameter that a workflow does not name.
      expect(names(offered)).toEqual(expect.arrayContaining(given));
      expect(given).toEqual(expect.arrayContaining(names(offered.filter(({ required }) => required === true))));
    }
  });
});

describe("a message that the plugin writes in pieces", () => {
  it("is taken as one: an alert of hundreds of findings", async () => {
    const {
      url: server,
      tokenId,
      tokenKey,
    } = await startTenant({
      dataset: { environments: 1, findingTypes: 1, findingsPerPair: 200 },
    });
    const more = { credential: { server, tokenId, tokenKey } };
    const [alerts = [], [checkpoint] = []] = await execute({ operation: "getNewFindings" }, more);
    expect(alerts.map(({ json }) => (json["events"] as unknown[]).length)).toEqual([200]);
    expect(JSON.stringify(alerts[0]).length).toBeGreaterThan(65_536);
    expect(checkpoint?.json["status"]).toBe("completed");
  });
});

describe("the credential for n8n", () => {
  const test = (data: object) =>
    built.node.methods.credentialTest["attackPathAnalysisTest"]!.call(
      { helpers: { request: legacyRequest } },
      { data },
    );

  it("hides the token key, and is tested with Ping", async () => {
    expect(built.credential.properties.map(({ name }) => name)).toEqual(["server", "tokenId", "tokenKey"]);
    expect(built.credential.properties[2]).toMatchObject({ typeOptions: { password: true } });
    expect(await test(credential)).toEqual({
      status: "OK",
      message: expect.stringMatching(/^Successfully connected .* can see 2 environments/),
    });
    expect(await test({ ...credential, tokenKey: "wrong" })).toEqual({
      status: "Error",
      message: expect.stringContaining("Token Key"),
    });
    expect(await test({ ...credential, server: "http://example.test" })).toMatchObject({ status: "Error" });
  });

  it.each([
    ["uri", { uri: "PATH", qs: { limit: 1, environments: ["a b", "c&d"] } }],
    ["url", { url: "PATH?limit=1&skip=0" }],
  ])("signs a request of the HTTP Request node that has %s", async (_name, shape) => {
    const path = `${tenant.url}/api/v2/available-domains`;
    const request = JSON.parse(
      JSON.stringify({ method: "GET", ...shape }).replace("PATH", path),
    ) as AuthenticatedRequest;
    const signed = await built.credential.authenticate(credential, request);
    const url = signed.url ?? signed.uri!;
    const status = await new Promise<number | undefined>((resolve, reject) => {
      httpRequestOf(url, { headers: signed.headers as Record<string, string> }, (response) => {
        response.resume();
        resolve(response.statusCode);
      })
        .on("error", reject)
        .end();
    });
    expect(status).toBe(200);
  });

  it("signs no request to another server", async () => {
    await expect(built.credential.authenticate(credential, { url: "https://other.test/api/v2/self" })).rejects.toThrow(
      `The request goes to https://other.test, but the credential is for ${tenant.url}.`,
    );
  });
});

describe("an action in n8n", () => {
  it.each(manifest.actions.map((action) => [action.name, action] as const))("runs %s", async (_name, action) => {
    const examples = Object.entries(exampleParameters(action.name));
    const parameters = Object.fromEntries(examples.map(([name, value]) => [camelCase(name), value]));
    const operation = (built.node.description.properties[0]!.options as { name: string; value: string }[]).find(
      ({ name }) => name === action.name,
    )!.value;
    const demo = await startTenant();
    const ofDemo = { server: demo.url, tokenId: demo.tokenId, tokenKey: demo.tokenKey };
    const [items = []] = await execute({ ...parameters, operation }, { credential: ofDemo });
    expect(items.length).toBeGreaterThan(0);
    for (const { pairedItem } of items) expect(pairedItem).toEqual({ item: 0 });
  });

  it("makes an item of each name, or one of the whole result", async () => {
    const parameters = { operation: "getObjectId", objectNames: ["x, with a comma", "y"] };
    const [each] = await execute(parameters);
    expect(each!.map(({ json }) => json["name"])).toEqual(["x, with a comma", "y"]);
    const [whole] = await execute({ ...parameters, output: "result" });
    expect(whole).toHaveLength(1);
    expect(whole![0]!.json).toMatchObject({ status: "completed", value: false, message: expect.any(String) });
  });

  it("checks the findings of an alert", async () => {
    const [alerts] = await execute({ operation: "getNewFindings", options: { maxAlerts: 1 } });
    const [paths] = await execute({ operation: "doesPathExist", alert: JSON.stringify(alerts![0]!.json) });
    expect(paths!.length).toBeGreaterThan(0);
  });

  it("runs once for each input item, and says which one it was", async () => {
    const input = [{ json: {} }, { json: {} }];
    const parameters = (item: number) => ({ operation: "getObjectId", objectNames: `name ${item}` });
    const [items] = await built.node.execute.call(
      executeFunctions(built.node.description, { credential, input, parameters }),
    );
    expect(items!.map(({ json, pairedItem }) => [json["name"], pairedItem?.item])).toEqual([
      ["name 0", 0],
      ["name 1", 1],
    ]);
  });

  it("shows what to do when the service refuses the credential", async () => {
    const wrong = { ...credential, tokenKey: "wrong" };
    await expect(execute({ operation: "getObjectId", objectNames: "a" }, { credential: wrong })).rejects.toMatchObject({
      name: "NodeApiError",
      httpCode: "401",
      itemIndex: 0,
      description: expect.stringContaining("Token Key"),
    });
  });

  it("shows what to enter when a parameter cannot be used", async () => {
    await expect(execute({ operation: "getObjectId", objectNames: "[a" + "]" })).rejects.toMatchObject({
      name: "NodeOperationError",
      message: expect.stringContaining('Parameter "Object Names"'),
    });
    await expect(execute({ operation: "doesPathExist", alert: "{" })).rejects.toMatchObject({
      message: 'Parameter "Alert" is not JSON.',
    });
  });

  it("goes on with the next item when it should, and keeps the error in its place", async () => {
    const input = [{ json: {} }, { json: {} }];
    const parameters = (item: number) => ({ operation: "getObjectId", objectNames: item === 0 ? "[x]" : "y" });
    const n8nFunctions = executeFunctions(built.node.description, {
      credential,
      input,
      parameters,
      continueOnFail: true,
    });
    const [items] = await built.node.execute.call(n8nFunctions);
    expect(items).toEqual([
      { json: { error: expect.stringContaining('Parameter "Object Names"') }, pairedItem: { item: 0 } },
      { json: expect.objectContaining({ name: "y" }), pairedItem: { item: 1 } },
    ]);
  });

  it("waits a second before it goes on with what the service has refused", async () => {
    const refusing = await startTenant({ dataset: { environments: 1, findingTypes: 1, findingsPerPair: 2 } });
    const ofRefusing = { server: refusing.url, tokenId: refusing.tokenId, tokenKey: refusing.tokenKey };
    const refused = "REFUSED";
    refusing.control.fault({
      path: "search",
      query: { q: refused },
      times: 1,
      effect: { kind: "status", status: 429 },
    });
    const sent: number[] = [];
    const send: typeof httpRequest = (options) => {
      if (options.url.includes(refused)) sent.push(performance.now());
      return httpRequest(options);
    };
    const parameters = { operation: "getObjectId", objectNames: ["known", refused] };
    const [items] = await execute(parameters, { credential: ofRefusing, send });
    expect(items!.map(({ json }) => json["name"])).toEqual(["known", refused]);
    expect(sent[1]! - sent[0]!).toBeGreaterThanOrEqual(1_000);
  });

  it("stops when the execution is cancelled", async () => {
    const cancel = new AbortController();
    const send: typeof httpRequest = (options) => {
      cancel.abort();
      return httpRequest(options);
    };
    await expect(
      execute({ operation: "getObjectId", objectNames: "a" }, { cancelled: cancel.signal, send }),
    ).rejects.toMatchObject({
      description: expect.stringContaining("The run was stopped before the service responded."),
    });
  });
});

describe("a limit that is no number", () => {
  it.each(["abc", 0, -1, 1.5])("is refused with its name: %j", async (value) => {
    for (const [name, title] of [
      ["maxAlerts", "Most Alerts"],
      ["maxEventsPerAlert", "Most Findings per Alert"],
    ] as const)
      await expect(execute({ operation: "getNewFindings", options: { [name]: value } })).rejects.toMatchObject({
        message: `${title} is not a whole number of at least 1.`,
      });
  });
});

describe("the timeout of the node", () => {
  /** A service that does not answer requests for these paths: they end when they are aborted. */
  const silentAbout = (paths: RegExp, ended: string[] = []) =>
    function send(options: Parameters<typeof httpRequest>[0]): Promise<unknown> {
      if (!paths.test(options.url)) return httpRequest(options);
      return new Promise((_, reject) => {
        options.abortSignal!.addEventListener("abort", () => {
          ended.push(options.url);
          reject(options.abortSignal!.reason as Error);
        });
      });
    };

  it("ends a run and its requests, and says so", async () => {
    const ended: string[] = [];
    const parameters = { operation: "getObjectId", objectNames: "a", options: { timeout: 0.3 } };
    await expect(execute(parameters, { send: silentAbout(/./, ended) })).rejects.toMatchObject({
      name: "NodeApiError",
      description: expect.stringContaining("deadline"),
    });
    expect(ended).toHaveLength(1);
  });

  it("returns what an action has found out by then as its whole result, and says elsewhere how to get it", async () => {
    const [name] = [...tenant.data.graph.nodes].filter(({ kind }) => kind === "User").map((node) => node.name);
    const parameters = {
      operation: "getObjectId",
      objectNames: JSON.stringify([name, "SLOW"]),
      options: { timeout: 2 },
    };
    const silent = { send: silentAbout(/SLOW/) };
    const [[whole] = []] = await execute({ ...parameters, output: "result" }, silent);
    expect(whole!.json).toMatchObject({ status: "in_progress", objects: [{ name, status: "found" }] });
    await expect(execute(parameters, silent)).rejects.toMatchObject({
      description: expect.stringContaining("raise Timeout among the options, or ask for less. The whole result has"),
    });
  });

  it("lets Get New Findings return what it has read, and go on from there", async () => {
    const [, type] = tenant.data.findingTypes(tenant.data.environments[0]!.id);
    const parameters = { operation: "getNewFindings", options: { timeout: 1.5 } };
    const silent = { send: silentAbout(new RegExp(`/details.*finding=${type}`)) };
    const [some, [place] = []] = await execute(parameters, silent);
    expect(place!.json["status"]).toBe("partial");
    const [others] = await execute({ ...parameters, checkpoint: place!.json["checkpoint"] });
    expect(some!.length).toBeGreaterThan(0);
    expect(others!.length).toBeGreaterThan(0);
    expect(new Set([...ids(some), ...ids(others)]).size).toBe(6);
    expect(ids(some).length + ids(others).length).toBe(6);
  });
});

describe("Get New Findings in n8n", () => {
  /** The workflow of the guide: it stores the alerts, and then the checkpoint. A kill comes in between. */
  async function workflow(kills: readonly boolean[]) {
    const stored = new Map<string, Item>();
    let checkpoint = "";
    let repeated = 0;
    for (const killed of kills) {
      const parameters = { operation: "getNewFindings", checkpoint, options: { maxAlerts: 2, maxEventsPerAlert: 10 } };
      const [alerts = [], places] = await execute(parameters);
      for (const [index, id] of ids(alerts).entries()) {
        if (stored.has(id)) repeated += 1;
        stored.set(id, alerts[index]!);
      }
      if (!killed) checkpoint = places![0]!.json["checkpoint"] as string;
    }
    const findings = [...stored.values()].flatMap(({ json }) => json["events"] as { finding_id: string }[]);
    return { stored, repeated, findings };
  }

  it("loses nothing when a workflow is killed before it stores the checkpoint, and repeats known alerts only", async () => {
    const { stored, repeated, findings } = await workflow([
      false,
      true,
      false,
      true,
      true,
      false,
      false,
      false,
      false,
      false,
      false,
    ]);
    const expected = 2 * 3 * 20;
    expect(findings).toHaveLength(expected);
    expect(repeated).toBe(6);
    expect(stored.size).toBe(12);
  });

  it("keeps the place where it was when it fails and goes on", async () => {
    const [alerts, places] = await execute(
      { operation: "getNewFindings" },
      { credential: { ...credential, tokenKey: "wrong" }, continueOnFail: true },
    );
    expect(alerts).toEqual([{ json: { error: expect.any(String) }, pairedItem: { item: 0 } }]);
    expect(places).toEqual([]);
  });

  it("hands a failed run's checkpoint to the workflow, so that the next run asks more slowly", async () => {
    const refusing = await startTenant({ dataset: { environments: 1, findingTypes: 1, findingsPerPair: 2 } });
    const ofRefusing = { server: refusing.url, tokenId: refusing.tokenId, tokenKey: refusing.tokenKey };
    const run = (checkpoint: string) =>
      execute({ operation: "getNewFindings", checkpoint }, { credential: ofRefusing });
    refusing.control.fault({ effect: { kind: "status", status: 429 } });
    const rates = [];
    let checkpoint = "";
    for (let runs = 0; runs < 2; runs++) {
      const [alerts, [place] = []] = await run(checkpoint);
      expect(alerts).toEqual([]);
      expect(place).toEqual({
        json: {
          checkpoint: expect.any(String),
          status: "failed",
          message: expect.stringContaining("Nothing could be read."),
          alerts: 0,
          findings: 0,
        },
        pairedItem: { item: 0 },
      });
      checkpoint = place!.json["checkpoint"] as string;
      rates.push((JSON.parse(checkpoint) as { requestsPerSecond: number }).requestsPerSecond);
    }
    expect(rates[1]).toBeLessThan(rates[0]!);
    refusing.control.clearFaults();
    const [alerts, [place] = []] = await run(checkpoint);
    expect([alerts!.length, place!.json["status"]]).toEqual([1, "completed"]);
  });

  it("refuses a checkpoint that is none before it reads anything", async () => {
    const before = tenant.requests.length;
    await expect(execute({ operation: "getNewFindings", checkpoint: "not json" })).rejects.toMatchObject({
      name: "NodeOperationError",
      message: 'Parameter "Checkpoint" is not JSON (8 characters).',
    });
    expect(tenant.requests).toHaveLength(before);
  });

  it("never shows the token key", async () => {
    const functions = executeFunctions(built.node.description, {
      credential,
      parameters: { operation: "getNewFindings" },
    });
    const outputs = await built.node.execute.call(functions);
    expect(JSON.stringify([outputs, functions.logged])).not.toContain(credential.tokenKey);
  });
});

describe("the transport through the request helper of n8n", () => {
  const outgoing = (target: string) => ({
    method: "GET" as const,
    target,
    headers: {},
    signal: new AbortController().signal,
    largestBody: 1e6,
    onHead: () => undefined,
    onBody: () => undefined,
  });

  it("sends each target byte for byte", async () => {
    const name = "!'()*,;:@&=+$/?#[]~% ü\\|\"<>^`{}";
    const target = requestTarget("", path`/api/v2/users/${name}/members`, [[name, name]]);
    const before = tenant.requests.length;
    await requestHelperTransport(tenant.url, throughHelper(httpRequest)).send(outgoing(target));
    expect(tenant.requests.slice(before)).toEqual([expect.objectContaining({ target })]);
  });

  it("refuses a target that a URL parser would change", async () => {
    const transport = requestHelperTransport(tenant.url, throughHelper(httpRequest));
    await expect(transport.send(outgoing("/api/v2/users/%2E%2E/members"))).rejects.toThrow("consists of dots only");
    expect(transport.used).toBe(false);
  });
});
