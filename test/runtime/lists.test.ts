import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { cleanList, commaHint, listText, ListSyntaxError, parseList } from "../../src/runtime/lists.ts";

const entry = fc
  .string({ minLength: 1 })
  .map((text) => text.trim())
  .filter((text) => text !== "");
const plainEntry = entry.filter((text) => !/[,\n[\]]/.test(text));

const listIn = (text: string): string[] => cleanList(parseList(text));

describe("parseList and cleanList", () => {
  it("splits at commas, trims blanks and drops empty entries", () => {
    expect(listIn(" ALICE@EXAMPLE.LOCAL ,, BOB@EXAMPLE.LOCAL, ")).toEqual(["ALICE@EXAMPLE.LOCAL", "BOB@EXAMPLE.LOCAL"]);
  });

  it("splits at line feeds, as in a column that was pasted", () => {
    expect(listIn("ALICE@EXAMPLE.LOCAL\r\n\r\nBOB@EXAMPLE.LOCAL, EVE\n")).toEqual([
      "ALICE@EXAMPLE.LOCAL",
      "BOB@EXAMPLE.LOCAL",
      "EVE",
    ]);
  });

  it("makes no empty entries of commas at the ends of lines", () => {
    expect(parseList("A,\nB, \r\nC,")).toEqual(["A", "B", "C", ""]);
  });

  it("takes a JSON array, so that a name may hold a comma", () => {
    expect(listIn('["DOE, JOHN", "B"]')).toEqual(["DOE, JOHN", "B"]);
  });

  it("keep empty entries and repetitions until they are cleaned away", () => {
    expect(parseList(" A ,,A, ")).toEqual(["A", "", "A", ""]);
  });

  it("takes a name that only begins or ends with a bracket as a name", () => {
    expect(listIn("[OLD] ADMINS, B")).toEqual(["[OLD] ADMINS", "B"]);
    expect(listIn("A, ADMINS [OLD]")).toEqual(["A", "ADMINS [OLD]"]);
  });

  it("reads what its hint about commas shows, also with blanks around it", () => {
    const [array] = /\[.*\]/.exec(commaHint("DOE, JOHN"))!;
    expect(listIn(` ${array} `)).toEqual(["DOE, JOHN"]);
    expect(commaHint()).toContain('["DOE, JANE@EXAMPLE.LOCAL"]');
  });

  it("reads back what is written as a text, also ids with commas and brackets", () => {
    fc.assert(
      fc.property(fc.array(entry), (entries) => {
        expect(cleanList(parseList(listText(entries)))).toEqual(cleanList(entries));
      }),
    );
    expect(listText(["S-1", "S-2"])).toBe("S-1,S-2");
  });

  it.each(["[A, B]", '["A", 1]', '["A", ["B"]]', '["A", "B"'])("refuses %s", (text) => {
    expect(() => listIn(text)).toThrow(ListSyntaxError);
  });

  it("reads back any JSON array of distinct, trimmed, non-empty texts", () => {
    fc.assert(
      fc.property(fc.uniqueArray(entry), (entries) => {
        expect(listIn(JSON.stringify(entries))).toEqual(entries);
      }),
    );
  });

  it("reads back any comma-separated list of distinct entries without commas", () => {
    fc.assert(
      fc.property(fc.uniqueArray(plainEntry), (entries) => {
        expect(listIn(entries.join(" , "))).toEqual(entries);
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
        expect(listIn(text)).toEqual(expected);
      }),
    );
  });
});
