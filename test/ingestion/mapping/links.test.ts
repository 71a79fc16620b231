import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { findingUrl, pathUrl } from "../../../src/ingestion/mapping/links.ts";
import { ORIGIN, relationship } from "../../support/mapped-findings.ts";

describe("the link to the path of a finding", () => {
  it("shows the path between both principals", () => {
    expect(pathUrl(ORIGIN, relationship)).toBe(
      "https://tenant.test/ui/explore?searchType=pathfinding&primarySearch=S-1-5-21-1-1101&secondarySearch=S-1-5-21-1-512",
    );
  });

  it("shows the only principal that there is, and is absent without any", () => {
    const node = "https://tenant.test/ui/explore?searchType=node&primarySearch=";
    expect(pathUrl(ORIGIN, { Principal: "S-9" })).toBe(`${node}S-9`);
    expect(pathUrl(ORIGIN, { FromPrincipal: "S-8" })).toBe(`${node}S-8`);
    expect(pathUrl(ORIGIN, {})).toBeUndefined();
    expect(pathUrl(ORIGIN, { FromPrincipal: "", ToPrincipal: "", Principal: "S-9" })).toBe(`${node}S-9`);
  });

  it("leads to the tenant and nowhere else, whatever the object ids hold", () => {
    const objectId = fc.string({ unit: "grapheme", minLength: 1 });
    fc.assert(
      fc.property(objectId, objectId, (from, to) => {
        const url = new URL(pathUrl(ORIGIN, { FromPrincipal: from, ToPrincipal: to }) ?? "");
        expect([url.origin, url.pathname, url.hash]).toEqual([ORIGIN, "/ui/explore", ""]);
        expect([url.searchParams.get("primarySearch"), url.searchParams.get("secondarySearch")]).toEqual([from, to]);
      }),
    );
  });

  it("can be made for an object id that is no valid Unicode", () => {
    expect(pathUrl(ORIGIN, { Principal: "broken \ud800" })).toMatch(/^https:\/\/tenant\.test\/ui\/explore/);
  });
});

describe("the link to the page of a finding", () => {
  it("names the environment and the finding type", () => {
    expect(findingUrl(ORIGIN, "S-1-5-21-1", "T0GenericAll")).toBe(
      "https://tenant.test/ui/graphview?environmentId=S-1-5-21-1&findingName=T0GenericAll",
    );
  });

  it("leads to the tenant and nowhere else, whatever the names hold", () => {
    const text = fc.string({ unit: "binary" });
    fc.assert(
      fc.property(text, text, (environmentId, findingType) => {
        const url = new URL(findingUrl(ORIGIN, environmentId, findingType));
        expect([url.origin, url.pathname, url.hash]).toEqual([ORIGIN, "/ui/graphview", ""]);
        expect([...url.searchParams]).toEqual([
          ["environmentId", environmentId.toWellFormed()],
          ["findingName", findingType.toWellFormed()],
        ]);
      }),
    );
  });

  it("can be made for a finding type that is no valid Unicode", () => {
    expect(findingUrl(ORIGIN, "S-1", "broken \ud800")).toMatch(/^https:\/\/tenant\.test\/ui\/graphview/);
  });
});
