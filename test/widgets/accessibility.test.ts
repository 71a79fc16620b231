import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import axe from "axe-core";
import type { Browser } from "playwright-core";
import { chromium, filled, launch, openFrame, type WidgetFrame } from "./browser.ts";
import { assets, hostile, manyAssets, manyObjects, objects, pairs, pathFound, severalPairs } from "./results.ts";

const pathAsText = `Attack path from JANE.DOE@PHANTOM.CORP to DOMAIN ADMINS@PHANTOM.CORP: 4 hops
  JANE.DOE@PHANTOM.CORP (User)
  MemberOf -> HELPDESK-TIER2@PHANTOM.CORP (Group)
  AdminTo -> SRV-FILE-07.PHANTOM.CORP (Computer)
  HasSession -> WORKSTATION HARDENING@PHANTOM.CORP (GPO)
  WriteAccountRestrictions -> DOMAIN ADMINS@PHANTOM.CORP (Group, Tier Zero)`;

const drawn = [
  ["does_path_exist", 1, pathFound],
  ["does_path_exist", 3, pairs(3)],
  ["does_path_exist", 60, pairs(60)],
  ["fetch_assets", 3, manyAssets(3)],
  ["fetch_assets", 60, manyAssets(60)],
  ["get_object_id", 3, manyObjects(3)],
  ["get_object_id", 60, manyObjects(60)],
] as const;

/** The platform's themes by the background that it announces. */
const themes = { light: "#bdc1c6", dark: "#282837", navy: "#2f3d5c" } as const;
/** A theme changes colours alone, and a width the layout alone: each is seen with one of the other. */
const views = [
  ["light", 360],
  ["light", 600],
  ["light", 1200],
  ["dark", 600],
  ["navy", 600],
] as const;
/** A long list has the same kinds of entries as a short one, and a filter above them: axe looks at it in one view. */
const isDistinct = (many: number, width: number): boolean => many < 60 || width === 600;

