import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { findingUrl } from "../../../src/ingestion/mapping/links.ts";
import { ORIGIN, relationship } from "../../support/mapped-findings.ts";

describe("the link to a finding", () => {
  it("shows the path between both principals", () => {
    expect(findingUrl(ORIGIN, relationship)).toBe(
      "https://tenant.test/ui/explore?searchType=pathfinding&primarySearch=S-1-5-21-1-1101&secondarySearch=S-1-5-21-1-512",
    );
  });

  it("shows the only principal that there is, and is absent without any", () => {
    const node = "https://tenant.test/ui/explore?searchType=node&primarySearch=";
    expect(findingUrl(ORIGIN, { Principal: "S-9" })).toBe(`${node}S-9`);
    expect(findingUrl(ORIGIN, { FromPrincipal: "S-8" })).toBe(`${node}S-8`);
    expect(findingUrl(ORIGIN, {})).toBeUndefined();
  });

  it("leads to the tenant and nowhere else, whatever the object ids hold", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme" }), (from, to) => {
        const url = new URL(findingUrl(ORIGIN, { FromPrincipal: from, ToPrincipal: to }) ?? "");
        expect([url.origin, url.pathname, url.hash]).toEqual([ORIGIN, "/ui/explore", ""]);
        expect([url.searchParams.get("primarySearch"), url.searchParams.get("secondarySearch")]).toEqual([from, to]);
      }),
    );
  });

  it("can be made for an object id that is no valid Unicode", () => {
    expect(findingUrl(ORIGIN, { Principal: "broken \ud800" })).toMatch(/^https:\/\/tenant\.test\/ui\/explore/);
  });
});
