import { describe, expect, it } from "@jest/globals";
import type { Finding } from "../../src/service/resources/findings.records.ts";
import { unwrapNullables } from "../../src/service/resources/nullables.ts";
import type { User } from "../../src/service/resources/sso.records.ts";

describe("nullable wrappers", () => {
  it("become their value or null, at any depth", () => {
    const user = unwrapNullables({
      sso_provider_id: { int32: 0, valid: true },
      saml_provider_id: { int32: 0, valid: false },
      first_name: { string: "Zoë", valid: true },
      deleted_at: { time: "0001-01-01T00:00:00Z", valid: false },
      roles: [{ name: "Auditor", deleted_at: { time: "2026-08-20T14:05:06.1Z", valid: true } }],
    });
    const typed: User = user;
    expect(typed).toEqual({
      sso_provider_id: 0,
      saml_provider_id: null,
      first_name: "Zoë",
      deleted_at: null,
      roles: [{ name: "Auditor", deleted_at: "2026-08-20T14:05:06.1Z" }],
    });
  });

  it("leave nothing where null stood, in lists too", () => {
    expect(unwrapNullables({ name: null, list: [1, null, { x: null }], nested: { y: null } })).toEqual({
      list: [1, {}],
      nested: {},
    });
  });

  it("are not seen in objects that only resemble them", () => {
    const record = { check: { valid: true, reason: "none" }, other: { valid: "yes", time: "now" } };
    expect(unwrapNullables(structuredClone(record))).toEqual(record);
  });

  it("are left alone inside free-form objects when only a record's own fields are meant", () => {
    const finding: Finding = unwrapNullables(
      {
        ComboGraphRelationID: { int64: 77, valid: true },
        Props: { nothing: null, window: { time: "x", valid: true } },
      },
      0,
    );
    expect(finding).toEqual({
      ComboGraphRelationID: 77,
      Props: { nothing: null, window: { time: "x", valid: true } },
    });
  });

  it("do not make a record too deep to read", () => {
    const deep = JSON.parse(`${'{"a":['.repeat(100_000)}${"]}".repeat(100_000)}`) as Record<string, unknown>;
    expect(unwrapNullables(deep)).toBe(deep);
  });
});
