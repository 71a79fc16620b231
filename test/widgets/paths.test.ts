import { expect, it } from "@jest/globals";
import { chromium, filled, frameOfSuite } from "./browser.ts";
import {
  ambiguous,
  failed,
  noPath,
  pairs,
  pathFound,
  relationshipOnly,
  sameObject,
  severalPairs,
  unknown,
} from "./results.ts";

const [found] = pathFound.paths;

chromium.describe("the widget of Does Path Exist", () => {
  const frame = frameOfSuite();

  const texts = (selector: string): Promise<string[]> => frame().find(selector).allInnerTexts();
  const draw = (result: unknown): Promise<void> => frame().show(filled("does_path_exist", result));

  it("draws a path: each object with its kind, each edge by its name, tier zero marked", async () => {
    await draw(pathFound);
    expect(await texts("h1")).toEqual(["Attack path found"]);
    expect(await texts("header .badge")).toEqual(["Open, 4 hops", "Tier Zero"]);
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
    expect(await frame().byRole("list", { name: "One shortest attack path, 4 hops" }).count()).toBe(1);
    expect(await frame().find(".node").first().getAttribute("title")).toBe(
      "JANE.DOE@PHANTOM.CORP (S-1-5-21-2697957641-2271029196-387917394-2201)",
    );
    expect(frame().complaints).toEqual([]);
  });

  it.each([
    [360, 5],
    [599, 5],
    [1200, 2],
    [1700, 1],
  ])("leads every arrow into its card at a width of %i", async (width, rows) => {
    await frame().change({ viewport: { width, height: 600 } });
    await draw(pathFound);
    expect(await frame().evaluate(`new Set([...document.querySelectorAll(".node")].map(${top})).size`)).toBe(rows);
    expect(await frame().evaluate(strayArrows)).toEqual([]);
    expect(await frame().evaluate(overflow)).toBe(0);
    await frame().change({});
  });

  it("compares the shortest paths hop by hop, and names the hop that all of them share", async () => {
    await draw(pathFound);
    await frame().byRole("button", { name: "Other shortest paths: 4 edges" }).click();
    expect(await texts(".hop-title")).toEqual([
      expect.stringMatching(/Hop 1\s*2 edges/),
      expect.stringMatching(/Hop 2\s*3 edges/),
      expect.stringMatching(/Hop 3\s*2 edges/),
      expect.stringMatching(/Hop 4\s*every shortest path/),
    ]);
    const second = frame().byRole("list", { name: "Edges of hop 2" }).getByRole("listitem");
    expect(await second.nth(2).locator("bdi:not(.same)").allInnerTexts()).toEqual(["CanRDP"]);
    expect(await texts(".path .badge")).toEqual(["Start", "+1 other", "+2 other", "+1 other", "End", "Tier Zero"]);
  });

  it("takes no two hidden objects for the same one", async () => {
    const hidden = (name: string) => ({ objectId: "HIDDEN", name, kind: "HIDDEN" });
    const { start, end } = found!;
    const way = (over: object) => [
      { from: start, relation: "MemberOf", to: over },
      { from: over, relation: "AdminTo", to: end },
    ];
    const alternatives = way(hidden("** Hidden User Object **")).map((edge, index) => ({ hop: index + 1, ...edge }));
    await draw({
      exists: true,
      paths: [{ ...found, length: 2, hops: way(hidden("** Hidden Group Object **")), alternatives }],
    });
    await frame().byRole("button", { name: "Other shortest paths: 2 edges" }).click();
    const second = frame().byRole("list", { name: "Edges of hop 1" }).getByRole("listitem").nth(1);
    expect(await second.locator("bdi:not(.same)").allInnerTexts()).toEqual(["** Hidden User Object **"]);
  });

  it("marks Tier Zero on other shortest paths", async () => {
    const [, , , beside] = found!.alternatives;
    await draw({ exists: true, paths: [{ ...found, tierZero: [...found!.tierZero, beside!.from.objectId] }] });
    await frame().byRole("button", { name: "Other shortest paths: 4 edges" }).click();
    expect(await texts(".edges .name:has(.badge)")).toEqual([
      "SRV-BACKUP-01.PHANTOM.CORP Tier Zero",
      "SRV-BACKUP-01.PHANTOM.CORP Tier Zero",
      "DOMAIN ADMINS@PHANTOM.CORP Tier Zero",
    ]);
  });

  it("does not call a hop the only way when edges were left out", async () => {
    await draw({ exists: true, paths: [{ ...found, truncated: true }] });
    await frame().byRole("button", { name: "Other shortest paths: 4 edges listed" }).click();
    expect(await texts(".hop-title .warning")).toEqual([]);
    expect(await texts(".note")).toEqual([expect.stringContaining("more edges than this result holds")]);
    expect(await texts(".path .edge .badge")).toEqual(["+1 or more", "+2 or more", "+1 or more"]);
  });

  it.each([
    ["there is no path", noPath.paths[0], "No attack path", "Both objects are known"],
    ["an object is unknown", unknown, "Not answered", unknown.error],
    ["a name is ambiguous", ambiguous, "Not answered", ambiguous.error],
    ["the service failed", failed, "Not answered", failed.error],
    ["start and end are one object", sameObject, "Start and end are the same object", "has no hops."],
    [
      "a relationship gives no control",
      relationshipOnly,
      "Relationship found, no attack path",
      "A finding about another relationship is fixed.",
    ],
    [
      "the hops were left out",
      { ...found, hops: [], alternatives: [], truncated: true },
      "Attack path found",
      "The hops were left out",
    ],
  ])("explains that %s", async (_, pair, title, explanation) => {
    await draw({ exists: pair!.exists, paths: [pair] });
    expect(await texts("h1")).toEqual([title]);
    expect(await frame().find("main").innerText()).toContain(explanation);
    expect(await frame().evaluate(strayArrows)).toEqual([]);
    expect(frame().complaints).toEqual([]);
  });

  it("offers no other shortest paths where the hops were left out", async () => {
    await draw({ exists: true, paths: [{ ...found, hops: [], alternatives: [], truncated: true }] });
    expect(
      await frame()
        .byRole("button", { name: /Other shortest paths/ })
        .count(),
    ).toBe(0);
  });

  it("counts a path once, however many findings are about it", async () => {
    await draw({ exists: true, paths: ["high", "low"].map((severity) => ({ ...found, severity })) });
    expect(await texts("h1")).toEqual(["1 attack path found"]);
    expect(await texts("header .badge")).toEqual(["2 open"]);
  });

  it("counts no object and itself among the attack paths", async () => {
    await draw({ exists: true, paths: [sameObject, found, noPath.paths[0]] });
    expect(await texts("h1")).toEqual(["1 attack path found"]);
    expect(await frame().find("main").innerText()).toContain("Same object");
    await draw({ exists: true, paths: [sameObject, noPath.paths[0]] });
    expect(await texts("h1")).toEqual(["No attack path"]);
  });

  it("calls a relationship without control no attack path for screen readers, either", async () => {
    await draw({ exists: true, paths: [relationshipOnly] });
    expect(
      await frame()
        .byRole("list", { name: /^A relationship, no attack path$/ })
        .count(),
    ).toBe(1);
    expect(
      await frame()
        .byRole("list", { name: /shortest attack path/ })
        .count(),
    ).toBe(0);
  });

  it("sums up several pairs, and shows the worst first and open", async () => {
    await draw(severalPairs);
    expect(await texts("h1")).toEqual(["1 attack path found"]);
    expect(await texts("header .badge")).toEqual(["1 open", "1 not answered", "1 closed"]);
    expect(await frame().byRole("region", { name: "1 of 3 pairs could not be checked" }).innerText()).toContain(
      unknown.error,
    );
    const pairsShown = [
      ["JANE.DOE@PHANTOM.CORP to DOMAIN ADMINS@PHANTOM.CORP Open, 4 hops Tier Zero", true],
      ["NOBODY to DOMAIN ADMINS@PHANTOM.CORP Unknown object", false],
      ["JANE.DOE@PHANTOM.CORP to DOMAIN ADMINS@PHANTOM.CORP Closed", false],
    ] as const;
    for (const [index, [name, expanded]] of pairsShown.entries()) {
      const heading = frame().byRole("heading", { level: 2 }).nth(index);
      expect(await heading.getByRole("button", { name, exact: true, expanded }).count()).toBe(1);
    }
  });

  it("sorts open pairs by the severity of their findings, then by Tier Zero and length", async () => {
    const named = (name: string, more: object): object => ({ ...found!, start: { ...found!.start, name }, ...more });
    const paths = [
      named("LONG", { length: 9, tierZero: [] }),
      named("LOW", { severity: "low" }),
      named("SHORT", { length: 1, tierZero: [] }),
      named("TIER ZERO", {}),
      named("CRITICAL", { severity: "critical", tierZero: [] }),
    ];
    await draw({ exists: true, paths });
    expect(await texts(".ends .end:first-child .name")).toEqual(["CRITICAL", "LOW", "TIER ZERO", "SHORT", "LONG"]);
    expect(await frame().find(".entry").first().locator("h2 .badge").allInnerTexts()).toEqual([
      "Open, 4 hops",
      "critical",
    ]);
  });

  it("says how much the next run has to check", async () => {
    await draw({ ...noPath, exists: null, remaining: 40 });
    expect(await frame().byRole("region").getAttribute("aria-label")).toBe(
      "In progress: the next run checks 40 more pairs",
    );
  });

  it("says that nothing is known as long as some findings are not answered, and how many have no entry", async () => {
    const unanswered = { exists: null, summary: { verdict: "unknown", unanswered: 118 } };
    const [one] = noPath.paths;
    for (const paths of [[one], [one, one]]) {
      await draw({ ...unanswered, paths });
      expect(await texts("h1")).toEqual(["Not answered"]);
      expect(await texts(".notice-title")).toEqual(["118 more findings of the alert could not be checked"]);
    }
    await draw({ ...unanswered, paths: [...pathFound.paths, unknown], exists: true });
    expect(await texts("h1")).toEqual(["1 attack path found"]);
    expect(await texts(".notice-title")).toContain("117 more findings of the alert could not be checked");
  });

  it("says that the action goes on when it has no answer yet", async () => {
    for (const stem of ["does_path_exist", "get_object_id", "fetch_assets"]) {
      await frame().show(filled(stem, { remaining: 5 }));
      expect(await texts("h1")).toEqual(["In progress"]);
    }
  });

  it("says how near each start is to Tier Zero, whether a path was found or not", async () => {
    const near = (hops: number | null, exists: boolean | null, text: string) => ({ hops, exists, text });
    const starts = [near(2, true, "A is near."), near(null, false, "B is not."), near(null, null, "C is not known.")];
    await draw({ ...pathFound, nearTierZero: { starts } });
    const shown = ["2 hops A is near.", "No path found B is not.", "Not known C is not known."];
    expect(await texts(".distances li")).toEqual(shown);
    const error = "There are two of this name: S-1, S-2.";
    await draw({ exists: null, paths: [], remaining: 3, nearTierZero: { starts: [{ ...starts[2], error }] } });
    expect(await texts("h1")).toEqual(["Distance to Tier Zero"]);
    expect((await texts(".distances li")).map((each) => each.replace(/\s+/g, " "))).toEqual([`${shown[2]} ${error}`]);
    expect(await texts(".notice-title")).toEqual(["In progress: the next run goes on"]);
  });

  it("does not say of a start in Tier Zero that no attack path leads there", async () => {
    const [closed] = noPath.paths;
    const starts = [{ hops: 0, exists: true, text: "A is in Tier Zero." }];
    for (const paths of [[closed], [closed, closed]]) {
      await draw({ ...noPath, exists: true, paths, nearTierZero: { starts } });
      expect(await texts("h1")).toEqual(["Distance to Tier Zero"]);
      await draw({ ...noPath, paths });
      expect(await texts("h1")).toEqual(["No attack path"]);
    }
  });

  it("explains the relationships on the paths when asked", async () => {
    const source = "https://bloodhound.specterops.io/resources/edges/write-dacl";
    const said = {
      allows: "It allows.",
      abuse: "It is abused.",
      notice: "It is noticed.",
      removal: "It is removed.",
    };
    await draw({ ...pathFound, relations: [{ kind: "WriteDacl", ...said, technique: "T1222", source }] });
    expect(await texts(".relations dd")).toEqual([]);
    await frame().byRole("button", { name: "What 1 relationship on the path means" }).click();
    expect(await texts(".relations dd")).toEqual(Object.values(said));
    expect(await texts(".relations .note")).toEqual([expect.stringContaining("MITRE ATT&CK T1222.")]);
    expect(await frame().find(".relations a").first().getAttribute("href")).toBe(source);
  });

  it("groups the reasons of many pairs that could not be checked", async () => {
    await draw(pairs(60));
    expect(await texts(".reasons li")).toEqual([
      `7 × ${failed.error}`,
      `7 × ${unknown.error}`,
      `7 × ${ambiguous.error}`,
    ]);
  });
});

const top = "(node) => node.getBoundingClientRect().top";
const overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth";

/** The relations whose arrow does not end at the edge of its own card. */
const strayArrows = `[...document.querySelectorAll(".path > li")].flatMap((step) => {
  const [shaft, card] = [".shaft", ".node"].map((part) => step.querySelector(part)?.getBoundingClientRect());
  if (shaft === undefined) return [];
  const vertical = Math.abs(shaft.bottom - card.top) < 12 && shaft.left >= card.left && shaft.right <= card.right;
  const horizontal = Math.abs(shaft.right - card.left) < 12 && shaft.top >= card.top && shaft.bottom <= card.bottom;
  return vertical || horizontal ? [] : [step.innerText];
})`;
