import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { cutOffDeepValues, DEEPEST_LEVEL } from "../../../src/service/responses/nesting.ts";
import { answering } from "../support/answering.ts";

const tenant = answering();

function nested(depth: number, open: string, close: string): unknown {
  return JSON.parse(`${open.repeat(depth)}1${close.repeat(depth)}`) as unknown;
}

/** Levels of objects and lists. */
function depthOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

describe("values that are nested too deep", () => {
  it.each([
    ["[", "]"],
    ['{"a":', "}"],
    ['{"__proto__":', "}"],
    ['{"b":[null,', ',"c"]}'],
  ])("are cut off at the deepest level, and counted: %s", (open, close) => {
    for (const depth of [DEEPEST_LEVEL + 1, 5_000, 200_000]) {
      const value = nested(depth, open, close);
      expect(cutOffDeepValues(value)).toBe(1);
      expect(depthOf(value)).toBe(DEEPEST_LEVEL);
      expect(JSON.stringify(value)).toContain("…");
    }
  });

  it("leave everything above them, and a value that is not too deep, as they are", () => {
    fc.assert(
      fc.property(fc.jsonValue({ depthSize: "large" }), (value) => {
        const before = JSON.stringify(value);
        expect(cutOffDeepValues(value)).toBe(0);
        expect(JSON.stringify(value)).toBe(before);
      }),
    );
    const lists = nested(DEEPEST_LEVEL, "[", "]");
    expect([cutOffDeepValues(lists), depthOf(lists)]).toEqual([0, DEEPEST_LEVEL]);
  });

  it("are in the log of the client that reads such a response", async () => {
    tenant.respond({ data: { props: { deep: nested(300, "[", "]") }, kinds: [] } });
    const { properties } = await tenant.service.entities.directory("users", "S-1", { counts: false });
    expect(depthOf(properties)).toBeLessThan(DEEPEST_LEVEL);
    expect(tenant.warnings()).toMatchObject([{ fields: { path: "/api/v2/users/S-1", count: 1 } }]);
  });
});
