import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { validateFinding } from "../../../src/generated/validators.js";
import { validateClientTask, validateUser } from "../../../src/generated/validators-on-demand.js";
import { checkRecord, checkRecords, removeInvalidValues } from "../../../src/service/responses/invalid-values.ts";

describe("removing invalid values", () => {
  it("leaves a fitting record as it is, unknown fields and nulls included", () => {
    const record = { id: 7, Severity: null, NewField: { x: [1] }, Props: { name: "A", odd: null } };
    const before = structuredClone(record);
    expect(removeInvalidValues(validateFinding, record)).toEqual([]);
    expect(record).toEqual(before);
  });

  it("takes out only the value that does not fit, and names its place", () => {
    const record = { id: 7, Severity: 3, created_at: "2026-08-20T14:05:06Z", ToPrincipalProps: "none" };
    expect(removeInvalidValues(validateFinding, record)).toEqual([
      { path: "/Severity", problem: "is not of the type string" },
      { path: "/ToPrincipalProps", problem: "is not of the type object" },
    ]);
    expect(record).toEqual({ id: 7, created_at: "2026-08-20T14:05:06Z" });
  });

  it("reaches into sub-objects and lists", () => {
    const user = { id: "u", roles: [{ name: "a" }, 7, { name: 8, permissions: [{ id: 1 }, "x", 2] }] };
    expect(removeInvalidValues(validateUser, user).map(({ path }) => path)).toEqual([
      "/roles/1",
      "/roles/2/name",
      "/roles/2/permissions/1",
      "/roles/2/permissions/2",
    ]);
    expect(user).toEqual({ id: "u", roles: [{ name: "a" }, { permissions: [{ id: 1 }] }] });
  });

  it("makes any record fit, loses no record, and keeps every value that did fit", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.dictionary(fc.constantFrom("id", "Severity", "Accepted", "Props", "deleted_at", "Other"), fc.jsonValue()),
        ),
        (items) => {
          const sent = structuredClone(items);
          const { records, invalidValues } = checkRecords<unknown>(validateFinding, items, {
            firstPosition: 100,
            levels: 0,
          });
          expect(records).toHaveLength(sent.length);
          records.forEach((record, index) => {
            expect(validateFinding(record)).toBe(true);
            const taken = invalidValues
              .filter(({ position }) => position === 100 + index)
              .map(({ path }) => path.split("/")[1]);
            for (const [key, value] of Object.entries(sent[index]!)) {
              if (value === null) expect(record).not.toHaveProperty([key]);
              else if (!taken.includes(key)) expect(record).toHaveProperty([key], value);
            }
          });
        },
      ),
    );
  });

  it("keeps the place of what is no record", () => {
    const { records, invalidValues } = checkRecords(validateFinding, [null, { id: 1 }, "text", [1]], {
      firstPosition: 10,
    });
    expect(records).toEqual([{}, { id: 1 }, {}, {}]);
    expect(invalidValues.map(({ position, path }) => [position, path])).toEqual([
      [10, ""],
      [12, ""],
      [13, ""],
    ]);
  });

  it("finds keys with the escapes of JSON pointers", () => {
    const validate = Object.assign((value: unknown): value is object => "fits" in (value as object), {
      errors: [{ instancePath: "/a~1b~0c", keyword: "type", params: { type: "string" } }],
      nullables: {},
    });
    const record = { "a/b~c": 1, kept: 2 };
    removeInvalidValues(validate, record);
    expect(record).toEqual({ kept: 2 });
  });

  it("knows every field of a client task", () => {
    const task = {
      id: 1,
      ous: [{ exists: "yes" }],
      domain_results: [{ user_count: "7", deleted_at: { time: 1, valid: true } }],
    };
    expect(checkRecord(validateClientTask, task).invalidValues.map(({ path }) => path)).toEqual([
      "/domain_results/0/deleted_at",
      "/ous/0/exists",
      "/domain_results/0/user_count",
    ]);
  });
});
