import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { validateFinding } from "../../../src/generated/validators.js";
import { validateClientTask, validateSamlProvider, validateUser } from "../../../src/generated/validators-on-demand.js";
import type { Finding } from "../../../src/service/resources/findings.records.ts";
import { checkRecord } from "../../../src/service/responses/invalid-values.ts";
import { removeNulls } from "../../../src/json.ts";
import type { User } from "../../../src/service/resources/sso.records.ts";

const time = "2026-08-20T14:05:06.1Z";
const NEVER = "0001-01-01T00:00:00Z";

describe("nullable wrappers", () => {
  it("become their value or null, at any depth", () => {
    const { record, invalidValues } = checkRecord(validateUser, {
      sso_provider_id: { int32: 0, valid: true },
      saml_provider_id: { int32: 0, valid: false },
      first_name: { string: "Zoë", valid: true },
      deleted_at: { time: NEVER, valid: false },
      roles: [{ name: "Auditor", deleted_at: { time, valid: true } }],
    });
    const typed: User = record;
    expect(invalidValues).toEqual([]);
    expect(typed).toEqual({
      sso_provider_id: 0,
      saml_provider_id: null,
      first_name: "Zoë",
      deleted_at: null,
      roles: [{ name: "Auditor", deleted_at: time }],
    });
  });

  it.each([
    [{ time, valid: true }, time],
    [{ Time: time, Valid: true }, time],
    [{ time: NEVER, valid: true }, NEVER],
    [{ time: "soon", valid: true, more: 1 }, "soon"],
    [{ Time: NEVER, Valid: false }, null],
    [{ time: NEVER, valid: false, more: 1 }, null],
    [{ valid: false }, null],
  ])("with %j hold %j", (deleted_at, value) => {
    expect(checkRecord(validateFinding, { id: 1, deleted_at })).toEqual({
      record: { id: 1, deleted_at: value },
      invalidValues: [],
    });
  });

  it.each([[{}], [{ time }], [{ time, valid: "true" }], [{ time, valid: 1 }], [time], [true], [7], [[]], [[time]]])(
    "of another shape (%j) are invalid values and stand for nothing",
    (deleted_at) => {
      expect(checkRecord(validateFinding, { id: 1, deleted_at })).toEqual({
        record: { id: 1 },
        invalidValues: [{ path: "/deleted_at", problem: "is not a nullable time" }],
      });
    },
  );

  it.each([[{ valid: true }], [{ time: 7, valid: true }], [{ time: null, valid: true }]])(
    "that are valid say that something was deleted, also without a readable time (%j)",
    (deleted_at) => {
      const { record, invalidValues } = checkRecord(validateFinding, { id: 1, deleted_at });
      expect(record).toEqual({ id: 1, deleted_at: "" });
      expect(invalidValues).toHaveLength(1);
    },
  );

  it("of numbers and texts are removed when their value is of another type", () => {
    const provider = { sso_provider_id: { int32: "4", valid: true } };
    expect(checkRecord(validateSamlProvider, provider)).toMatchObject({ record: {}, invalidValues: [{}] });
    expect(checkRecord(validateUser, { email_address: { string: 4, valid: true } }).record).toEqual({});
    expect(checkRecord(validateUser, { email_address: 4 })).toMatchObject({ record: {}, invalidValues: [{}] });
  });

  it("of numbers and texts may be missing: the value stands there itself", () => {
    const user = { sso_provider_id: 13, email_address: "zoe@example.test" };
    expect(checkRecord(validateUser, { ...user })).toEqual({ record: user, invalidValues: [] });
  });

  it("are only where a record type has them: every other object stays as sent", () => {
    const record = {
      Props: { nothing: null, window: { time: "x", valid: true } },
      Added: { time, valid: false },
      ComboGraphRelationID: { int64: 77, valid: true },
    };
    const finding: Finding = checkRecord(validateFinding, structuredClone(record), 0).record;
    expect(finding).toEqual({ ...record, ComboGraphRelationID: 77 });
  });

  it("are invalid in objects and lists, too, each with its place", () => {
    const task = { event_id: "5", domain_results: [{ deleted_at: { time, valid: true } }, 7, { deleted_at: {} }] };
    const { record, invalidValues } = checkRecord(validateClientTask, task);
    expect(record).toEqual({ domain_results: [{ deleted_at: time }, {}] });
    expect(invalidValues.map(({ path }) => path)).toEqual([
      "/event_id",
      "/domain_results/2/deleted_at",
      "/domain_results/1",
    ]);
  });

  it("make a finding deleted exactly when they are valid, whatever stands there", () => {
    const wrapper = fc.record(
      { time: fc.jsonValue(), valid: fc.oneof(fc.boolean(), fc.jsonValue()), more: fc.jsonValue() },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.oneof(wrapper, fc.jsonValue()), (deleted_at) => {
        const isValid = (deleted_at as { valid?: unknown } | null)?.valid === true;
        const { record } = checkRecord(validateFinding, { deleted_at: structuredClone(deleted_at) });
        expect(record.deleted_at != null).toBe(isValid);
      }),
    );
  });
});

describe("null", () => {
  it("leaves nothing where it stood, in lists too", () => {
    const record = { name: null, list: [1, null, { x: null }], nested: { y: null } };
    removeNulls(record);
    expect(record).toEqual({ list: [1, {}], nested: {} });
  });

  it("does not make a record too deep to read", () => {
    const deep = JSON.parse(`${'{"a":['.repeat(100_000)}${"]}".repeat(100_000)}`) as Record<string, unknown>;
    expect(() => {
      removeNulls(deep);
    }).not.toThrow();
  });
});
