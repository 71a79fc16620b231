import { describe, expect, it } from "@jest/globals";
import {
  draftOf,
  isChosen,
  listEntries,
  listText,
  missingIn,
  takesAll,
  toggled,
  valuesOf,
} from "../../../sandbox/console/browser/parts/parameters.ts";
import type { Parameter } from "../../../src/manifest/manifest.ts";

function parameter(name: string, given: Partial<Parameter> = {}): Parameter {
  return { name, type: "string", description: "", mandatory: false, secret: false, default: null, ...given };
}

const server = parameter("Server", { mandatory: true });
const key = parameter("Token Key", { mandatory: true, secret: true });
const every = parameter("Run Every", { type: "integer", mandatory: true, minimum: 1, default: 10 });
const types = parameter("Selected Finding Types", { type: "list", default: "All" });

describe("a form over the parameters of a manifest", () => {
  it("starts with what is set, and with the default where nothing is", () => {
    expect(
      draftOf([server, every, types], { Server: "https://one.test", "Selected Finding Types": ["A", "B,C"] }),
    ).toEqual({
      Server: "https://one.test",
      "Run Every": "10",
      "Selected Finding Types": '["A","B,C"]',
    });
  });

  it("starts with no secret, and sends one only when it was entered", () => {
    const draft = draftOf([key], {});
    expect(draft).toEqual({ "Token Key": "" });
    expect(valuesOf([key], draft)).toEqual({});
    expect(valuesOf([key], { "Token Key": " c2VjcmV0 " })).toEqual({ "Token Key": "c2VjcmV0" });
  });

  it("sends whole numbers as numbers, and leaves what was left empty to its default", () => {
    expect(valuesOf([every, types], { "Run Every": "15", "Selected Finding Types": "  " })).toEqual({
      "Run Every": 15,
    });
    expect(valuesOf([every], { "Run Every": "soon" })).toEqual({ "Run Every": "soon" });
  });

  it("names what is missing by its label, but not a secret that is set", () => {
    expect(missingIn([server, key], { Server: " ", "Token Key": "" }, [])).toEqual({
      Server: "Enter Server.",
      "Token Key": "Enter Token Key.",
    });
    expect(missingIn([server, key], { Server: "one", "Token Key": "" }, ["Token Key"])).toEqual({});
  });

  it.each([
    ["soon", "Run Every must be a whole number."],
    ["0", "Run Every must be at least 1."],
  ])("refuses an interval of %s", (text, message) => {
    expect(missingIn([every], { "Run Every": text }, [])).toEqual({ "Run Every": message });
  });
});

describe("a list whose values are offered", () => {
  const corp = { value: "CORP.TEST", aliases: ["s-1-5-21-1", "corp.test"] };

  it("knows an entry however it was written: by name or id, in any letter case", () => {
    expect(isChosen("lab, S-1-5-21-1", corp)).toBe(true);
    expect(isChosen("corp.test", corp)).toBe(true);
    expect(isChosen("CORP", corp)).toBe(false);
  });

  it("takes entries in and out without touching the others", () => {
    expect(toggled("lab, s-1-5-21-1", corp, false)).toBe("lab");
    expect(toggled("lab", corp, true)).toBe("lab, CORP.TEST");
    expect(toggled("All", corp, true)).toBe("CORP.TEST");
  });

  it("must have an entry when not everything is wanted", () => {
    const nothing = toggled("CORP.TEST", corp, false);
    expect(nothing).toBe("[]");
    expect(missingIn([types], { "Selected Finding Types": nothing }, [])).toEqual({
      "Selected Finding Types": "Choose at least one value for Selected Finding Types, or All.",
    });
  });

  it("is a JSON array as soon as an entry could not stand between commas", () => {
    expect(toggled("lab", { value: "Corp, Inc." }, true)).toBe('["lab","Corp, Inc."]');
    expect(listEntries('["lab","Corp, Inc."]')).toEqual(["lab", "Corp, Inc."]);
    expect(listText(['a"b'])).toBe('["a\\"b"]');
  });

  it("takes everything with All, alone or among others", () => {
    expect([takesAll("All"), takesAll("all"), takesAll("lab, ALL"), takesAll(""), takesAll("Allies")]).toEqual([
      true,
      true,
      true,
      false,
      false,
    ]);
  });
});
