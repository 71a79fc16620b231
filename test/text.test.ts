import { describe, expect, it } from "@jest/globals";
import { counted, durationText, grouped, isSameText, listed, oneLine, sentences, shortened } from "../src/text.ts";

describe("a duration", () => {
  it.each([
    [0, "0 ms"],
    [999.6, "1 s"],
    [59_700, "1 min"],
    [3_630_000, "1 h"],
    [1_234, "1.2 s"],
    [12_345, "12 s"],
    [600_000, "10 min"],
    [185_000, "3 min 5 s"],
    [7_500_000, "2 h 5 min"],
    [90_000_000, "1 d 1 h"],
  ])("of %d ms reads %s", (ms, text) => {
    expect(durationText(ms)).toBe(text);
  });

  it("can be in one unit", () => {
    expect([durationText(185_000, 1), durationText(90_000_000, 1)]).toEqual(["3 min", "1 d"]);
  });
});

describe("a text that is too long", () => {
  it("ends in an ellipsis, and is valid Unicode also where it was cut within a character", () => {
    expect([shortened("abc", 3), shortened("abcd", 3)]).toEqual(["abc", "abc…"]);
    expect(shortened("ab😀d", 3)).toBe("ab…");
  });

  it("of sentences loses the middle of its longest ones", () => {
    const id = "(status 500, request id 1234)";
    const long = (letter: string, length: number) => `Incomplete: ${letter.repeat(length)}. ${id}`;
    const message = sentences([long("A", 3_000), "", long("B", 900), "Delivered 1 new finding in 1 alert."]);
    expect(message.length).toBeLessThanOrEqual(1_900);
    expect(message).toMatch(
      /^Incomplete: A{500,}…A+\. \(status 500, request id 1234\) Incomplete: B{500,}…?B*\. \(status/,
    );
    expect(message).toMatch(/request id 1234\) Delivered 1 new finding in 1 alert\.$/);
    expect(sentences(["A.", "B".repeat(1_897)])).toBe(`A. ${"B".repeat(1_897)}`);
  });

  it.each([1, 2, 700, 5_000])("of sentences stays within its limit, however many they are: %d", (count) => {
    const message = sentences(Array.from({ length: count }, (_, i) => `${"a".repeat(i % 4)}${"😀".repeat(700)}`));
    expect(message.length).toBeLessThanOrEqual(1_901);
    expect(message.replaceAll("😀", "")).toMatch(/^[a… ]*$/);
  });

  it("comes onto one line", () => {
    expect(oneLine(" a\u0000b\r\n\u202ec  d", 5)).toBe("a b c…");
  });
});

describe("a number in a sentence", () => {
  it("has its thousands apart", () => {
    expect([0, 999, 1_000, 12_345, 1_234_567].map(grouped)).toEqual(["0", "999", "1,000", "12,345", "1,234,567"]);
  });

  it("tells one thing from several", () => {
    expect([counted(1, "case"), counted(2_000, "case"), counted(0, "query", "queries")]).toEqual([
      "1 case",
      "2,000 cases",
      "0 queries",
    ]);
  });
});

describe("a name", () => {
  it("is the same in other letter case", () => {
    expect(["ada@corp", "ADA@CORP", "Ada@Corp"].every((text) => isSameText(text, "ada@CORP"))).toBe(true);
    expect(isSameText("ada", "adam")).toBe(false);
  });

  it.each([
    ["straße", "STRASSE"],
    ["admın", "ADMIN"],
    ["ſven", "SVEN"],
    ["oﬃce", "OFFICE"],
  ])("of %s is not %s, although capitals would make it so", (text, other) => {
    expect([isSameText(text, other), isSameText(text, text)]).toEqual([false, true]);
  });
});

describe("names in a sentence", () => {
  it("are so many, and the number of the others", () => {
    expect(listed(["A", "B"])).toBe("A, B");
    expect(listed(["A", "B", "C"], 2)).toBe("A, B and 1 more");
    expect(listed(["A", "B"], 2, 12)).toBe("A, B and 10 more");
    expect(listed([])).toBe("");
  });

  it("are fewer where they are long", () => {
    const names = Array.from({ length: 12 }, (_, i) => String(i).padEnd(150, "x"));
    expect(listed(names)).toMatch(/^0x{99}…, 1x{99}…, 2x{99}…, 3x{99}…, 4x{99}… and 7 more$/);
    expect(listed(names, 12, 12, Infinity)).not.toContain("more");
  });
});
