import { afterAll, beforeAll, expect, it } from "@jest/globals";
import type { Browser } from "playwright-core";
import { chromium, filled, launch, openFrame, type WidgetFrame } from "./browser.ts";
import { assets, manyAssets } from "./results.ts";

chromium.describe("the widget of Fetch Assets", () => {
  let browser: Browser;
  let frame: WidgetFrame;
  beforeAll(async () => {
    browser = await launch();
    frame = await openFrame(browser);
  });
  afterAll(() => browser.close());

  const draw = (...some: object[]): Promise<void> => frame.show(filled("fetch_assets", { assets: some }));
  const texts = (selector: string): Promise<string[]> => frame.find(selector).allInnerTexts();
  const [admins, user, vault, notFound, failed] = assets.assets as [object, object, object, object, object];

  it("shows a count of null as unknown, and names the counts that are 0", async () => {
    await draw(admins);
    expect(await texts(".count")).toEqual([
      "Sessions\n3",
      "Members\n1,204",
      "Membership\n2",
      "Admin rights\n871",
      "PS remote rights\nunknown",
      "Controllers\n12",
    ]);
    expect(await texts(".zeros")).toEqual(["0 RDP rights"]);
  });

  it("names counts inside counts by all their keys", async () => {
    await draw(vault);
    expect(await texts(".count dt")).toEqual([
      "Readers: key readers",
      "Readers: secret readers",
      "Readers: all readers",
      "Inbound object control",
    ]);
    expect(await texts(".zeros")).toEqual(["0 Readers: certificate readers"]);
  });

  it("names related objects, the rest at the press of a button, and says why a list is missing", async () => {
    await draw(admins);
    const members = frame.byRole("group", { name: "Members", exact: true });
    expect(await members.getByRole("listitem").count()).toBe(5);
    await members.getByRole("button", { name: "Show 20 more objects" }).click();
    expect(await members.getByRole("listitem").count()).toBe(25);
    expect(await members.innerText()).toContain("1,179 more objects in the service");
    expect(await frame.evaluate("document.activeElement.innerText")).toContain("OPERATOR-05@PHANTOM.CORP");
    expect(await frame.byRole("group", { name: "Memberships" }).getByRole("listitem").allInnerTexts()).toEqual([
      "FILE-OPERATORS@PHANTOM.CORP\nGroup",
      "HELPDESK-TIER2@PHANTOM.CORP\nGroup",
    ]);
    expect(await frame.byRole("group", { name: "Admin rights" }).innerText()).toMatch(/871[^]*within 30 s/);
  });

  it("shows what an asset is, and its properties when they are asked for", async () => {
    await draw(user);
    expect(await texts("h2 .badge")).toEqual(["Disabled", "Has an SPN", "Password never expires"]);
    await frame.byRole("button", { name: "5 properties" }).click();
    expect(await frame.find(".properties").innerText()).toMatch(
      /lastlogon\s+never\s+pwdlastset\s+2021-01-01 00:00 UTC/,
    );
  });

  it("says why assets could not be read", async () => {
    await draw(notFound, failed);
    expect(await texts("header .badge")).toEqual(["1 failed", "1 not found"]);
    expect(await texts(".entry .error")).toEqual([
      expect.stringContaining("within 30 s"),
      "The service does not know this object id, or the token may not see it.",
    ]);
    expect(await frame.byRole("region", { name: "1 of 2 assets could not be read" }).count()).toBe(1);
  });

  it("shows a few assets open, and many folded", async () => {
    const headings = frame.byRole("heading", { level: 2 });
    const open = (): Promise<number> => headings.getByRole("button", { expanded: true }).count();
    await draw(user, admins, vault);
    expect([await headings.count(), await open()]).toEqual([3, 3]);
    await frame.show(filled("fetch_assets", manyAssets(60)));
    expect([await headings.count(), await open()]).toEqual([12, 0]);
  });

  it("sorts by Tier Zero, then by what an asset can do, and puts what could not be read last", async () => {
    await frame.show(filled("fetch_assets", manyAssets(16)));
    await frame.byRole("button", { name: /^Show 4 more assets/ }).click();
    const names = await texts("h2 .name");
    expect(names.slice(0, 4)).toEqual([
      "DOMAIN ADMINS-12@PHANTOM.CORP",
      "KV-PROD-09",
      "DOMAIN ADMINS-04@PHANTOM.CORP",
      "KV-PROD-01",
    ]);
    expect(names.slice(4, 6)).toEqual(["KV-PROD-15", "SVC-BACKUP-14@PHANTOM.CORP"]);
    expect(await texts("h2 .badge.warning")).toEqual(
      expect.arrayContaining(["Failed", "Failed", "Not found", "Not found"]),
    );
    expect(names.slice(-4).every((name) => name.startsWith("S-1-5"))).toBe(true);
  });

  it("says how much the next run has to read", async () => {
    await frame.show(filled("fetch_assets", { assets: [user], remaining: 1 }));
    expect(await texts(".notice-title")).toEqual(["In progress: the next run reads 1 more asset"]);
  });
});
