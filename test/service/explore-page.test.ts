import { expect, it } from "@jest/globals";
import { exploreUrl } from "../../src/service/explore-page.ts";

const page = "https://tenant.test/ui/explore";

it("leads to an object, or to the path between two", () => {
  expect(exploreUrl("https://tenant.test", "S-1")).toBe(`${page}?searchType=node&primarySearch=S-1`);
  expect(exploreUrl("https://tenant.test", "S-1", "S-2")).toBe(
    `${page}?searchType=pathfinding&primarySearch=S-1&secondarySearch=S-2`,
  );
});

it.each(["&x=1", "#", "A B", "\ud800", "</script>"])("keeps the object id %j in its parameter", (objectId) => {
  const parameters = new URL(exploreUrl("https://tenant.test", objectId, objectId)).searchParams;
  expect([parameters.get("primarySearch"), parameters.get("secondarySearch")]).toEqual(
    Array(2).fill(objectId.toWellFormed()),
  );
});
