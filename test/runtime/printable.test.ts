import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { mapTexts, printable, toJson } from "../../src/runtime/printable.ts";
import { anyCharacter } from "../support/any-character.ts";

describe("printable", () => {
  it("shows line ends, escape sequences and direction overrides as escapes", () => {
    expect(printable("a\r\n\tb\u001b[31mc\u202ed\u2028e\u0085")).toBe("a\\r\\n\\tb\\u001b[31mc\\u202ed\\u2028e\\u0085");
  });

  it("leaves letters of any script and emoji alone", () => {
    expect(printable("Zoë 管理者 👩‍💻 – ok")).toBe("Zoë 管理者 👩‍💻 – ok");
  });

  it("gives one line without control characters for any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        expect(printable(text)).not.toMatch(/[\p{Cc}\p{Cs}\u2028\u2029]/u);
      }),
    );
  });
});

describe("mapTexts", () => {
  it("changes every text and key, and cuts off what lies too deep to be written", () => {
    const shout = (text: string) => text.toUpperCase();
    expect(mapTexts({ a: ["b", 1, null, { c: "d" }] }, shout)).toEqual({ A: ["B", 1, null, { C: "D" }] });
    const deep = JSON.parse("[".repeat(100_000) + "]".repeat(100_000)) as [];
    expect(JSON.stringify(mapTexts(deep, shout))).toMatch(/^\[+"…"\]+$/);
  });
});

describe("toJson", () => {
  it("gives what JSON can hold for any value", () => {
    fc.assert(
      fc.property(fc.anything({ withBigInt: true, withDate: true, withMap: true, withSparseArray: true }), (value) => {
        const text = JSON.stringify(toJson(value));
        expect(JSON.stringify(toJson(JSON.parse(text)))).toBe(text);
      }),
    );
  });

  it.each<[unknown, unknown]>([
    [true, true],
    [0.5, 0.5],
    [NaN, "NaN"],
    [-Infinity, "-Infinity"],
    [10n, "10"],
    [undefined, "undefined"],
    [{ toJSON: "a text" }, { toJSON: "a text" }],
  ])("shows %p as %p", (value, json) => {
    expect(toJson(value)).toEqual(json);
  });

  it("cuts off a list that holds itself, and what toJSON gives without end", () => {
    const list: unknown[] = [];
    list.push(list);
    const endless = { toJSON: () => endless };
    for (const value of [list, endless]) expect(JSON.stringify(toJson(value))).toContain("…");
  });

  it("names an error by its message, asks toJSON, and cuts a cycle off", () => {
    const cycle: Record<string, unknown> = {
      error: new TypeError("no"),
      hidden: { toJSON: () => "[hidden]" },
      gone: undefined,
    };
    cycle["self"] = cycle;
    const json = toJson(cycle) as Record<string, unknown>;
    expect(json["error"]).toBe("TypeError: no");
    expect(json["hidden"]).toBe("[hidden]");
    expect(json).not.toHaveProperty("gone");
    expect(JSON.stringify(json)).toContain("…");
  });
});
