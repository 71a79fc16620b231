import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { HostContractSchema } from "../../src/codegen/host-contract.ts";
import { HOST_CONTRACT_PATH } from "../../src/codegen/record-types.ts";
import { messageIn } from "../support/messages.ts";
import { rootDir } from "../support/package.ts";
import { actionRequest, connectorRequest } from "../support/requests.ts";

const schema = JSON.parse(readFileSync(join(rootDir, HOST_CONTRACT_PATH), "utf8")) as HostContractSchema;
const ajv = new Ajv2020({ allowUnionTypes: true, strictTypes: false });
addFormats.default(ajv);
ajv.addSchema(schema);

function fits(type: "Request" | "Message", value: unknown): boolean {
  return ajv.validate({ $ref: `${schema.$id}#/$defs/${type}` }, value);
}

/** The requests that docs/host-contract.md shows. */
function documentedRequests(): Record<string, unknown>[] {
  const page = readFileSync(join(rootDir, "docs/host-contract.md"), "utf8");
  const blocks = [...page.matchAll(/^```json\n(\{\n.*?)^```$/gms)].map(([, text = ""]) => JSON.parse(text) as object);
  return blocks.filter((block): block is Record<string, unknown> => "protocol" in block);
}

const alert = {
  id: "a-1",
  name: "Kerberoastable users in CORP.TEST",
  severity: "high",
  priority: 80,
  startTime: 0,
  endTime: 1,
  sourceGroupingIdentifier: "S-1-5-21-1",
  environmentId: "S-1-5-21-1",
  environmentName: "CORP.TEST",
  findingType: "Kerberoasting",
  title: "Kerberoastable users",
  description: "",
  product: "BloodHound Enterprise",
  vendor: "SpecterOps",
  tags: [],
  extensions: {},
  events: [{ finding_id: "1", impact_percentage: 12.5, accepted: false }],
};

describe("the schema of the host contract", () => {
  it("accepts the requests that hosts write and the documentation shows", () => {
    const documented = documentedRequests();
    expect(documented.map(({ kind }) => kind)).toEqual(expect.arrayContaining(["action", "connector"]));
    const requests = [
      ...documented,
      actionRequest("Ping", {}),
      connectorRequest({}, { tenant: "x" }, { maxAlerts: 1 }),
    ];
    for (const request of requests) expect([request, fits("Request", request)]).toEqual([request, true]);
  });

  it.each([
    ["an unknown kind", { kind: "report" }],
    ["another protocol", { protocol: 2 }],
    ["no name", { name: undefined }],
    ["a limit of no alerts", { run: { id: "", deadline: null, test: false, maxAlerts: 0 } }],
    ["a deadline that is no instant", { run: { id: "", deadline: "tomorrow", test: false } }],
  ])("refuses a request with %s", (_, change) => {
    const request = JSON.parse(JSON.stringify({ ...connectorRequest({}), ...change })) as unknown;
    expect(fits("Request", request)).toBe(false);
  });

  it("accepts each type of message, with members that a later version adds", () => {
    for (const message of [
      { type: "log", level: "info", message: "", fields: {} },
      { type: "progress", done: 0, total: 1, label: "streams" },
      { type: "alert", alert, checkpoint: { streams: null } },
      { type: "result", status: "completed", message: "Done.", value: null, later: true },
    ])
      expect([message, fits("Message", message)]).toEqual([message, true]);
  });

  it.each([
    ["an unknown type", { type: "greeting", message: "Hello." }],
    ["no type", { message: "Hello." }],
    ["a type that Object.prototype has", { type: "constructor" }],
    ["the members of another type", { type: "result", done: 0, total: 1, label: "" }],
    ["a nested value in an event", { type: "alert", alert: { ...alert, events: [{ finding_id: {} }] } }],
  ])("refuses a message with %s, and so do the hosts of the tests", (_, message) => {
    expect(fits("Message", message)).toBe(false);
    expect(() => messageIn(JSON.stringify(message))).toThrow("host contract");
  });

  it("as a whole takes a request or a message, and nothing else", () => {
    const isContract = ajv.getSchema(schema.$id);
    expect(
      [actionRequest("Ping", {}), { type: "progress", done: 0, total: 1, label: "" }].map((v) => isContract?.(v)),
    ).toEqual([true, true]);
    expect(isContract?.({})).toBe(false);
  });
});
