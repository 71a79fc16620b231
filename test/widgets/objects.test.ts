import { afterAll, beforeAll, expect, it } from "@jest/globals";
import type { Browser } from "playwright-core";
import { chromium, filled, launch, openFrame, type WidgetFrame } from "./browser.ts";
import { manyObjects, objects } from "./results.ts";

chromium.describe("the widget of Get Object Id", () => {
  let browser: Browser;
  let frame: WidgetFrame;
  beforeAll(async () => {
    browser = await launch();
    frame = await openFrame(browser);
  });
  afterAll(() => browser.close());

  const texts = (selector: string): Promise<string[]> => frame.find(selector).allInnerTexts();

  it("shows what needs a decision first, with the matches that an analyst can choose from", async () => {
    await frame.show(filled("get_object_id", objects));
    expect(await texts("header .badge")).toEqual(["1 ambiguous", "1 not found", "1 failed", "1 found"]);
    expect(await texts("h2")).toEqual(["SVC-BACKUP", "DOMAIN ADMINS", "KV-PROD", "jane.doe@phantom.corp"]);
    expect(await texts(".entry .badge")).toEqual(["Ambiguous", "Not found", "Failed", "Found"]);
    expect(await texts(".candidates-title")).toEqual(["Matches", "Similar names"]);
    expect(await texts(".candidates .id")).toEqual([
      "S-1-5-21-2697957641-2271029196-387917394-3301",
      "0d0f7a4e-3df5-4a11-9f0e-7a2f5d3a6b10",
      "S-1-5-21-2697957641-2271029196-387917394-512",
    ]);
    expect(await texts(".entry .error")).toEqual([objects.objects[3]!.error]);
    expect(await texts(".actions .id")).toEqual(["S-1-5-21-2697957641-2271029196-387917394-2201"]);
  });

  it("says how much the next run has to look up", async () => {
    await frame.show(filled("get_object_id", { ...objects, remaining: 2 }));
    expect((await texts(".notice-title"))[0]).toBe("In progress: the next run looks up 2 more names");
  });

  it("says what it means that nothing similar was found", async () => {
    const nothing = { ...objects.objects[2]!, candidates: [] };
    await frame.show(filled("get_object_id", { objects: [nothing] }));
    expect(await texts(".note")).toEqual([expect.stringContaining("no object with this name or a similar one")]);
  });

  it("shows the first of many names", async () => {
    await frame.show(filled("get_object_id", manyObjects(60)));
    expect(await frame.byRole("heading", { level: 2 }).count()).toBe(12);
    await frame.byRole("button", { name: "Show 12 more names (48 left)" }).click();
    expect(await frame.byRole("heading", { level: 2 }).count()).toBe(24);
    expect(frame.complaints).toEqual([]);
  });
});
