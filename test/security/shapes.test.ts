import { afterEach, beforeAll, describe, expect, it } from "@jest/globals";
import type { Tenant } from "../../sandbox/tenant/index.ts";
import { ask, askHere } from "../support/command-line.ts";
import { TestHost } from "../support/host.ts";
import { startTenant } from "../support/tenant.ts";

let tenant: Tenant;
let host: TestHost;
let objectId: string;
let environmentId: string;
beforeAll(async () => {
  tenant = await startTenant();
  host = new TestHost(tenant);
  objectId = [...tenant.data.graph.nodes].find(({ kind }) => kind === "User")?.objectId ?? "";
  environmentId = tenant.data.environments[0]?.id ?? "";
});
afterEach(() => {
  tenant.control.clearFaults();
});

/** A JSON text that is nested so deep. */
function nested(depth: number, open: string, close: string): string {
  return `${open.repeat(depth)}1${close.repeat(depth)}`;
}

const deep: [what: string, json: string][] = [
  ["lists", nested(5_000, "[", "]")],
  ["objects", nested(5_000, '{"a":', "}")],
  ["objects under the key __proto__", nested(5_000, '{"__proto__":', "}")],
  ["both", nested(50_000, '[{"b":', "}]")],
];
const strange = '{"__proto__":{"a":1},"constructor":"c","hasOwnProperty":1,"toString":null,"name":"N"}';

/** Answers every request to these paths with a record that has this member. */
function answerWith(path: string, json: string): void {
  tenant.control.fault({ path, effect: { kind: "body", transform: () => `{"data":${json}}` } });
}

describe("values that are nested too deep", () => {
  it.each(deep)("cut off the rest of an asset's properties: %s", async (_, json) => {
    answerWith("users/[^/]+$", `{"props":{"name":"N","deep":${json}},"kinds":["User"],"members":${json}}`);
    const { result, stderr } = await host.act({ name: "Fetch Assets", parameters: { "Object IDs": objectId } });
    expect([result.status, result.value, stderr]).toEqual(["completed", true, ""]);
    expect(JSON.stringify(result.json)).toContain("…");
    const line = await askHere(tenant, ["assets", objectId, "--json"]);
    expect([line.code, line.error]).toEqual([0, ""]);
    expect(line.out).toContain("…");
    expect(await askHere(tenant, ["assets", objectId])).toMatchObject({ code: 0, error: "" });
  });

  it.each(deep)("cut off the rest of a meta tree: %s", async (_, json) => {
    await expectTreeCutOff(json, askHere);
  });

  it("cut off the rest of a meta tree in a process of the command line, too", async () => {
    await expectTreeCutOff(nested(50_000, '[{"b":', "}]"), ask);
  });

  async function expectTreeCutOff(json: string, asking: typeof ask | typeof askHere): Promise<void> {
    answerWith("meta-trees", `{"n":{"label":{"text":"N"},"data":{"deep":${json}}}}`);
    const { code, out, error } = await asking(tenant, ["meta-tree", environmentId, "--json"]);
    expect([code, error]).toEqual([0, ""]);
    expect(out).toContain("…");
  }
});

describe("keys that objects of JavaScript have themselves", () => {
  it("are properties of an asset like others", async () => {
    answerWith("users/[^/]+$", `{"props":${strange},"kinds":["User"],"__proto__":3,"constructor":4}`);
    const { result } = await host.act({ name: "Fetch Assets", parameters: { "Object IDs": objectId } });
    const [asset] = (result.json as { assets: { properties: object; counts: object }[] }).assets;
    expect(Object.entries(asset?.properties ?? {})).toEqual(
      expect.arrayContaining([
        ["__proto__", { a: 1 }],
        ["constructor", "c"],
      ]),
    );
    expect(Object.entries(asset?.counts ?? {})).toEqual(
      expect.arrayContaining([
        ["__proto__", 3],
        ["constructor", 4],
      ]),
    );
    const { code, error, out } = await askHere(tenant, ["assets", objectId, "--json"]);
    expect([code, error]).toEqual([0, ""]);
    expect(out).toMatch(/"__proto__": \{\s+"a": 1/);
  });

  it("are nodes and edges of a meta tree like others", async () => {
    const node = '{"label":{"text":"N"}}';
    const keys = ["__proto__", "constructor", "toString", "hasOwnProperty"];
    const edges = keys.map((key, index) => `"e${index}":{"id1":"${key}","id2":"${keys[(index + 1) % keys.length]}"}`);
    answerWith("meta-trees", `{${[...keys.map((key) => `"${key}":${node}`), ...edges].join(",")}}`);
    for (const form of ["json", "dot", "svg"]) {
      const { code, error, out } = await askHere(tenant, ["meta-tree", environmentId, "--format", form]);
      expect([form, code, error]).toEqual([form, 0, ""]);
      if (form === "svg")
        expect([out.match(/<g><rect/g), out.match(/<polyline/g)].map((all) => all?.length)).toEqual([4, 4]);
      else for (const key of keys) expect(out).toContain(`"${key}"`);
    }
  });
});

describe("a chain of 2,500 objects", () => {
  it("is drawn", async () => {
    const nodes = Array.from({ length: 2_500 }, (_, at) => `"n${at}":{"label":{"text":"N${at}"}}`);
    const edges = nodes.slice(1).map((_, at) => `"e${at}":{"id1":"n${at}","id2":"n${at + 1}","label":{"text":"E"}}`);
    answerWith("meta-trees", `{${[...nodes, ...edges].join(",")}}`);
    const { code, error, out } = await ask(tenant, ["meta-tree", environmentId, "--format", "svg"]);
    expect([code, error]).toEqual([0, ""]);
    expect(out.match(/<g><rect/g)).toHaveLength(2_500);
  });
});
