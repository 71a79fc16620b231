import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "@jest/globals";
import type { Browser } from "playwright-core";
import { type ActionWidget, buildWidgets } from "../../src/packaging/google-secops/widgets.ts";
import { rootDir } from "../support/package.ts";
import { startServer } from "../support/raw-server.ts";
import { chromium, filled, launch, openFrame, type ViewOptions, type WidgetFrame } from "./browser.ts";
import { assets, hostile, hostileNames } from "./results.ts";

const widgets = await buildWidgets(rootDir);
const html = (stem: string): string => widgets.find((widget) => widget.stem === stem)!.html;

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

chromium.describe("a widget in Chromium", () => {
  let browser: Browser;
  let frame: WidgetFrame;
  beforeAll(async () => {
    browser = await launch();
    frame = await openFrame(browser);
  });
  afterEach(() => {
    frame.complaints.length = 0;
  });
  afterAll(() => browser.close());

  const texts = (selector: string): Promise<string[]> => frame.find(selector).allInnerTexts();

  it.each([
    ["get-object-id", [/ADA\.FONTANA@CORP\.HALDEN\.TEST[^]*S-1-5-21-/, /NOBODY@CORP\.HALDEN\.TEST[^]*Not found/]],
    ["does-path-exist", [/HELP DESK@CORP\.HALDEN\.TEST[^]*ForceChangePassword[^]*DOMAIN ADMINS@CORP\.HALDEN\.TEST/]],
    ["fetch-assets", [/1 other\s*1 not found/, /Member/]],
  ])("draws what a real run of %s answers, with a link to the service", async (name, expected) => {
    const example = join(rootDir, "src", "packaging", "google-secops", "examples", `${name}.json`);
    await frame.show(filled(name.replaceAll("-", "_"), JSON.parse(await readFile(example, "utf8"))));
    const text = await frame.find("main").innerText();
    for (const each of expected) expect(text).toMatch(each);
    expect(await frame.byRole("link", { name: "Open in the service" }).count()).toBeGreaterThan(0);
    expect(frame.complaints).toEqual([]);
  });

  it.each(hostileNames.map((name) => [name.slice(0, 40), name]))("shows the name %j as text", async (_, name) => {
    const results = hostile(name);
    for (const [stem, result] of [
      ["does_path_exist", results.paths],
      ["get_object_id", results.objects],
      ["fetch_assets", results.assets],
    ] as const) {
      await frame.show(filled(stem, result));
      const shown = (await frame.find("main .name").first().textContent())!;
      expect(
        shown.replaceAll(/‹U\+([0-9A-F]+)›/g, (_mark, hex: string) => String.fromCodePoint(parseInt(hex, 16))),
      ).toBe(name);
      expect(shown).not.toMatch(/[\p{Cc}\p{Cf}]/u);
      expect(await frame.evaluate("document.querySelectorAll('img, main script').length")).toBe(0);
      expect(await frame.evaluate("window.broken")).toBeUndefined();
      expect(frame.complaints).toEqual([]);
    }
  });

  it("runs nothing and asks for nothing even when a result breaks out of its block", async () => {
    const { url, requests } = await startServer((_request, response) => {
      response.end();
    });
    const markup = `<img src="${url}" onerror="window.broken = true"><style>@import "${url}"; main { display: none }</style><script>window.broken = true; fetch("${url}")</script>`;
    await frame.show(
      html("get_object_id").replace("[{stepInstanceName}.JsonResult]", () => `{"x":"</script>${markup}"}`),
    );
    expect(await texts("body")).toEqual([expect.stringContaining("Nothing to show yet")]);
    expect(await frame.evaluate("window.broken")).toBeUndefined();
    await frame.evaluate(`fetch(${JSON.stringify(url)}).catch(() => null)`);
    expect(requests).toEqual([]);
  });

  it.each([
    ["the placeholder was not replaced", "[{stepInstanceName}.JsonResult]"],
    ["the result is empty", ""],
    ["the result is an empty object", "{}"],
    ["the result is a list", "[]"],
    ["the result is null", "null"],
    ["the result is half a document", '{"assets": ['],
    ["the fields hold something else", '{"assets": 1, "objects": "x", "exists": "yes"}'],
  ])("says that there is nothing to show when %s", async (_, data) => {
    for (const { html } of widgets) {
      await frame.show(html.replace("[{stepInstanceName}.JsonResult]", () => data));
      expect(await frame.byRole("status").innerText()).toContain("Nothing to show yet");
      expect(frame.complaints).toEqual([]);
    }
  });

  it.each([
    ["does_path_exist", { paths: [{ exists: true, hops: [{}, { to: { name: 5 } }] }] }, ["Open, 2 hops"]],
    ["get_object_id", { objects: [{}, null, { name: "A", candidates: [null, "x"] }] }, ["3 failed"]],
    ["fetch_assets", { assets: [{}, null, { status: "found", counts: [], related: 7 }] }, ["1 other", "2 failed"]],
  ])("draws what is there when fields are missing (%s)", async (stem, result, expected) => {
    await frame.show(filled(stem, result));
    expect(await texts("header .badge")).toEqual(expected);
    expect(frame.complaints).toEqual([]);
  });

  const background = async (options: ViewOptions): Promise<unknown> => {
    await frame.change(options);
    await frame.show(filled("fetch_assets", assets));
    return frame.evaluate("getComputedStyle(document.body).backgroundColor");
  };

  it("follows the browser until the platform says which theme it has", async () => {
    expect(await background({ colorScheme: "light" })).toBe("rgb(255, 255, 255)");
    expect(await background({ colorScheme: "dark" })).toBe("rgb(35, 35, 48)");
  });

  it.each([
    ["#bdc1c6", "rgb(255, 255, 255)"],
    ["rgb(255, 255, 255)", "rgb(255, 255, 255)"],
    ["#282837", "rgb(35, 35, 48)"],
    ["black", "rgb(35, 35, 48)"],
    ["#2f3d5c", "rgb(33, 44, 68)"],
  ])("takes the theme of a platform whose background is %s", async (theme, expected) => {
    expect(await background({ theme, colorScheme: expected.includes("255") ? "dark" : "light" })).toBe(expected);
  });

  it("ignores a background that is no colour", async () => {
    expect(await background({ theme: "url(https://other.example/x)", colorScheme: "dark" })).toBe("rgb(35, 35, 48)");
  });
});