chromium.describe("a widget", () => {
  let browser: Browser;
  let shared: WidgetFrame;
  let sandboxed: WidgetFrame;
  beforeAll(async () => {
    browser = await launch();
    shared = await openFrame(browser);
    sandboxed = await openFrame(browser, { sandbox: "allow-scripts" });
  });
  afterAll(() => browser.close());

  /** Each widget is a document of its own, so that nothing of the one before is left. */
  const open = async (stem: string, result: unknown, frame = shared): Promise<WidgetFrame> => {
    await frame.page.bringToFront();
    await frame.show(filled(stem, result));
    return frame;
  };

  describe.each(views)("in the %s theme at a width of %i", (theme, width) => {
    beforeAll(() => shared.change({ theme: themes[theme], viewport: { width, height: 400 } }));
    afterAll(() => shared.change({}));

    const seen = drawn.filter(([, many]) => many < 60 || theme === "light");
    it.each(seen)("does not overflow, and has no fault that axe knows: %s with %i", async (stem, many, result) => {
      const frame = await open(stem, result);
      expect(await frame.evaluate("document.documentElement.scrollHeight")).toBeLessThan(many < 60 ? 1_800 : 3_000);
      await frame.evaluate(unfold);
      expect(await frame.evaluate(overflow)).toBe(0);
      if (isDistinct(many, width)) await frame.evaluate(axe.source);
      expect(isDistinct(many, width) ? await frame.evaluate(faults) : []).toEqual([]);
      expect(frame.complaints).toEqual([]);
    });
  });

  it("keeps a name that reads from right to left beside its icon and its marks", async () => {
    await shared.change({ viewport: { width: 360, height: 400 } });
    const [path] = pathFound.paths;
    const start = { ...path!.start, name: "مدير النظام@EXAMPLE.LOCAL" };
    const frame = await open("does_path_exist", { exists: true, paths: [{ ...path, start }] });
    expect(await frame.evaluate(gapBeforeName)).toBeLessThan(1);
    await shared.change({});
  });

  it.each(["does_path_exist", "fetch_assets", "get_object_id"])(
    "breaks names, keys and sentences that have no place to break (%s)",
    async (stem) => {
      await shared.change({ viewport: { width: 360, height: 400 } });
      const long = "W".repeat(200);
      const results = hostile(long);
      const starts = [{ exists: true, hops: 2, text: `${long} is 2 hops from Tier Zero.` }];
      const path = { ...(results.paths as object), nearTierZero: { starts } };
      const drawn: Record<string, unknown> = { does_path_exist: path, fetch_assets: results.assets };
      const frame = await open(stem, drawn[stem] ?? results.objects);
      await frame.evaluate(unfold);
      expect(await frame.evaluate(overflow)).toBe(0);
      expect(
        await frame.evaluate("[...document.querySelectorAll('dd')].filter((value) => value.clientWidth < 90).length"),
      ).toBe(0);
      await shared.change({});
    },
  );

  it("does not move anything for a person who prefers less motion", async () => {
    for (const [reducedMotion, duration] of [
      ["reduce", "0s"],
      ["no-preference", "0.12s"],
    ] as const) {
      await shared.change({ reducedMotion });
      const frame = await open("fetch_assets", manyAssets(3));
      expect(await frame.evaluate("getComputedStyle(document.querySelector('.chevron')).transitionDuration")).toBe(
        duration,
      );
    }
  });

  it.each([
    ["does_path_exist", pairs(60), "jane.doe-03", "1 of 60 pairs matches."],
    ["fetch_assets", manyAssets(60), "KV-PROD", "15 of 60 assets match."],
    ["get_object_id", manyObjects(60), "svc", "15 of 60 names match."],
  ])("narrows a long list by what is typed, and says how many are left (%s)", async (stem, result, typed, said) => {
    const frame = await open(stem, result);
    expect(await frame.byRole("status").first().innerText()).toMatch(/^Showing 12 of 60/);
    await frame.byRole("searchbox", { name: "Filter" }).fill(typed);
    expect(await frame.byRole("status").first().innerText()).toBe(said);
    const names = await frame.find(".entries > li").allInnerTexts();
    expect(names.filter((name) => !name.toLowerCase().includes(typed.toLowerCase()))).toEqual([]);
    await frame.byRole("searchbox").fill("no such thing");
    expect(await frame.byRole("status").first().innerText()).toMatch(/^0 of 60 \w+ match\.$/);
  });

  it("narrows a long list to one status and back", async () => {
    const frame = await open("does_path_exist", pairs(60));
    const closed = frame.byRole("button", { name: "20 closed" });
    await closed.press("Enter");
    expect(await closed.getAttribute("aria-pressed")).toBe("true");
    expect(await frame.byRole("status").first().innerText()).toBe("20 of 60 pairs match.");
    await closed.press("Enter");
    expect(await closed.getAttribute("aria-pressed")).toBe("false");
    expect(await frame.byRole("status").first().innerText()).toBe("Showing 12 of 60 pairs.");
  });

  it("says how many are shown after each press of the button that shows more", async () => {
    const frame = await open("does_path_exist", pairs(30));
    const said: string[] = [];
    for (const name of ["Show 12 more pairs", "Show 6 more pairs"]) {
      await frame.byRole("button", { name }).press("Enter");
      said.push(await frame.byRole("status").first().innerText());
    }
    expect(said).toEqual(["Showing 24 of 30 pairs.", "Showing all 30 pairs."]);
  });

  it("keeps what was unfolded while the list is narrowed", async () => {
    const frame = await open("fetch_assets", manyAssets(60));
    const asset = frame.byRole("button", { name: /KV-PROD-57/ });
    await asset.click();
    await frame.byRole("searchbox").fill("57");
    expect(await asset.getAttribute("aria-expanded")).toBe("true");
  });

  it("has no filter for a short list", async () => {
    const frame = await open("does_path_exist", severalPairs);
    expect(await frame.byRole("searchbox").count()).toBe(0);
  });

  it("unfolds and folds by keyboard, with the focus to be seen", async () => {
    const frame = await open("does_path_exist", severalPairs);
    const second = frame.find("h2 button").nth(1);
    await second.focus();
    await frame.page.keyboard.press("Shift+Tab");
    await frame.page.keyboard.press("Tab");
    expect(await frame.evaluate("getComputedStyle(document.activeElement).outlineStyle")).toBe("solid");
    for (const expanded of ["true", "false"]) {
      await frame.page.keyboard.press("Space");
      expect(await second.getAttribute("aria-expanded")).toBe(expanded);
    }
  });

  it("reaches everything that can be pressed with the Tab key, in the order of the page", async () => {
    const frame = await open("does_path_exist", pathFound);
    const visited: unknown[] = [];
    for (let press = 0; press < 3; press += 1) {
      await frame.page.keyboard.press("Tab");
      visited.push(await frame.evaluate("document.activeElement.innerText.trim()"));
    }
    expect(visited).toEqual([
      "Copy path",
      expect.stringMatching(/^Open in the service/),
      "Other shortest paths: 4 edges",
    ]);
  });

  it("copies the path as text", async () => {
    const frame = await open("does_path_exist", pathFound);
    await frame.evaluate(clipboard);
    await frame.byRole("button", { name: "Copy path" }).click();
    expect(await frame.byRole("status").innerText()).toBe("Copied.");
    expect(await frame.evaluate("window.copied")).toBe(pathAsText);
  });

  it("copies both ends of a path whose hops were left out, and says so", async () => {
    const path = { ...pathFound.paths[0]!, length: 1_200, hops: [], alternatives: [], truncated: true };
    const frame = await open("does_path_exist", { exists: true, paths: [path] });
    await frame.evaluate(clipboard);
    await frame.byRole("button", { name: "Copy path" }).click();
    expect(await frame.evaluate("window.copied")).toBe(
      [
        "Attack path from JANE.DOE@PHANTOM.CORP to DOMAIN ADMINS@PHANTOM.CORP: 1,200 hops",
        "  JANE.DOE@PHANTOM.CORP (User)",
        "  hops not listed -> DOMAIN ADMINS@PHANTOM.CORP (Group, Tier Zero)",
      ].join("\n"),
    );
  });

  it("copies without the permission for the clipboard, in a frame of another origin", async () => {
    const frame = await open("does_path_exist", pathFound, sandboxed);
    await frame.evaluate(`document.addEventListener("copy", () => { window.copied = document.activeElement.value })`);
    const copy = frame.byRole("button", { name: "Copy path" });
    await copy.click();
    expect(await frame.byRole("status").innerText()).toBe("Copied.");
    expect(await frame.evaluate("window.copied")).toBe(pathAsText);
    expect(await frame.evaluate("document.activeElement.innerText")).toBe("Copy path");
  });

  it("selects the text when the platform forbids copying", async () => {
    const frame = await open("does_path_exist", pathFound, sandboxed);
    await frame.evaluate("document.execCommand = () => false");
    await frame.byRole("button", { name: "Copy path" }).click();
    expect(await frame.byRole("status").innerText()).toContain("Press Ctrl+C");
    const field =
      "document.activeElement.value.slice(document.activeElement.selectionStart, document.activeElement.selectionEnd)";
    expect(await frame.evaluate(field)).toBe(pathAsText);
  });

  it.each([
    [
      "Copy open paths",
      "does_path_exist",
      { paths: [...pathFound.paths, ...pathFound.paths] },
      `${pathAsText}\n\n${pathAsText}`,
    ],
    [
      "Copy object ids",
      "get_object_id",
      { objects: [objects.objects[0], { ...objects.objects[0], objectId: "S-2" }] },
      "S-1-5-21-2697957641-2271029196-387917394-2201, S-2",
    ],
  ])("copies many at once (%s)", async (name, stem, result, copied) => {
    const frame = await open(stem, result);
    await frame.evaluate(clipboard);
    await frame.byRole("button", { name }).click();
    expect(await frame.byRole("status").first().innerText()).toBe("Copied.");
    expect(await frame.evaluate("window.copied")).toBe(copied);
  });

  it("opens the page of the service in a new tab that knows nothing of the platform", async () => {
    for (const [stem, result, url] of [
      ["does_path_exist", pathFound, pathFound.paths[0]!.url],
      ["fetch_assets", { assets: assets.assets.slice(0, 1) }, assets.assets[0]!.url],
    ] as const) {
      const frame = await open(stem, result);
      const link = frame.byRole("link", { name: "Open in the service (new tab)" });
      expect(await Promise.all(["href", "target", "rel"].map((name) => link.getAttribute(name)))).toEqual([
        url,
        "_blank",
        "noopener noreferrer",
      ]);
    }
  });

  it.each(["javascript:window.broken = true", "data:text/html,x", "//other.example", "not a url", 7, null])(
    "makes no link of %j",
    async (url) => {
      const frame = await open("does_path_exist", { exists: true, paths: [{ ...pathFound.paths[0], url }] });
      expect(await frame.byRole("link").count()).toBe(0);
    },
  );
});

/** A clipboard that the frame may use. */
const clipboard = `Object.defineProperty(navigator, "clipboard", {
  value: { writeText: (text) => { window.copied = text; return Promise.resolve(); } },
})`;

/** Pixels between the left side of a card's text and the name in it. */
const gapBeforeName = `(() => {
  const name = document.querySelector(".node .name");
  const range = document.createRange();
  range.selectNodeContents(name);
  return range.getBoundingClientRect().left - name.parentElement.getBoundingClientRect().left;
})()`;

/** Unfolds the first entries; what unfolds may hold more to unfold. */
const unfold = `for (let round = 0; round < 2; round += 1) {
  const folds = ":is(.entry:nth-child(-n+3), main > h2) [aria-expanded='false']";
  for (const fold of document.querySelectorAll(folds)) fold.click();
}`;

const overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth";

const faults = `axe.run({ resultTypes: ["violations"] }).then(({ violations }) =>
  violations.map(({ id, impact, nodes }) => [id, impact, nodes[0].html, nodes[0].failureSummary]))`;
