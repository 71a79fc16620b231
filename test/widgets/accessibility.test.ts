import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import axe from "axe-core";
import type { Browser } from "playwright-core";
import { chromium, filled, launch, openFrame, type WidgetFrame } from "./browser.ts";
import { manyAssets, manyObjects, pairs, pathFound } from "./results.ts";

const results = [
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
const isDistinct = (many: number, theme: string, width: number): boolean =>
  many < 60 || (theme === "light" && width === 600);

chromium.describe("a widget", () => {
  let browser: Browser;
  let frame: WidgetFrame;
  beforeAll(async () => {
    browser = await launch();
    frame = await openFrame(browser);
  });
  afterAll(() => browser.close());

  describe.each(views)("in the %s theme at a width of %i", (theme, width) => {
    beforeAll(() => frame.change({ theme: themes[theme], viewport: { width, height: 400 } }));

    it.each(results)("does not overflow: %s with %i", async (stem, many, result) => {
      await frame.show(filled(stem, result));
      expect(await frame.evaluate("document.documentElement.scrollHeight")).toBeLessThan(many < 60 ? 1_800 : 3_000);
      await frame.evaluate(unfold);
      expect(await frame.evaluate(overflow)).toBe(0);
      expect(frame.complaints).toEqual([]);
    });

    const distinct = results.filter(([, many]) => isDistinct(many, theme, width));
    it.each(distinct)("has no fault that axe knows: %s with %i", async (stem, _, result) => {
      await frame.show(filled(stem, result));
      await frame.evaluate(unfold);
      await frame.evaluate(axe.source);
      expect(await frame.evaluate(faults)).toEqual([]);
      expect(frame.complaints).toEqual([]);
    });
  });

  it("does not move anything for a person who prefers less motion", async () => {
    for (const [reducedMotion, duration] of [
      ["reduce", "0s"],
      ["no-preference", "0.12s"],
    ] as const) {
      await frame.change({ reducedMotion });
      await frame.show(filled("fetch_assets", manyAssets(3)));
      expect(await frame.evaluate("getComputedStyle(document.querySelector('.chevron')).transitionDuration")).toBe(
        duration,
      );
    }
  });
});

/** Unfolds the first entries; what unfolds may hold more to unfold. */
const unfold = `for (let round = 0; round < 2; round += 1) {
  const folds = ":is(.entry:nth-child(-n+3), main > h2) [aria-expanded='false']";
  for (const fold of document.querySelectorAll(folds)) fold.click();
}`;

const overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth";

const faults = `axe.run({ resultTypes: ["violations"] }).then(({ violations }) =>
  violations.map(({ id, impact, nodes }) => [id, impact, nodes[0].html, nodes[0].failureSummary]))`;
