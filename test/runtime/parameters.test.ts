import { describe, expect, it } from "@jest/globals";
import type { Parameter } from "../../src/manifest/manifest.ts";
import { ParameterError } from "../../src/runtime/errors.ts";
import { readParameters, unknownParameters } from "../../src/runtime/parameters.ts";

function declare(changes: Partial<Parameter>): Parameter {
  return {
    name: "Thing",
    type: "string",
    description: "What it is for.",
    mandatory: false,
    secret: false,
    default: null,
    ...changes,
  };
}

function read(declared: Partial<Parameter>, value: unknown): unknown {
  return readParameters([declare(declared)], { Thing: value }, "in the settings")["Thing"];
}

describe("readParameters", () => {
  it("trims a text", () => {
    expect(read({}, "  a b ")).toBe("a b");
  });

  it.each([
    ["true", true],
    [" FALSE ", false],
    [true, true],
    [false, false],
  ])("reads the boolean %j", (raw, value) => {
    expect(read({ type: "boolean" }, raw)).toBe(value);
  });

  it.each([
    ["12", 12],
    [" -3 ", -3],
    [7, 7],
  ])("reads the whole number %j", (raw, value) => {
    expect(read({ type: "integer" }, raw)).toBe(value);
  });

  it.each([["A, B"], ['["A","B"]'], [["A", " B ", "A"]]])("reads the list %j", (raw) => {
    expect(read({ type: "list" }, raw)).toEqual(["A", "B"]);
  });

  it.each([undefined, null, "", "   "])("takes the default for %j", (raw) => {
    expect(read({ default: "all of it" }, raw)).toBe("all of it");
    expect(read({ type: "list", default: "All" }, raw)).toEqual(["All"]);
    expect(read({ type: "integer", default: 10 }, raw)).toBe(10);
  });

  it("gives null for an optional parameter without a default", () => {
    expect(read({}, "")).toBeNull();
  });

  it.each([undefined, null, "", "  "])("says that a mandatory parameter is missing when it is %j", (raw) => {
    expect(() => read({ mandatory: true }, raw)).toThrow(
      'Parameter "Thing" is missing. Enter it in the settings. What it is for.',
    );
  });

  it("takes a mandatory list without entries as missing", () => {
    expect(() => read({ type: "list", mandatory: true }, " , ,")).toThrow('Parameter "Thing" is missing.');
  });

  it.each([
    ["string", 5, "must be text"],
    ["string", { a: 1 }, "must be text"],
    ["list", 5, "comma-separated text or an array of strings"],
    ["list", ["a", 5], "comma-separated text or an array of strings"],
    ["list", "[A, B]", "with quotation marks"],
    ["string", ["a"], "not an array."],
    ["string", [1], "not an array with values that are not strings."],
    ["list", { a: 1 }, "not an object."],
    ["list", true, "not a boolean."],
    ["integer", "ten", "must be a whole number"],
    ["integer", "0x10", "must be a whole number"],
    ["integer", "1e3", "must be a whole number"],
    ["integer", ["12"], "must be a whole number"],
    ["integer", 1.5, "must be a whole number"],
    ["integer", "99999999999999999999", "must be a whole number"],
    ["boolean", "yes", "must be true or false"],
  ] as const)("refuses the %s %j by the parameter's label, without its value", (type, raw, advice) => {
    let message = "";
    try {
      read({ type }, raw);
    } catch (error) {
      expect(error).toBeInstanceOf(ParameterError);
      message = (error as ParameterError).message;
    }
    expect(message).toContain('Parameter "Thing"');
    expect(message).toContain(advice);
    expect(message).not.toContain(JSON.stringify(raw));
  });

  it("takes one of the choices in any letter case, as it is declared, and refuses anything else", () => {
    const choices = ["Low", "High"];
    expect([read({ choices }, " hIGH "), read({ choices }, "low"), read({ choices }, " ")]).toEqual([
      "High",
      "Low",
      null,
    ]);
    expect(() => read({ choices }, "Highest")).toThrow('Parameter "Thing" must be one of Low, High, or empty.');
  });

  it("refuses a number below the minimum", () => {
    expect(() => read({ type: "integer", minimum: 1 }, 0)).toThrow('Parameter "Thing" must be at least 1.');
    expect(read({ type: "integer", minimum: 1 }, 1)).toBe(1);
  });

  it("keeps every entry of a paired list in its place, and drops only empty ones at its end", () => {
    expect(read({ type: "list", paired: true }, " A, B ,A, ,")).toEqual(["A", "B", "A"]);
    expect(() => read({ type: "list", paired: true }, "A,,B")).toThrow(
      'Parameter "Thing" has an empty entry, number 2. Its entries are paired with those of another list',
    );
    expect(() => read({ type: "list", paired: true }, ",A")).toThrow("number 1.");
  });

  it("leaves out what only the host reads, even when it is malformed", () => {
    const declared = [declare({ name: "Run Every", type: "integer", readBy: "host", mandatory: true })];
    expect(readParameters(declared, { "Run Every": "soon" }, "here")).toEqual({});
  });

  it("does not take an inherited property for a parameter", () => {
    expect(readParameters([declare({ name: "constructor" })], {}, "here")["constructor"]).toBeNull();
  });
});

describe("unknownParameters", () => {
  it("names what is not declared, and counts what the host reads as declared", () => {
    const declared = [declare({}), declare({ name: "Run Every", readBy: "host" })];
    expect(unknownParameters(declared, { Thing: "", "Run Every": 5, Thnig: "" })).toEqual(["Thnig"]);
  });
});
