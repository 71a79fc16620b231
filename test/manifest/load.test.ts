import { readFile } from "node:fs/promises";
import { describe, expect, it } from "@jest/globals";
import { loadGroupingRule, loadManifest, loadMapping } from "../../src/manifest/load.ts";
import { ManifestError, type Problem } from "../../src/manifest/problems.ts";

const text = await readFile(new URL("../../integration.json", import.meta.url), "utf8");

describe("the manifest", () => {
  it("is valid as it stands", () => {
    expect(loadManifest(text).identifier).toBe("attack_path_analysis");
  });

  it("is read from parsed JSON as well", () => {
    expect(loadManifest(JSON.parse(text))).toEqual(loadManifest(text));
  });

  it.each<[string, string, unknown, Omit<Problem, "path">]>([
    [
      "an unknown parameter type",
      "/actions/2/parameters/0/type",
      "number",
      { expected: "one of string, list, integer, boolean", found: '"number"' },
    ],
    [
      "a missing description",
      "/actions/0/description",
      undefined,
      { expected: "a value, because it is required", found: "nothing" },
    ],
    ["a key that is not declared", "/actions/0/descripton", "x", { expected: "nothing here", found: '"x"' }],
    [
      "another instance parameter",
      "/instance/parameters/1/name",
      "API Token",
      { expected: '"Token ID"', found: '"API Token"' },
    ],
    ["a token key that is not secret", "/instance/parameters/2/secret", false, { expected: "true", found: "false" }],
    [
      "a secret with a default, without repeating it",
      "/instance/parameters/2/default",
      "hunter2",
      { expected: "null", found: "a text" },
    ],
    [
      "a version that is not semantic",
      "/version",
      "1.0",
      { expected: "a semantic version such as 1.2.3", found: '"1.0"' },
    ],
    [
      "an entry in camel case",
      "/actions/1/entry",
      "actions/getObjectId.ts",
      {
        expected: "the kebab-case path of a module, such as actions/fetch-assets.ts",
        found: '"actions/getObjectId.ts"',
      },
    ],
    [
      "an entry that is not named after its action",
      "/actions/1/entry",
      "actions/object-id.ts",
      { expected: "actions/get-object-id.ts", found: "actions/object-id.ts" },
    ],
    [
      "one name twice, letter case ignored",
      "/actions/3/name",
      "PING",
      { expected: "another text than /actions/0/name", found: "PING" },
    ],
    [
      "one parameter twice",
      "/connectors/0/fields/7/name",
      "Server",
      { expected: "another text than /connectors/0/fields/0/name", found: "Server" },
    ],
    [
      "a default of another type",
      "/connectors/0/fields/7/default",
      "10",
      { expected: "integer or null", found: "a text" },
    ],
    ["a default below the minimum", "/connectors/0/fields/7/default", 0, { expected: "at least 1", found: "0" }],
    ["a minimum on a text", "/connectors/0/fields/0/minimum", 1, { expected: "nothing here", found: "1" }],
    [
      "a mapping that the package does not list",
      "/connectors/0/mappings/0",
      "mappings/other.json",
      { expected: "one of mappings/attack-path-findings.json", found: "mappings/other.json" },
    ],
    [
      "a path out of the package",
      "/mappings/0",
      "../mappings/a.json",
      { expected: "a kebab-case path such as mappings/findings.json", found: '"../mappings/a.json"' },
    ],
    ["a list that is none", "/categories", "Identity", { expected: "array", found: '"Identity"' }],
    [
      "more requests than the service allows",
      "/service/requestsPerSecond",
      56,
      { expected: "at most 55", found: "56" },
    ],
  ])("is refused for %s", (_, path, value, problem) => {
    expect(problemsOf(() => loadManifest(withValue(path, value)))).toContainEqual({ path, ...problem });
  });

  it("is refused for a fourth instance parameter", () => {
    const manifest = JSON.parse(text) as { instance: { parameters: object[] } };
    manifest.instance.parameters.push({ ...manifest.instance.parameters[0], name: "Verify SSL" });
    expect(problemsOf(() => loadManifest(manifest))).toContainEqual({
      path: "/instance/parameters",
      expected: "at most 3 items",
      found: "an array of 4 items",
    });
  });

  it("is refused for a result schema that is no JSON Schema", () => {
    const schema = { type: "object", properties: { a: { $ref: "#/$defs/missing" } } };
    const [problem] = problemsOf(() => loadManifest(withValue("/actions/0/result/schema", schema)));
    expect(problem).toMatchObject({ path: "/actions/0/result/schema", expected: "a JSON Schema" });
    expect(problem?.found).toContain("#/$defs/missing");
  });

  it("is refused for a result schema with a keyword of the wrong type", () => {
    const schema = { type: "object", properties: { a: { type: "text" } } };
    const [problem] = problemsOf(() => loadManifest(withValue("/actions/0/result/schema", schema)));
    expect(problem).toMatchObject({ path: "/actions/0/result/schema", expected: "a JSON Schema" });
    expect(problem?.found).toContain("/type must be");
  });

  it("may give a result schema the $id that another manifest gave to its own", () => {
    for (const name of ["a", "b"]) {
      const schema = { $id: "https://example.test/result", type: "object", properties: { [name]: { type: "string" } } };
      expect(problemsOf(() => loadManifest(withValue("/actions/0/result/schema", schema)))).toEqual([]);
    }
  });

  it("is refused with all problems at once, in words that name the place, the expected and the found", () => {
    const manifest = { ...(JSON.parse(text) as object), name: "", version: 1 };
    expect(() => loadManifest(manifest)).toThrow(
      [
        "integration.json is not valid:",
        '  /name: expected at most 150 letters, digits, spaces and hyphens, found ""',
        "  /version: expected string, found 1",
      ].join("\n"),
    );
  });

  it("is refused when it is no JSON", () => {
    expect(() => loadManifest("{")).toThrow(/^integration\.json is not valid:\n {2}\/: expected JSON, found /);
  });
});

