import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { ListSyntaxError, parseList } from "../../src/runtime/lists.ts";

const entry = fc
  .string({ minLength: 1 })
  .map((text) => text.trim())
  .filter((text) => text !== "");
const plainEntry = entry.filter((text) => !/[,[\]]/.test(text));

describe("parseList", () => {
  it("splits at commas, trims blanks and drops empty entries", () => {
    expect(parseList(" ALICE@EXAMPLE.LOCAL ,, BOB@EXAMPLE.LOCAL, ")).toEqual([
      "ALICE@EXAMPLE.LOCAL",
      "BOB@EXAMPLE.LOCAL",
    ]);
  });

  it("takes a JSON array, so that a name may hold a comma", () => {
    expect(parseList('["DOE, JOHN", "B"]')).toEqual(["DOE, JOHN", "B"]);
  });

  it("takes a name that only begins with a bracket as a name", () => {
    expect(parseList("[OLD] ADMINS, B")).toEqual(["[OLD] ADMINS", "B"]);
  });

  it.each(["[A, B]", '["A", 1]', '["A", ["B"]]'])("refuses %s", (text) => {
    expect(() => parseList(text)).toThrow(ListSyntaxError);
  });

  it("reads back any JSON array of distinct, trimmed, non-empty texts", () => {
    fc.assert(
      fc.property(fc.uniqueArray(entry), (entries) => {
        expect(parseList(JSON.stringify(entries))).toEqual(entries);
      }),
    );
  });

  it("reads back any comma-separated list of distinct entries without commas", () => {
    fc.assert(
      fc.property(fc.uniqueArray(plainEntry), (entries) => {
        expect(parseList(entries.join(" , "))).toEqual(entries);
      }),
    );
  });

  it("gives trimmed, non-empty, distinct entries in the order of their first appearance, for any text", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom("A", " A", "b ", "", " ", "C,", "d")), (parts) => {
        const text = parts.join(",");
        const expected: string[] = [];
        for (const part of text.split(",")) {
          const name = part.trim();
          if (name !== "" && !expected.includes(name)) expected.push(name);
        }
        expect(parseList(text)).toEqual(expected);
      }),
    );
  });
});
