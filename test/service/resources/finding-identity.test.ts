import { describe, expect, it } from "@jest/globals";
import type { Finding } from "../../../src/service/resources/findings.records.ts";
import { findingIdentity } from "../../../src/service/resources/finding-identity.ts";

const relationship = {
  Finding: "T0GenericAll",
  DomainSID: "S-1-5-21-1-2-3",
  FromPrincipal: "S-1-5-21-1-2-3-1104",
  ToPrincipal: "S-1-5-21-1-2-3-512",
  created_at: "2026-08-20T14:05:06.1Z",
};

describe("the identity of a finding", () => {
  it("is not an empty text or 0, which stand for no id", () => {
    const other = { ...relationship, FromPrincipal: "S-1-5-21-9" };
    for (const id of ["", 0]) {
      expect(findingIdentity({ ...relationship, id })).toMatch(/^h[0-9a-f]{32}$/);
      expect(findingIdentity({ ...relationship, id })).not.toBe(findingIdentity({ ...other, id }));
    }
  });

  it("is its id", () => {
    expect(findingIdentity({ ...relationship, id: 17 })).toBe("17");
    expect(findingIdentity({ id: "f-7" })).toBe("f-7");
    expect(findingIdentity({ id: "f".repeat(100_000) })).toMatch(/^h[0-9a-f]{32}$/);
    expect(findingIdentity({ id: "f".repeat(100_000) })).not.toBe(findingIdentity({ id: "f".repeat(100_001) }));
  });

  it("is not a number that JSON.parse rounds, which is that of other findings, too", () => {
    const [one, other] = ["9223372036854775801", "9223372036854775802"].map(
      (id, index) => JSON.parse(`{"id":${id},"FromPrincipal":"S-${index}"}`) as Finding,
    );
    expect(one?.id).toBe(other?.id);
    expect(findingIdentity(one ?? {})).not.toBe(findingIdentity(other ?? {}));
    expect(findingIdentity({ id: Number.MAX_SAFE_INTEGER })).toBe("9007199254740991");
    expect(findingIdentity({ id: -Number.MAX_SAFE_INTEGER })).toBe("-9007199254740991");
  });

  it("without an id stays the same in whatever order the fields come and whatever an analysis changes", () => {
    const reordered = Object.fromEntries(Object.entries(relationship).reverse());
    const reanalysed = {
      ...relationship,
      updated_at: "2026-08-21T00:00:00Z",
      Severity: "low",
      ExposurePercentage: 0.2,
      Accepted: true,
      ToPrincipalProps: { lastseen: "2026-08-21T00:00:00Z" },
    };
    expect(findingIdentity(reordered)).toBe(findingIdentity(relationship));
    expect(findingIdentity(reanalysed)).toBe(findingIdentity(relationship));
  });

  it("without an id differs when a principal, the type or the time differs", () => {
    const others = [
      { ...relationship, FromPrincipal: "S-1-5-21-1-2-3-1105" },
      { ...relationship, ToPrincipal: "S-1-5-21-1-2-3-519" },
      { ...relationship, Finding: "T0Owns" },
      { ...relationship, created_at: "2026-08-20T14:05:06.2Z" },
      { ...relationship, ToPrincipalProps: { objectid: "other" } },
    ];
    expect(new Set([relationship, ...others].map(findingIdentity)).size).toBe(others.length + 1);
  });

  it("tells apart findings that have nothing but what may change", () => {
    expect(findingIdentity({ Severity: "low" })).not.toBe(findingIdentity({ Severity: "high" }));
  });

  it("is valid Unicode whatever the id is, and different for different ids", () => {
    const identities = ["\ud800", "\ud801", "x".repeat(300)].map((id) => findingIdentity({ id }));
    expect(identities.every((identity) => /^h[0-9a-f]{32}$/.test(identity))).toBe(true);
    expect(new Set(identities).size).toBe(3);
  });

  it("is found however deep a value is nested", () => {
    const deep = JSON.parse(`${'{"objectid":'.repeat(100_000)}1${"}".repeat(100_000)}`) as object;
    expect(findingIdentity({ FromPrincipalProps: deep as Record<string, unknown> })).toMatch(/^h[0-9a-f]{32}$/);
  });
});