describe("a mapping", () => {
  const rules = [
    { target: "StartTime", field: "start_time", transform: "epoch-ms", kind: "metadata" },
    { target: "EndTime", field: "end_time", transform: "epoch-ms", kind: "metadata" },
    { target: "SourceUserName", field: "source_user", fallbackFields: ["source_principal_name"], kind: "entity" },
  ];
  const mapping = { source: "attack_path_analysis", product: "Attack Path Analysis", rules };

  it("is read with rules and a family", () => {
    const relation = { source: "SourceUserName", relation: "Linked", destination: "SourceUserName" };
    const family = { name: "Attack paths", description: "Principals", relations: [relation] };
    expect(loadMapping({ ...mapping, family })).toEqual({ ...mapping, family });
  });

  it.each<[string, object[], Problem]>([
    ["without an end time", rules.slice(0, 1), { path: "/rules", expected: "a rule for EndTime", found: "none" }],
    [
      "with a target that the ontology does not have",
      [...rules, { target: "SourceSid", field: "sid", kind: "metadata" }],
      {
        path: "/rules/3/target",
        expected:
          "one of StartTime, EndTime, Name, Message, CategoryOutcome, Severity, DeviceProduct, DeviceVendor, EventId, Type",
        found: '"SourceSid"',
      },
    ],
    [
      "with one target twice",
      [...rules, { target: "SourceUserName", field: "x", kind: "entity" }],
      { path: "/rules/3/target", expected: "another text than /rules/2/target", found: "SourceUserName" },
    ],
    [
      "that reads a time as text",
      [{ ...rules[0], transform: "text" }, ...rules.slice(1)],
      { path: "/rules/0/transform", expected: '"epoch-ms"', found: '"text"' },
    ],
  ])("is refused %s", (_, changed, problem) => {
    expect(problemsOf(() => loadMapping({ ...mapping, rules: changed }))).toContainEqual(problem);
  });

  it("is refused when its family relates what no rule fills", () => {
    const relation = { source: "SourceUserName", relation: "Linked", destination: "SourceDomain" };
    const family = { name: "Attack paths", description: "Principals", relations: [relation] };
    expect(problemsOf(() => loadMapping({ ...mapping, family }))).toEqual([
      { path: "/family/relations/0", expected: "ontology fields that a rule fills", found: "SourceDomain" },
    ]);
  });
});

describe("a grouping rule", () => {
  const rule = {
    name: "One case per source domain",
    category: "data-source",
    categoryDetails: ["attack_path_analysis"],
    groupBy: "entities",
    groupingEntities: ["SourceDomain"],
  };

  it("is read", () => {
    expect(loadGroupingRule(rule)).toEqual(rule);
  });

  it("is refused when it groups by entities and names none", () => {
    expect(problemsOf(() => loadGroupingRule({ ...rule, groupingEntities: undefined }))).toEqual([
      { path: "/groupingEntities", expected: "a value, because it is required", found: "nothing" },
    ]);
  });
});

function problemsOf(action: () => unknown): readonly Problem[] {
  try {
    action();
  } catch (error) {
    if (error instanceof ManifestError) return error.problems;
    throw error;
  }
  return [];
}

/** The shipped manifest with one value changed; undefined removes it. */
function withValue(path: string, value: unknown): unknown {
  const manifest: unknown = JSON.parse(text);
  const keys = path.split("/").slice(1);
  const last = keys.pop()!;
  const parent = keys.reduce((node, key) => (node as Record<string, unknown>)[key], manifest) as Record<
    string,
    unknown
  >;
  if (value === undefined) Reflect.deleteProperty(parent, last);
  else parent[last] = value;
  return manifest;
}
