import { beforeAll, describe, expect, it } from "@jest/globals";
import { manifest } from "../../src/generated/manifest.ts";
import type { Item } from "../../src/packaging/n8n/node/n8n.ts";
import { camelCase } from "../../src/packaging/n8n/node/properties.ts";
import type { Tenant } from "../../sandbox/tenant/index.ts";
import { executeFunctions, legacyRequest, loadN8nPackage, type N8nPackage } from "../support/n8n.ts";
import { startTenant } from "../support/tenant.ts";

let built: N8nPackage;
let tenant: Tenant;

beforeAll(async () => {
  built = await loadN8nPackage();
  tenant = await startTenant({ dataset: { environments: 1, findingTypes: 2, findingsPerPair: 2 } });
});

function credential() {
  return { server: tenant.url, tokenId: tenant.tokenId, tokenKey: tenant.tokenKey };
}

function execute(
  parameters: Record<string, unknown> | ((item: number) => Record<string, unknown>),
  more: Partial<Parameters<typeof executeFunctions>[1]> = {},
): Promise<Item[][]> {
  return built.node.execute.call(
    executeFunctions(built.node.description, { credential: credential(), parameters, ...more }),
  );
}

/** An alert as far as it is needed to be followed up. */
const ALERT = { id: "a", environmentId: "E", findingType: "T", events: [{ finding_id: "1", target_object_id: "S-1" }] };

describe("a list of choices in n8n", () => {
  it("calls the empty one by the word with which the description says what it does", () => {
    const declared = [
      ...manifest.connectors.flatMap(({ fields }) => fields),
      ...manifest.jobs.flatMap((job) => job.parameters),
    ];
    const names = declared.filter((parameter) => "choices" in parameter).map(({ name }) => camelCase(name));
    expect(names).toHaveLength(2);
    for (const name of names) {
      const property = built.node.description.properties.find((each) => each.name === name)!;
      const [empty] = property.options as { name: string; value: string }[];
      expect(empty).toEqual({ name: "Empty", value: "" });
      expect(property.description).toMatch(/ Empty (fetches all of them|keeps none open)\./);
    }
  });
});

describe("an expression that n8n cannot evaluate", () => {
  const fails = (name: string) =>
    Object.defineProperty({}, name, {
      get(): never {
        throw new Error("Referenced node doesn't exist");
      },
    });
  const input = [{ json: { n: 0 } }, { json: { n: 1 } }];

  it.each(["objectNames", "options"])("becomes the error of its item if the node goes on: %s", async (name) => {
    const parameters = (item: number) =>
      Object.assign(item === 0 ? fails(name) : {}, {
        operation: "getObjectId",
        ...(item === 1 && { objectNames: "y" }),
      });
    const [items] = await execute(parameters, { input, continueOnFail: true });
    expect(items).toEqual([
      { json: { error: "Referenced node doesn't exist" }, pairedItem: { item: 0 } },
      { json: expect.objectContaining({ name: "y" }), pairedItem: { item: 1 } },
    ]);
  });

  it("brings no checkpoint about, and lets no input through as an alert", async () => {
    const parameters = Object.assign(fails("checkpoint"), { operation: "getNewFindings" });
    expect(await execute(parameters, { input, continueOnFail: true })).toEqual([
      [0, 1].map((item) => ({ json: { error: "Referenced node doesn't exist" }, pairedItem: { item } })),
      [],
    ]);
  });

  it("fails the node otherwise", async () => {
    const parameters = Object.assign(fails("objectNames"), { operation: "getObjectId" });
    await expect(execute(parameters, { input })).rejects.toThrow("Referenced node doesn't exist");
  });
});

describe("a checkpoint", () => {
  it.each([
    ["the whole item that holds it", (item: object) => item],
    ["that item as a text", (item: object) => JSON.stringify(item)],
    ["a text in a text", ({ checkpoint }: { checkpoint: string }) => JSON.stringify(checkpoint)],
    ["a list", () => "[]"],
    ["a number", () => 5],
  ])("is refused if it is %s, which would begin each run anew", async (_, given) => {
    const [, [place] = []] = await execute({ operation: "getNewFindings" });
    const checkpoint = given(place!.json as { checkpoint: string });
    const before = tenant.requests.length;
    for (const operation of ["getNewFindings", "followUpFindings"])
      await expect(execute({ operation, checkpoint, alert: { id: "a", events: [] } })).rejects.toMatchObject({
        name: "NodeOperationError",
        message: 'Parameter "Checkpoint" is not a checkpoint.',
      });
    expect(tenant.requests).toHaveLength(before);
  });

  it.each(["", " ", "null", "{}", null, undefined, {}])("may be empty: %j", async (checkpoint) => {
    const [alerts] = await execute({ operation: "getNewFindings", checkpoint });
    expect(alerts).toHaveLength(2);
  });

  it("may be an object, as a database returns it", async () => {
    const [, [place] = []] = await execute({ operation: "getNewFindings" });
    const checkpoint: unknown = JSON.parse(place!.json["checkpoint"] as string);
    expect((await execute({ operation: "getNewFindings", checkpoint }))[0]).toEqual([]);
  });
});

