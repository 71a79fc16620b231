import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { manifest } from "../../src/generated/manifest.ts";
import { Selection } from "../../src/ingestion/selection.ts";
import type { Parameter } from "../../src/manifest/manifest.ts";

const corp = { id: "S-1", name: "CORP.TEST", collected: true };
const twin = { id: "S-2", name: "corp.test", collected: true };
const cloud = { id: "T-1", name: "Cloud" };
const empty = { id: "S-3", name: "NEW.TEST", collected: false };
const visible = [corp, twin, cloud, empty];

const environments = (...names: string[]): Selection => new Selection({ "Selected Environments": names });
const findingTypes = (...names: string[]): Selection => new Selection({ "Selected Finding Types": names });

describe("the environments of a selection", () => {
  it.each([[["All"]], [["all"]], [["x", "ALL"]], [[]]])("are all with collected data for the names %j", (names) => {
    expect(environments(...names).scope(visible, 2)).toEqual({
      selected: [corp, twin, cloud],
      unknown: [],
      uncollected: [empty],
      visible,
      unreadable: 2,
    });
  });

  it("are selected by name or id without letter case; a name that two share means both", () => {
    expect(environments("Corp.Test", " t-1 ").scope(visible, 0).selected).toEqual([corp, twin, cloud]);
    expect(environments("s-2").scope(visible, 0).selected).toEqual([twin]);
  });

  it("are named when they do not exist or hold no data", () => {
    expect(environments("nowhere", "NEW.TEST").scope(visible, 0)).toMatchObject({
      selected: [],
      unknown: ["nowhere"],
      uncollected: [empty],
    });
  });

  it("are read once when the service lists one twice", () => {
    const all = new Selection({});
    expect(all.scope([corp, cloud, corp], 0).selected).toEqual([corp, cloud]);
    expect(all.scope([corp, cloud, { ...corp, collected: false }], 0).selected).toEqual([corp, cloud]);
  });
});

describe("the finding types of a selection", () => {
  it("compare exactly and come in a fixed order", () => {
    expect(findingTypes("All").types(["B", "A", "B"])).toEqual(["A", "B"]);
    expect(findingTypes("t0owns", "T0Admins").types(["T0Owns", "T0Admins"])).toEqual(["T0Admins"]);
  });

  it("are named when no environment offers them", () => {
    expect(findingTypes("T0Owns", "t0owns").unoffered(["T0Owns"])).toEqual(["t0owns"]);
    expect(findingTypes("All", "x").unoffered(["T0Owns"])).toEqual([]);
  });
});

describe("the fingerprint of a selection", () => {
  const fields: readonly Parameter[] = manifest.connectors.flatMap((connector) => connector.fields);
  const criteria = fields.filter(({ selects }) => selects === true);
  const values: Record<Parameter["type"], fc.Arbitrary<unknown>> = {
    string: fc.string(),
    list: fc.uniqueArray(fc.string()).map((names) => names.sort()),
    integer: fc.integer(),
    boolean: fc.boolean(),
  };
  const selection = fc.record(Object.fromEntries(criteria.map(({ name, type }) => [name, fc.option(values[type])])));
  const fingerprintOf = (held: object): string => new Selection(held).fingerprint;

  it.each(criteria)("differs when $name differs", ({ name }) => {
    fc.assert(
      fc.property(selection, selection, (held, { [name]: other }) => {
        fc.pre(JSON.stringify(other) !== JSON.stringify(held[name]));
        expect(fingerprintOf({ ...held, [name]: other })).not.toBe(fingerprintOf(held));
      }),
    );
  });

  it("is the same for the same values, in whichever order they were entered", () => {
    fc.assert(
      fc.property(selection, (held) => {
        const reversed = Object.entries(held).reverse();
        const other = reversed.map(([name, value]) => [
          name,
          Array.isArray(value) ? [...(value as unknown[])].reverse() : value,
        ]);
        expect(fingerprintOf(Object.fromEntries(other) as object)).toBe(fingerprintOf(held));
      }),
    );
  });

  it("takes a field that is empty for one that is left out, and ignores what does not narrow anything", () => {
    const empty = Object.fromEntries(criteria.map(({ name }) => [name, null]));
    expect(fingerprintOf({ ...empty, "Product Field Name": "x" })).toBe(fingerprintOf({}));
  });

  it("stays the same when the lists that it was made from change", () => {
    const names = ["A"];
    const made = new Selection({ "Selected Finding Types": names });
    const before = made.fingerprint;
    names.push("B");
    expect([made.fingerprint, made.types(["A", "B"])]).toEqual([before, ["A"]]);
  });
});
