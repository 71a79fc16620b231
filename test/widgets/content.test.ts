import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { rootDir } from "../support/package.ts";
import { startServer } from "../support/raw-server.ts";
import { chromium, filled, frameOfSuite, withText, type ViewOptions } from "./browser.ts";
import { assets, hostile, hostileNames, manyAssets, manyObjects, objects } from "./results.ts";

chromium.describe("a widget", () => {
  const frame = frameOfSuite();

  const texts = (selector: string): Promise<string[]> => frame().find(selector).allInnerTexts();

  it.each([
    ["get-object-id", [/ADA\.FONTANA@CORP\.HALDEN\.TEST[^]*S-1-5-21-/, /NOBODY@CORP\.HALDEN\.TEST[^]*Not found/]],
    ["does-path-exist", [/HELP DESK@CORP\.HALDEN\.TEST[^]*ForceChangePassword[^]*DOMAIN ADMINS@CORP\.HALDEN\.TEST/]],
    ["fetch-assets", [/1 other\s*1 not found/, /Member/]],
  ])("draws what a real run of %s answers, with a link to the service", async (name, expected) => {
    const example = join(rootDir, "src", "packaging", "google-secops", "examples", `${name}.json`);
    await frame().show(filled(name.replaceAll("-", "_"), JSON.parse(await readFile(example, "utf8"))));
    const text = await frame().find("main").innerText();
    for (const each of expected) expect(text).toMatch(each);
    expect(await frame().byRole("link", { name: "Open in the service" }).count()).toBeGreaterThan(0);
    expect(frame().complaints).toEqual([]);
  });

  it.each(hostileNames.map((name) => [name.slice(0, 40), name]))("shows the name %j as text", async (_, name) => {
    const results = hostile(name);
    for (const [stem, result] of [
      ["does_path_exist", results.paths],
      ["get_object_id", results.objects],
      ["fetch_assets", results.assets],
    ] as const) {
      await frame().show(filled(stem, result));
      const [shown, foreign, broken] = (await frame().evaluate(drawn)) as [string, number, unknown];
      expect(
        shown.replaceAll(/‹U\+([0-9A-F]+)›/g, (_mark, hex: string) => String.fromCodePoint(parseInt(hex, 16))),
      ).toBe(name);
      expect(shown).not.toMatch(/[\p{Cc}\p{Cf}]/u);
      expect([foreign, broken]).toEqual([0, undefined]);
      expect(frame().complaints).toEqual([]);
    }
  });

  it("runs nothing and asks for nothing even when a result breaks out of its block", async () => {
    const { url, requests } = await startServer((_request, response) => {
      response.end();
    });
    const markup = `<img src="${url}" onerror="window.broken = true"><style>@import "${url}"; main { display: none }</style><script>window.broken = true; fetch("${url}")</script>`;
    await frame().show(withText("get_object_id", `{"x":"</script>${markup}"}`));
    expect(await texts("body")).toEqual([expect.stringContaining("Nothing to show yet")]);
    expect(await frame().evaluate("window.broken")).toBeUndefined();
    await frame().evaluate(`fetch(${JSON.stringify(url)}).catch(() => null)`);
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
    for (const stem of ["get_object_id", "does_path_exist", "fetch_assets"]) {
      await frame().show(withText(stem, data));
      expect(await frame().byRole("status").innerText()).toContain("Nothing to show yet");
      expect(frame().complaints).toEqual([]);
    }
  });

  it.each([
    ["does_path_exist", { paths: [{ exists: true, hops: [{}, { to: { name: 5 } }] }] }, ["Open, 2 hops"]],
    ["get_object_id", { objects: [{}, null, { name: "A", candidates: [null, "x"] }] }, ["3 failed"]],
    ["fetch_assets", { assets: [{}, null, { status: "found", counts: [], related: 7 }] }, ["1 other", "2 failed"]],
  ])("draws what is there when fields are missing (%s)", async (stem, result, expected) => {
    await frame().show(filled(stem, result));
    expect(await texts("header .badge")).toEqual(expected);
    expect(frame().complaints).toEqual([]);
  });

  const background = async (options: ViewOptions): Promise<unknown> => {
    await frame().change(options);
    await frame().show(filled("fetch_assets", assets));
    return frame().evaluate("getComputedStyle(document.body).backgroundColor");
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

  describe("of Get Object Id", () => {
    it("shows what needs a decision first, with the matches that an analyst can choose from", async () => {
      await frame().show(filled("get_object_id", objects));
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
      await frame().show(filled("get_object_id", { ...objects, remaining: 2 }));
      expect((await texts(".notice-title"))[0]).toBe("In progress: the next run looks up 2 more names");
    });

    it("says what it means that nothing similar was found", async () => {
      const nothing = { ...objects.objects[2]!, candidates: [] };
      await frame().show(filled("get_object_id", { objects: [nothing] }));
      expect(await texts(".note")).toEqual([expect.stringContaining("no object with this name or a similar one")]);
    });

    it("says that matches were left out, and not that there are none", async () => {
      const shortened = { ...objects.objects[2]!, candidates: [], truncated: true };
      await frame().show(filled("get_object_id", { objects: [shortened] }));
      expect(await texts(".note")).toEqual([expect.stringMatching(/^There are more matches\. They are left out/)]);
    });

    it("shows the first of many names", async () => {
      await frame().show(filled("get_object_id", manyObjects(60)));
      expect(await frame().byRole("heading", { level: 2 }).count()).toBe(12);
      await frame().byRole("button", { name: "Show 12 more names (48 left)" }).click();
      expect(await frame().byRole("heading", { level: 2 }).count()).toBe(24);
      expect(frame().complaints).toEqual([]);
    });
  });

  describe("of Fetch Assets", () => {
    const draw = (...some: object[]): Promise<void> => frame().show(filled("fetch_assets", { assets: some }));
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
      const members = frame().byRole("group", { name: "Members", exact: true });
      expect(await members.getByRole("listitem").count()).toBe(5);
      await members.getByRole("button", { name: "Show 20 more objects" }).click();
      expect(await members.getByRole("listitem").count()).toBe(25);
      expect(await members.innerText()).toContain("1,179 more objects in the service");
      expect(await frame().evaluate("document.activeElement.innerText")).toContain("OPERATOR-05@PHANTOM.CORP");
      expect(await frame().byRole("group", { name: "Memberships" }).getByRole("listitem").allInnerTexts()).toEqual([
        "FILE-OPERATORS@PHANTOM.CORP\nGroup",
        "HELPDESK-TIER2@PHANTOM.CORP\nGroup",
      ]);
      expect(await frame().byRole("group", { name: "Admin rights" }).innerText()).toMatch(/871[^]*within 30 s/);
    });

    it("shows what an asset is, and its properties when they are asked for", async () => {
      await draw(user);
      expect(await texts("h2 .badge")).toEqual(["Disabled", "Has an SPN", "Password never expires"]);
      await frame().byRole("button", { name: "5 properties" }).click();
      expect(await frame().find(".properties").innerText()).toMatch(
        /lastlogon\s+never\s+pwdlastset\s+2021-01-01 00:00 UTC/,
      );
    });

    it("says why assets could not be read", async () => {
      await draw(notFound, failed);
      expect(await texts("header .badge")).toEqual(["1 failed", "1 not found"]);
      expect(await texts(".entry .error")).toEqual([
        expect.stringContaining("within 30 s"),
        "The service has no object with this object id, or the token may not see it. Get Object Id finds the object id of a name.",
      ]);
      expect(await frame().byRole("region", { name: "1 of 2 assets could not be read" }).count()).toBe(1);
    });

    it("shows a few assets open, and many folded", async () => {
      const headings = frame().byRole("heading", { level: 2 });
      const open = (): Promise<number> => headings.getByRole("button", { expanded: true }).count();
      await draw(user, admins, vault);
      expect([await headings.count(), await open()]).toEqual([3, 3]);
      await frame().show(filled("fetch_assets", manyAssets(60)));
      expect([await headings.count(), await open()]).toEqual([12, 0]);
    });

    it("sorts by Tier Zero, then by what an asset can do, and puts what could not be read last", async () => {
      await frame().show(filled("fetch_assets", manyAssets(16)));
      await frame()
        .byRole("button", { name: /^Show 4 more assets/ })
        .click();
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
      await frame().show(filled("fetch_assets", { assets: [user], remaining: 1 }));
      expect(await texts(".notice-title")).toEqual(["In progress: the next run reads 1 more asset"]);
    });
  });
});

/** The first name, how many elements there are that no widget draws, and whether a script of somebody else has run. */
const drawn = `[
  document.querySelector("main .name").textContent, document.querySelectorAll("img, main script").length, window.broken,
]`;
