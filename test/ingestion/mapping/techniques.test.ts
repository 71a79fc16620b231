import { describe, expect, it } from "@jest/globals";
import { CATALOGUE } from "../../../sandbox/tenant/dataset/catalogue.ts";
import { edgeTechniques } from "../../../src/ingestion/mapping/edge-techniques.ts";
import { techniqueOf } from "../../../src/ingestion/mapping/techniques.ts";

describe("the ATT&CK technique of a finding type", () => {
  it.each([
    ["T0ADCSESC1", "T1649"],
    ["T0ADCSESC9b", "T1649"],
    ["T0WriteAccountRestrictions", "T1098"],
    ["LargeDefaultGroupsWriteGPLink", "T1098"],
    ["UnconstrainedWriteAccountRestrictions", "T1098"],
    ["AzureT0MGGrantAppRoles", "T1098"],
  ])("is that of its edge: %s", (findingType, technique) => {
    expect(techniqueOf(findingType)).toBe(technique);
  });

  it.each([
    ["T0Logins", "T1134"],
    ["T0DCOM", "T1021.003"],
    ["LargeDefaultGroupsDCOM", "T1021.003"],
  ])("is found although the type calls the edge by another name: %s", (findingType, technique) => {
    expect(techniqueOf(findingType)).toBe(technique);
  });

  it.each(["T0GenericAll", "NonT0DCSyncers", "Kerberoasting", "T0", "", "OpenGraphFinding"])(
    "is not known where no page names one: %s",
    (findingType) => {
      expect(techniqueOf(findingType)).toBeUndefined();
    },
  );

  it.each(["constructor", "T0constructor", "__proto__", "toString"])(
    "is not known for a type that has the name of an object's own: %s",
    (findingType) => {
      expect(techniqueOf(findingType)).toBeUndefined();
    },
  );

  it("agrees with the edge of every finding type of the simulated tenant", () => {
    for (const { name, source } of CATALOGUE.values()) {
      const edge = source.form === "relationship" ? source.edge : "";
      expect([name, techniqueOf(name)]).toEqual([name, edgeTechniques[edge]?.technique]);
    }
  });

  it("has the form of ATT&CK, and a page of its own as its source", () => {
    const entries = Object.values(edgeTechniques);
    for (const { technique } of entries) expect(technique).toMatch(/^T\d{4}(\.\d{3})?$/);
    for (const { page } of entries) expect(page).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
    expect(new Set(entries.map(({ page }) => page)).size).toBe(entries.length);
  });
});
