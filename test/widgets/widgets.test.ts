import { afterAll, afterEach, beforeAll, describe, expect, it } from "@jest/globals";
import type { Browser } from "playwright-core";
import { type ActionWidget, buildWidgets } from "../../src/packaging/google-secops/widgets.ts";
import { rootDir } from "../support/package.ts";
import { startServer } from "../support/raw-server.ts";
import { chromium, fill, launch, openFrame, type WidgetFrame } from "./browser.ts";
import { assets, hostile, hostileNames, noPath, objects, pathFound, severalPairs } from "./results.ts";

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

  it("draws a path: each object with its kind, each edge by its name, tier zero marked", async () => {
    await frame.show(fill(html("does_path_exist"), pathFound));
    expect(await texts("h1")).toEqual(["Attack path found"]);
    expect(await texts("header .badge")).toEqual(["4 hops"]);
    expect(await texts(".path .name")).toEqual([
      "JANE.DOE@PHANTOM.CORP",
      "HELPDESK-TIER2@PHANTOM.CORP",
      "SRV-FILE-07.PHANTOM.CORP",
      "WORKSTATION HARDENING@PHANTOM.CORP",
      "DOMAIN ADMINS@PHANTOM.CORP",
    ]);
    expect(await texts(".path .relation")).toEqual(["MemberOf", "AdminTo", "HasSession", "WriteAccountRestrictions"]);
    expect(await texts(".path .kind")).toEqual(["User", "Group", "Computer", "GPO", "Group"]);
    expect(await texts(".tier-zero .name")).toEqual(["DOMAIN ADMINS@PHANTOM.CORP"]);
    expect(await texts(".path .badge")).toEqual(["Start", "End", "Tier Zero"]);
    expect(await frame.byRole("list", { name: "One shortest attack path, 4 hops" }).count()).toBe(1);
    expect(await texts("summary")).toEqual(["More than one shortest path: 1 other edge"]);
    expect(await frame.find(".node").first().getAttribute("title")).toBe(
      "JANE.DOE@PHANTOM.CORP (S-1-5-21-2697957641-2271029196-387917394-2201)",
    );
    expect(frame.complaints).toEqual([]);
  });

  it("says that no path leads from the start to the end", async () => {
    await frame.show(fill(html("does_path_exist"), noPath));
    expect(await texts("h1")).toEqual(["No attack path"]);
    expect(await texts(".broken .relation")).toEqual(["no path"]);
    expect(await texts("details")).toEqual([]);
  });

  it("draws one after the other what was found out about several pairs", async () => {
    await frame.show(fill(html("does_path_exist"), severalPairs));
    expect(await texts("h1")).toEqual(["Not answered", "Attack path found", "No attack path"]);
    expect(await texts(".error")).toEqual(['Start Node "NOBODY" was not found.']);
    expect(await texts(".broken .relation")).toEqual(["not checked", "no path"]);
  });

  it("wraps a path at the edge of the frame, however narrow that is", async () => {
    const narrow = await openFrame(browser);
    for (const [width, rows] of [
      [280, 5],
      [600, 3],
      [1400, 1],
    ] as const) {
      await narrow.page.setViewportSize({ width, height: 600 });
      await narrow.show(fill(html("does_path_exist"), pathFound));
      const tops = `new Set([...document.querySelectorAll(".node")].map((node) => node.getBoundingClientRect().top)).size`;
      const overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
      expect([width, await narrow.evaluate(tops), await narrow.evaluate(overflow)]).toEqual([width, rows, 0]);
    }
    await narrow.close();
  });

  it("shows a count of null as unknown and one of 0 as 0", async () => {
    await frame.show(fill(html("fetch_assets"), assets));
    expect(await frame.find(".card").first().locator(".count").allInnerTexts()).toEqual([
      "Sessions\n3",
      "Members\n1,204",
      "Membership\n2",
      "Admin rights\n871",
      "RDP rights\n0",
      "PS remote rights\nunknown",
      "Controllers\n12",
    ]);
    expect(await frame.find(".card").nth(2).locator(".count dt").allInnerTexts()).toEqual([
      "Readers: key readers",
      "Readers: certificate readers",
      "Readers: secret readers",
      "Readers: all readers",
      "Inbound object control",
    ]);
  });

  it("shows what an asset is, and why one could not be read", async () => {
    await frame.show(fill(html("fetch_assets"), assets));
    const card = (index: number): ReturnType<WidgetFrame["find"]> => frame.find(".card").nth(index);
    expect(await texts("header .badge")).toEqual(["3 of 5 object ids read"]);
    expect(await card(1).locator(".badge").allInnerTexts()).toEqual([
      "Disabled",
      "Has an SPN",
      "Password never expires",
    ]);
    expect(await card(3).innerText()).toContain("Not found");
    expect(await card(4).innerText()).toContain(assets.assets[4]!.error);
    await card(1).locator("summary").click();
    expect(await card(1).locator(".properties").innerText()).toMatch(
      /lastlogon\s+never\s+pwdlastset\s+2021-01-01 00:00 UTC/,
    );
  });

  it("shows the object ids as a table, with the matches that an analyst can choose from", async () => {
    await frame.show(fill(html("get_object_id"), objects));
    expect(await frame.byRole("columnheader").allInnerTexts()).toEqual(["Name", "Status", "Object id", "Kind"]);
    expect(await frame.byRole("rowheader").allInnerTexts()).toEqual([
      "jane.doe@phantom.corp",
      "SVC-BACKUP",
      "DOMAIN ADMINS",
      "KV-PROD",
    ]);
    expect(await texts("tbody .badge")).toEqual(["Found", "Ambiguous", "Not found", "Failed"]);
    expect(await texts(".candidates-title")).toEqual(["Exact matches", "Similar names"]);
    expect(await texts(".candidates .id")).toEqual([
      "S-1-5-21-2697957641-2271029196-387917394-3301",
      "0d0f7a4e-3df5-4a11-9f0e-7a2f5d3a6b10",
      "S-1-5-21-2697957641-2271029196-387917394-512",
    ]);
    expect(await texts(".error")).toEqual([objects.objects[3]!.error]);
  });

  it.each(hostileNames.map((name) => [name.slice(0, 40), name]))("shows the name %j as text", async (_, name) => {
    const results = hostile(name);
    for (const [stem, result] of [
      ["does_path_exist", results.paths],
      ["get_object_id", results.objects],
      ["fetch_assets", results.assets],
    ] as const) {
      await frame.show(fill(html(stem), result));
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
    ["does_path_exist", { paths: [{ exists: true, hops: [{}, { to: { name: 5 } }] }] }, "2 hops"],
    ["get_object_id", { objects: [{}, null, { name: "A", candidates: [null, "x"] }] }, "0 of 3 names found"],
    ["fetch_assets", { assets: [{}, null, { status: "found", counts: [], properties: 7 }] }, "1 of 3 object ids read"],
  ])("draws what is there when fields are missing (%s)", async (stem, result, expected) => {
    await frame.show(fill(html(stem), result));
    expect(await texts("header .badge")).toEqual([expected]);
    expect(frame.complaints).toEqual([]);
  });

  it("says how much it left out of a large result", async () => {
    await frame.show(fill(html("fetch_assets"), { assets: Array.from({ length: 150 }, () => assets.assets[0]) }));
    expect(await frame.find(".card").count()).toBe(100);
    expect(await texts("main > .note")).toEqual([expect.stringContaining("The first 100 of 150 assets are shown")]);
  });

  const background = async (options: Parameters<typeof openFrame>[1]): Promise<unknown> => {
    const themed = await openFrame(browser, options);
    await themed.show(fill(html("fetch_assets"), assets));
    const colour = await themed.evaluate("getComputedStyle(document.body).backgroundColor");
    await themed.close();
    return colour;
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

  it.each([["#bdc1c6"], ["#282837"], ["#2f3d5c"]])("has enough contrast for all its text on %s", async (theme) => {
    const themed = await openFrame(browser, { theme });
    for (const [stem, result] of [
      ["does_path_exist", pathFound],
      ["get_object_id", objects],
      ["fetch_assets", assets],
    ] as const) {
      await themed.show(fill(html(stem), result));
      expect(await themed.evaluate(lowestContrast)).toBeGreaterThanOrEqual(4.5);
    }
    await themed.close();
  });
});

/** The lowest contrast ratio (WCAG 2) between a text and the nearest background behind it. */
const lowestContrast = `(() => {
  const channels = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const luminance = (colour) => {
    const [r, g, b] = channels(colour).map((c) => c / 255).map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    const colour = getComputedStyle(element).backgroundColor;
    return channels(colour)[3] === 0 ? behind(element.parentElement) : colour;
  };
  const ratios = [...document.querySelectorAll("main *")]
    .filter((element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim() !== ""))
    .map((element) => [luminance(getComputedStyle(element).color), luminance(behind(element))])
    .map(([a, b]) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05));
  return Math.min(...ratios);
})()`;