describe("an empty parameter in n8n", () => {
  it.each([
    ["getObjectId", {}, "Object Names is empty.", "Enter it."],
    ["fetchAssets", {}, "Object IDs is empty.", "Enter it."],
    ["doesPathExist", { endNode: "X" }, "Start Node is empty.", "Enter it."],
    [
      "doesPathExist",
      {},
      "Start Node and End Node are empty, and the alert has no finding with a source and a target.",
      "Enter Start Node, or both.",
    ],
  ])("sends nobody to a case, which n8n does not have: %s %j", async (operation, parameters, message, description) => {
    await expect(execute({ operation, ...parameters })).rejects.toMatchObject({ message, description });
  });

  it("sends nobody there either if the findings of an alert join an object with itself", async () => {
    const alert = { events: [{ source_object_id: "S-1", target_object_id: "S-1" }] };
    await expect(execute({ operation: "doesPathExist", alert })).rejects.toMatchObject({
      message: expect.stringContaining("no finding of the alert has a source and a target that differ"),
      description: "Enter Start Node, or both.",
    });
  });
});

describe("the parameter Alert", () => {
  it.each([5, "[]", { alert: "{}" }, { events: "x" }])("is refused if it is not an alert: %j", async (alert) => {
    await expect(execute({ operation: "doesPathExist", startNode: "X", alert })).rejects.toMatchObject({
      name: "NodeOperationError",
      message: 'Parameter "Alert" is not an alert.',
      description: "Pass an alert of Get New Findings, for example {{ $json }}.",
    });
  });
});

describe("a selection of which an expression gives nothing", () => {
  it.each([undefined, null, "", " ", [], [""], "[]", '[""]', ", ", ",\n"])(
    "does not select everything: %j",
    async (value) => {
      const before = tenant.requests.length;
      for (const [operation, name, label] of [
        ["getNewFindings", "selectedEnvironments", "Selected Environments"],
        ["getNewFindings", "selectedFindingTypes", "Selected Finding Types"],
        ["followUpFindings", "selectedEnvironments", "Selected Environments"],
      ] as const)
        await expect(execute({ operation, [name]: value, alert: ALERT })).rejects.toMatchObject({
          name: "NodeOperationError",
          message: `${label} is empty.`,
          description: "Nothing was read. Enter All, which selects everything, or check the expression.",
        });
      expect(tenant.requests).toHaveLength(before);
    },
  );
});

describe("a parameter whose expression gives no value", () => {
  it.each([
    ["followUpFindings", "lowestSeverityKeptOpen", "Lowest Severity Kept Open", { alert: ALERT }],
    ["followUpFindings", "closeAlerts", "Close Alerts", { alert: ALERT }],
    ["getNewFindings", "maxHoursBackwards", "Max Hours Backwards", {}],
    ["doesPathExist", "startNode", "Start Node", { endNode: "X" }],
    ["doesPathExist", "endNode", "End Node", { startNode: "X" }],
    ["getObjectId", "objectNames", "Object Names", {}],
  ])("does not count as empty, which would mean something else: %s %s", async (operation, name, label, others) => {
    for (const value of [undefined, null])
      await expect(execute({ operation, ...others, [name]: value })).rejects.toMatchObject({
        name: "NodeOperationError",
        message: `The expression in ${label} gives no value.`,
        description: "Nothing was read. Correct it, or let it give an empty text.",
      });
  });
});

describe("the timeout of a run", () => {
  it.each(["abc", "", 0, -1, 1e13, Infinity, {}])("is refused if it is none: %j", async (timeout) => {
    const parameters = { operation: "getObjectId", objectNames: "a", options: { timeout } };
    await expect(execute(parameters)).rejects.toMatchObject({
      name: "NodeOperationError",
      message: "Timeout is not a number of seconds between 1 and 86400.",
      description: "Correct it among the options.",
    });
  });
});

describe("an empty field of the credential", () => {
  it.each([
    ["server", "Server"],
    ["tokenId", "Token ID"],
    ["tokenKey", "Token Key"],
  ])("is named with the place where it is entered: %s", async (name, label) => {
    for (const value of ["", " ", undefined]) {
      const incomplete = { ...credential(), [name]: value };
      for (const operation of ["ping", "getNewFindings", "followUpFindings"])
        await expect(execute({ operation, alert: {} }, { credential: incomplete })).rejects.toMatchObject({
          name: "NodeOperationError",
          message: `${label} is empty in the credential.`,
          description: "No request was sent. Enter it there, or check its expression.",
        });
      const test = built.node.methods.credentialTest["attackPathAnalysisTest"]!;
      expect(await test.call({ helpers: { request: legacyRequest } }, { data: incomplete })).toEqual({
        status: "Error",
        message: `${label} is empty in the credential. No request was sent. Enter it there, or check its expression.`,
      });
    }
  });
});

describe("a form as the body of a request", () => {
  it.each(["form", "formData"])("is not sent with a signature that does not cover it: %s", async (name) => {
    const request = { method: "POST", uri: `${tenant.url}/api/v2/x`, [name]: { a: 1 } };
    await expect(built.credential.authenticate(credential(), request)).rejects.toThrow(
      "The body of the request is a form, which cannot be signed. No request was sent. Send JSON or text.",
    );
  });
});
