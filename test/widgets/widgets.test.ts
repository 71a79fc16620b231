import { describe, expect, it } from "@jest/globals";
import { type ActionWidget, buildWidgets } from "../../src/packaging/google-secops/widgets.ts";
import { rootDir } from "../support/package.ts";

const widgets = await buildWidgets(rootDir);

describe("a built widget", () => {
  it("exists for each action that has a result worth drawing, under the action's name", () => {
    expect(widgets.map(({ stem, definition }) => [stem, definition.ActionIdentifier])).toEqual([
      ["get_object_id", "Get Object Id"],
      ["does_path_exist", "Does Path Exist"],
      ["fetch_assets", "Fetch Assets"],
    ]);
  });

  it.each(widgets)("$stem has the definition that the platform reads", ({ definition }: ActionWidget) => {
    expect(definition.Title).toMatch(/^[A-Za-z0-9-_,\s]{1,150}$/);
    expect(definition).toMatchObject({
      Type: 3,
      Scope: 0,
      DefaultSize: 1,
      DataDefinition: { htmlHeight: 400, safeRendering: false, type: 3, widgetDefinitionScope: 2, htmlContent: "" },
    });
    expect(definition.ConditionsGroup.LogicalOperator).toBe(0);
    expect(definition.ConditionsGroup.Conditions).toEqual([
      { FieldName: "[{stepInstanceName}.JsonResult]", Value: "", MatchType: 8, CustomOperatorName: null },
      {
        FieldName: "[{stepInstanceName}.JsonResult]",
        Value: expect.stringMatching(/^(objects|exists|assets)$/),
        MatchType: 1,
        CustomOperatorName: null,
      },
    ]);
  });

  it.each(widgets)("$stem holds the placeholder once, and nothing else that the platform would replace", ({ html }) => {
    expect(html.split("[{stepInstanceName}.JsonResult]")).toHaveLength(2);
    expect(html).not.toMatch(/\[(Event|Alert|Case|Entity|Environment|General|Input)\./);
  });

  it.each(widgets)("$stem loads nothing", ({ html }) => {
    expect(html).not.toMatch(/<link|<img|\bsrc=|@import|url\(|https?:(?!\/\/www\.w3\.org\/2000\/svg)/);
    expect(html).toContain("default-src 'none'");
    expect(html.length).toBeLessThan(40_000);
  });

  it("is the same whenever it is built", async () => {
    expect(await buildWidgets(rootDir)).toEqual(widgets);
  });
});
