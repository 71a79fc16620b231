import { describe, expect, it } from "@jest/globals";
import { foreignDomain, sourceOf, targetOf } from "../../src/findings/principal.ts";
import type { Finding } from "../../src/service/resources/findings.records.ts";
import { relationship } from "../support/mapped-findings.ts";

describe("the ends of a finding", () => {
  it("are the two principals of a relationship", () => {
    expect(sourceOf(relationship)).toEqual({
      objectId: "S-1-5-21-1-1101",
      kind: "User",
      name: "ALICE@CORP.TEST",
      tierZero: undefined,
      role: "user",
    });
    expect(targetOf(relationship)).toMatchObject({ name: "DOMAIN ADMINS@CORP.TEST", tierZero: true, role: "group" });
  });

  it("are only a target where one principal is exposed", () => {
    const finding: Finding = { Principal: "S-9", PrincipalKind: "Computer", Props: { name: "PC-9", system_tags: "" } };
    expect(targetOf(finding)).toEqual({
      objectId: "S-9",
      kind: "Computer",
      name: "PC-9",
      tierZero: false,
      role: "host",
    });
    expect(Object.values(sourceOf(finding)).every((value) => value === undefined)).toBe(true);
  });

  it.each([
    [
      { ToPrincipal: "S-1", ToPrincipalName: "given", ToPrincipalProps: { name: "from the object" } },
      "from the object",
    ],
    [{ ToPrincipal: "S-1", ToPrincipalName: "given", ToPrincipalProps: { name: "" } }, "given"],
    [{ ToPrincipal: "S-1", ToPrincipalName: "" }, "S-1"],
    [{ ToPrincipalProps: { objectid: "S-2", name: 5 } }, "S-2"],
    [{ ToPrincipal: "", ToPrincipalName: "", Principal: "S-3", PrincipalName: "exposed" }, "exposed"],
    [{ ToPrincipal: "", ToPrincipalName: "", Principal: "S-3" }, "S-3"],
    [{}, undefined],
  ])("of %j have the best name that there is", (finding, name) => {
    expect(targetOf(finding).name).toBe(name);
  });

  it.each([
    ["User", "user"],
    ["AZUser", "user"],
    ["Computer", "host"],
    ["AZDevice", "host"],
    ["AZVM", "host"],
    ["Group", "group"],
    ["AZGroup", "group"],
    ["OU", undefined],
    ["constructor", undefined],
  ])("of the kind %s are the entity %s", (kind, role) => {
    expect(targetOf({ ToPrincipal: "x", ToPrincipalKind: kind }).role).toBe(role);
  });

  it("are tier zero by a flag, or by a word among the tags", () => {
    const tierZero = (Props: Record<string, unknown>) => targetOf({ Principal: "x", Props }).tierZero;
    expect(tierZero({ isTierZero: false, system_tags: "admin_tier_0" })).toBe(false);
    expect(tierZero({ system_tags: "owned, admin_tier_0" })).toBe(true);
    expect(tierZero({ system_tags: "not_admin_tier_0" })).toBe(false);
    expect(tierZero({ system_tags: 5 })).toBeUndefined();
  });

  it("have a domain of their own only where it is not the environment's", () => {
    const abroad: Finding = { ToPrincipalProps: { domain: "Other.Test" } };
    expect(foreignDomain(abroad, "CORP.TEST")).toBe("Other.Test");
    expect(foreignDomain(abroad, "OTHER.TEST")).toBeUndefined();
    expect(foreignDomain({}, "CORP.TEST")).toBeUndefined();
  });
});
