import { describe, expect, it } from "@jest/globals";
import { platformGroupingRule, groupingRuleFiles } from "../../src/packaging/google-secops/grouping-rule.ts";
import { type PlatformPlaybook, platformPlaybook, playbookZip } from "../../src/packaging/google-secops/playbook.ts";
import type { PlaybookOverview } from "../../src/packaging/google-secops/playbook-overview.ts";
import { type Playbook, readPlaybook } from "../../src/packaging/google-secops/playbook-source.ts";
import type { Manifest } from "../../src/manifest/manifest.ts";
import { buildWidgets } from "../../src/packaging/google-secops/widgets.ts";
import { rootDir } from "../support/package.ts";
import { groupingRule, groupingRules, manifest, playbookFile, read } from "./project.ts";

const widgets = await buildWidgets(rootDir);
const source = await read(playbookFile);
const playbook = readPlaybook(source, playbookFile, manifest);
const built: PlatformPlaybook = platformPlaybook(playbook, manifest, widgets);
const { Definition } = built;
const step = (name: string) => Definition.Steps.find(({ InstanceName }) => InstanceName === name)!;
const parameter = (name: string, key: string): string | null | undefined =>
  step(name).Parameters.find(({ Name }) => Name === key)?.Value;

describe("the playbook for the platform", () => {
  it("has exactly the keys that the platform reads", () => {
    expect(Object.keys(built).sort()).toEqual([
      "CategoryName",
      "Definition",
      "OverviewTemplatesDetails",
      "WidgetTemplates",
    ]);
    expect(Object.keys(Definition).sort()).toEqual(
      "Identifier OriginalWorkflowIdentifier Name Description IsEnable Version Priority Category IsAutomatic IsArchived Creator VersionCreator VersionComment TemplateName PlaybookType IsDebugMode DebugAlertIdentifier DebugBaseAlertIdentifier SimulationClone DefaultAccessLevel CreationSource Permissions Environments OverviewTemplates Steps Triggers"
        .split(" ")
        .sort(),
    );
    for (const step of Definition.Steps) {
      expect(Object.keys(step).sort()).toEqual(
        "Identifier OriginalStepIdentifier ParentWorkflowIdentifier ParentStepIdentifiers ParentStepIdentifier PreviousResultCondition InstanceName Name ActionProvider ActionName Integration Type IsAutomatic IsSkippable Description Parameters AutoSkipOnFailure IsDebugMockData StepDebugData ParentStepContainerId IsTouchedByAi StartLoopStepIdentifier ParallelActions"
          .split(" ")
          .sort(),
      );
    }
  });

  it("starts at alerts of the product", () => {
    expect(Definition.Triggers).toEqual([
      expect.objectContaining({
        Type: 3,
        DefinitionIdentifier: Definition.Identifier,
        Conditions: [{ FieldName: "", Value: "Attack Path Analysis", MatchType: 0, CustomOperatorName: null }],
        Environments: ["*"],
      }),
    ]);
  });

  it("starts at alerts of every product, and only once it is enabled, where the source says so", () => {
    const everywhere = platformPlaybook({ ...playbook, trigger: { alerts: "all" }, enabled: false }, manifest, widgets);
    expect(everywhere.Definition).toMatchObject({ IsEnable: false, Triggers: [{ Type: 8, Conditions: [] }] });
    expect(Definition["IsEnable"]).toBe(true);
  });

  it("names actions as the platform does, with their parameters by label", () => {
    expect(step("Check Findings")).toMatchObject({
      Integration: "attack_path_analysis",
      ActionName: "attack_path_analysis_Does Path Exist",
      ActionProvider: "Scripts",
      Type: 0,
      AutoSkipOnFailure: false,
    });
    expect(parameter("Check Findings", "ScriptName")).toBe("attack_path_analysis_Does Path Exist");
    expect(JSON.parse(parameter("Check Findings", "ScriptParametersEntityFields")!)).toEqual({
      "Start Node": "",
      "End Node": "",
    });
    expect(parameter("Report Paths", "AsyncPollingInterval")).toBeUndefined();
    expect(parameter("Check Findings", "AsyncPollingInterval")).toBe("30");
    expect(parameter("Describe Ends", "AsyncPollingInterval")).toBe("30");
    expect(step("Tag Open Path")).toMatchObject({ Integration: "Siemplify", ActionName: "Siemplify_Case Tag" });
    expect(JSON.parse(parameter("Set Medium Priority", "ScriptParametersEntityFields")!)).toEqual({
      "Alert Priority": "Medium",
    });
  });

  it("looks up no id, because the events carry them", () => {
    expect(source).not.toContain("Get Object Id");
  });

  it("hangs each step on the one before, and each branch on its number", () => {
    const ways = Definition.Steps.map(({ InstanceName, ParentStepIdentifiers, PreviousResultCondition }) => {
      const parent = Definition.Steps.find(({ Identifier }) => ParentStepIdentifiers.includes(Identifier));
      const branch = Object.values(JSON.parse(PreviousResultCondition!) as object).join();
      return [InstanceName, parent?.InstanceName ?? null, branch];
    });
    expect(ways).toEqual([
      ["Form of the Findings", null, ""],
      ["Check Findings", "Form of the Findings", "1"],
      ["Report Paths", "Check Findings", ""],
      ["State of the Paths", "Report Paths", ""],
      ["Tag Open Path", "State of the Paths", "1"],
      ["Describe Ends", "Tag Open Path", ""],
      ["Worst Open Path", "Describe Ends", ""],
      ["Set Critical Priority", "Worst Open Path", "1"],
      ["Set High Priority", "Worst Open Path", "2"],
      ["Set Medium Priority", "Worst Open Path", "3"],
      ["Set Low Priority", "Worst Open Path", "4"],
      ["Tag Closed Path", "State of the Paths", "2"],
      ["Describe Exposed Objects", "Form of the Findings", "2"],
    ]);
  });

  it("asks the summary of the path step, in words rather than in a value that may be null", () => {
    const [open, closed, otherwise] = JSON.parse(parameter("State of the Paths", "Branches")!) as object[];
    const field = '[Check Findings.JsonResult| "summary.verdict"]';
    expect(open).toMatchObject({
      Order: 1,
      Name: "Open",
      IsDefaultBranch: false,
      Conditions: [{ Operator: 0, FieldName: field, Type: 7, Value: "open" }],
    });
    expect(closed).toMatchObject({ Order: 2, Conditions: [{ FieldName: field, Value: "closed" }] });
    expect(otherwise).toMatchObject({ Order: 3, IsDefaultBranch: true, Conditions: [] });
  });

  it("reads only fields that the results of its steps have", () => {
    const { schema } = manifest.actions.find(({ name }) => name === "Does Path Exist")!.result;
    const fields = new Set([...source.matchAll(/JsonResult\| \\"([\w.]+)\\"/g)].map(([, path = ""]) => path));
    expect([...fields].sort()).toEqual(["summary.ends", "summary.report", "summary.verdict", "summary.worst"]);
    for (const field of fields)
      expect(schema).toHaveProperty(["properties", ...field.split(".").join(".properties.").split(".")]);
  });

  it("has identifiers that are UUIDs, differ, and stay the same from build to build", async () => {
    const ids = JSON.stringify(built).match(/[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g)!;
    const steps = Definition.Steps.length;
    const [{ OverviewTemplate }] = built.OverviewTemplatesDetails as [PlaybookOverview];
    expect(new Set(ids).size).toBe(2 * steps + 3 + OverviewTemplate.Widgets.length + 1);
    expect(platformPlaybook(playbook, manifest, widgets)).toEqual(built);
    const zipped = () => playbookZip(manifest, [{ path: playbookFile, content: source }], widgets);
    expect(await zipped()).toEqual(await zipped());
  });

  it("reads only event fields that the connector writes", async () => {
    const fields = new Set([...source.matchAll(/\[Event\.(\w+)\]/g)].map(([, field]) => field));
    const writer = await read("src/ingestion/mapping/flatten.ts");
    for (const field of fields) expect(writer).toContain(field);
  });

  it("is not built when there is none", async () => {
    expect(await playbookZip(manifest, [], widgets)).toBeNull();
  });
});

describe("the view of the playbook", () => {
  const [{ OverviewTemplate, Roles }] = built.OverviewTemplatesDetails as [PlaybookOverview];

  it("has exactly the keys that the platform reads", () => {
    expect(Object.keys(OverviewTemplate).sort()).toEqual(
      "AlertRuleType Creator Identifier Name PlaybookDefinitionIdentifier Roles Type Widgets".split(" "),
    );
    for (const widget of OverviewTemplate.Widgets) {
      expect(Object.keys(widget).sort()).toEqual(
        "ActionWidgetTemplateIdentifier BlockStepIdentifier BlockStepInstanceName ConditionsGroup DataDefinitionJson Description GridColumns Identifier IntegrationName Order PresentIfEmpty StepIdentifier StepIntegration TemplateIdentifier Title Type".split(
          " ",
        ),
      );
    }
    expect(Roles).toEqual(["Administrator", "Tier1", "Tier2", "Tier3", "SocManager", "CISO"]);
  });

  it("stands in the three places where the platform looks", () => {
    expect(Definition.OverviewTemplates).toEqual([OverviewTemplate]);
    expect(built.WidgetTemplates).toEqual(OverviewTemplate.Widgets);
    expect(OverviewTemplate["PlaybookDefinitionIdentifier"]).toBe(Definition.Identifier);
  });

  it("gives each widget the result of its step", () => {
    const [check] = OverviewTemplate.Widgets as [PlaybookOverview["OverviewTemplate"]["Widgets"][number]];
    const { htmlContent } = JSON.parse(check.DataDefinitionJson) as { htmlContent: string };
    expect(check.Title).toBe("Check Findings");
    expect(htmlContent).toContain('<script id="result" type="application/json">[Check Findings.JsonResult]</script>');
    expect(check.ConditionsGroup).toMatchObject({
      Conditions: [
        { FieldName: "[Check Findings.JsonResult]", MatchType: 8 },
        { FieldName: "[Check Findings.JsonResult]", MatchType: 1, Value: "exists" },
      ],
    });
    expect(OverviewTemplate.Widgets.map(({ Title }) => Title)).toEqual([
      "Check Findings",
      "Describe Ends",
      "Describe Exposed Objects",
      "Entities Highlights",
    ]);
    expect(JSON.stringify(OverviewTemplate)).not.toContain("{stepInstanceName}");
  });
});

describe("a playbook that is wrong", () => {
  const strict: Manifest = {
    ...manifest,
    actions: manifest.actions.map((action) =>
      action.name === "Get Object Id"
        ? { ...action, parameters: action.parameters.map((parameter) => ({ ...parameter, mandatory: true })) }
        : action,
    ),
  };
  const broken = (change: (playbook: { -readonly [K in keyof Playbook]: unknown }) => void): string => {
    const copy = JSON.parse(source) as Playbook;
    change(copy);
    try {
      readPlaybook(JSON.stringify(copy), playbookFile, strict);
      return "";
    } catch (error) {
      return (error as Error).message;
    }
  };
  const branch = {
    name: "B",
    branches: [{ name: "C", conditions: [{ field: "[x]", is: "equal" }], steps: [] }],
    otherwise: [],
  };
  const lookUp = { name: "A", action: "Get Object Id", parameters: { "Object Names": "x" } };

  it.each([
    ["another product", { trigger: { product: "Other" } }, "/trigger/product: expected Attack Path Analysis"],
    ["no steps", { steps: [] }, "/steps"],
    ["an unknown action", { steps: [{ ...lookUp, action: "Nope" }] }, "/steps/0/action: expected one of Ping"],
    ["an unknown parameter", { steps: [{ ...lookUp, parameters: { "Object Names": "x", Nope: "" } }] }, "found Nope"],
    ["no mandatory parameter", { steps: [{ ...lookUp, parameters: {} }] }, "expected Object Names, which is mandatory"],
    [
      "a name twice",
      { steps: [lookUp, { ...lookUp, name: "a" }] },
      "/steps/1/name: expected a name that no other step has",
    ],
    ["a step behind a branch", { steps: [branch, lookUp] }, "/steps/0: expected no step behind a branch"],
    ["a misspelled key", { steps: [{ ...lookUp, parameter: {} }] }, "/steps/0/parameter: expected nothing here"],
  ])("is refused with the place of the fault: %s", (_, change, expected) => {
    expect(broken((copy) => Object.assign(copy, change))).toContain(expected);
  });

  it("is refused when it is no JSON", () => {
    expect(() => readPlaybook("{", playbookFile, manifest)).toThrow("playbooks/attack-path-triage.json is not valid");
  });
});

describe("the alert grouping rule for the platform", () => {
  const categoryDetails = [{ identifier: "attack_path_analysis", displayName: "attack_path_analysis" }];

  it.each([
    ["soar", "DataSource", "Entities"],
    ["chronicle", "DATA_SOURCE", "ENTITIES"],
  ] as const)("is spelled as the %s API does", (spelling, category, groupingType) => {
    expect(platformGroupingRule(groupingRule, spelling)).toEqual({
      category,
      categoryDetails,
      groupingType,
      entityType: ["SourceDomain"],
    });
  });

  it("has a form for every kind of rule", () => {
    const rule = { name: "x", category: "all", groupBy: "source-grouping-identifier" } as const;
    expect(platformGroupingRule(rule)).toEqual({
      category: "All",
      categoryDetails: [],
      groupingType: "SourceGroupingIdentifier",
      entityType: [],
    });
  });

  it("lies in the output folder in both spellings, one file for each rule", () => {
    const files = [...groupingRules]
      .flatMap(([file, rule]) => groupingRuleFiles(file, rule))
      .map(({ path, content }) => {
        const { category, groupingType } = JSON.parse(Buffer.from(content).toString()) as Record<string, string>;
        return [path, category, groupingType];
      });
    expect(files).toEqual([
      ["google-secops/grouping-rules/source-grouping-identifier.json", "DataSource", "SourceGroupingIdentifier"],
      [
        "google-secops/grouping-rules/source-grouping-identifier.chronicle.json",
        "DATA_SOURCE",
        "SOURCE_GROUPING_IDENTIFIER",
      ],
      ["google-secops/grouping-rules/source-domain.json", "DataSource", "Entities"],
      ["google-secops/grouping-rules/source-domain.chronicle.json", "DATA_SOURCE", "ENTITIES"],
    ]);
  });
});
