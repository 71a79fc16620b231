import { describe, expect, it } from "@jest/globals";
import { buildDataset, type Dataset, type Tenant, type WireFinding } from "../../../sandbox/tenant/index.ts";
import { formatInstant, parseInstant } from "../../../sandbox/tenant/instants.ts";
import { startTenant } from "../../support/tenant.ts";
import { ask } from "./client.ts";
import fc from "fast-check";

function allFindings(dataset: Dataset): WireFinding[] {
  const everything = { filters: [], sort: [], unsorted: "id" as const, skip: 0, limit: 10_000 };
  return dataset.environments.flatMap(({ id }) =>
    dataset.findingTypes(id).flatMap((type) => dataset.findings(id, type)!.query(everything).findings),
  );
}

describe("the demo data set", () => {
  const dataset = buildDataset();
  const findings = allFindings(dataset);

  it("is the same for the same seed, and another for another", () => {
    expect(allFindings(buildDataset())).toEqual(findings);
    expect([...buildDataset().graph.edges]).toEqual([...dataset.graph.edges]);
    expect(allFindings(buildDataset({ seed: 2 }))).not.toEqual(findings);
  });

  it("has three domains, an Entra tenant and one environment that is not collected", () => {
    expect(dataset.environments.map(({ type, collected }) => [type, collected])).toEqual([
      ["active-directory", true],
      ["active-directory", true],
      ["active-directory", true],
      ["azure", true],
      ["active-directory", false],
    ]);
    expect(dataset.findingTypes(dataset.environments[4]!.id)).toEqual([]);
  });

  it("has a readable number of findings of some twenty types, in every severity", () => {
    expect(findings.length).toBeGreaterThan(150);
    expect(findings.length).toBeLessThan(250);
    expect(new Set(findings.map((finding) => finding.Finding)).size).toBeGreaterThanOrEqual(20);
    expect(new Set(findings.map((finding) => finding.Severity))).toEqual(
      new Set(["critical", "high", "moderate", "low"]),
    );
    expect(findings.some((finding) => finding.Accepted)).toBe(true);
  });

  it("derives each finding from an edge or a principal of its environment", () => {
    for (const finding of findings) {
      const subject = "ToPrincipal" in finding ? finding.ToPrincipal : finding.Principal;
      expect(dataset.graph.get(subject)?.environmentId).toBe(finding.DomainSID);
      if ("ToPrincipal" in finding) {
        expect(dataset.graph.outgoing(finding.FromPrincipal).some((edge) => edge.to === finding.ToPrincipal)).toBe(
          true,
        );
        expect(finding.FromPrincipalProps.objectid).toBe(finding.FromPrincipal);
      }
    }
  });

  it("numbers findings in the order in which they were found, and shares instants within an analysis", () => {
    const ordered = [...findings].sort((a, b) => a.id - b.id);
    const instants = ordered.map((finding) => finding.created_at);
    const perEnvironment = new Map<string, Set<string>>();
    for (const finding of findings) {
      perEnvironment.set(
        finding.DomainSID,
        (perEnvironment.get(finding.DomainSID) ?? new Set()).add(finding.created_at),
      );
    }
    expect(new Set(ordered.map((finding) => finding.id)).size).toBe(findings.length);
    for (const times of perEnvironment.values()) expect(times.size).toBe(3);
    const days = instants.map((instant) => Math.round(Date.parse(instant) / 86_400_000));
    expect(days).toEqual([...days].sort((a, b) => a - b));
  });

  it("has every document of every type", () => {
    for (const type of new Set(findings.map((finding) => finding.Finding))) {
      const documents = dataset.documents.get(type)!;
      expect(Object.values(documents).every((text) => text.length > 10)).toBe(true);
      expect(documents.long_remediation).toContain("1. ");
    }
  });

  it("can have two environments of one name, with ids of their own", () => {
    const names = buildDataset({ duplicateName: true }).environments.filter(({ name }) => name === "CORP.HALDEN.TEST");
    expect(names).toHaveLength(2);
    expect(names[0]!.id).not.toBe(names[1]!.id);
  });
});

describe("a uniform data set", () => {
  it("has the same number of findings for each pair, and ids that nobody shares", () => {
    const dataset = buildDataset({ environments: 3, findingTypes: 24, findingsPerPair: 7 });
    const findings = allFindings(dataset);
    expect(findings).toHaveLength(3 * 24 * 7);
    expect(new Set(findings.map((finding) => finding.id)).size).toBe(findings.length);
    expect(dataset.findingTypes(dataset.environments[2]!.id)).toHaveLength(24);
    expect(dataset.documents.get("T0Uniform024")?.title).toBe("Uniform Finding Type 024");
  });
});

describe("a tenant's data", () => {
  let tenant: Tenant;

  it("changes through the control: types, names, environments and findings", async () => {
    tenant = await startTenant();
    const [first, second] = tenant.data.environments;
    const types = async () => (await ask(tenant, `/api/v2/domains/${first!.id}/available-types`)).json.data;
    tenant.control.addFindingType(first!.id, "NewType");
    expect(await types()).toContain("NewType");
    tenant.control.removeFindingType(first!.id, "NewType");
    expect(await types()).not.toContain("NewType");
    tenant.control.renameEnvironment(second!.id, first!.name);
    tenant.control.removeEnvironment(tenant.data.environments[2]!.id);
    const listed = (await ask(tenant, "/api/v2/available-domains")).json.data;
    expect(listed.map((item) => item.name)).toEqual([
      first!.name,
      first!.name,
      "HALDEN.ONMICROSOFT.TEST",
      "LEGACY.HALDEN.TEST",
    ]);
    const [added] = tenant.control.addFindings(first!.id, "Kerberoasting", 1);
    expect(added).toMatchObject({ Finding: "Kerberoasting", DomainSID: first!.id, PrincipalKind: "User" });
    expect(tenant.control.removeFinding(first!.id, "Kerberoasting", added!.id)).toBe(true);
    expect(tenant.control.removeFinding(first!.id, "Kerberoasting", added!.id)).toBe(false);
  });
});

describe("instants", () => {
  it("survive writing and reading, and are written without trailing zeros", () => {
    const arbitraryInstant = fc.bigInt({ min: -62135596800n * 10n ** 9n, max: 253402300799n * 10n ** 9n });
    fc.assert(
      fc.property(arbitraryInstant, (instant) => {
        const text = formatInstant(instant);
        expect(parseInstant(text)).toBe(instant);
        expect(text).not.toMatch(/0Z$.*\.|\.\d*0Z$|\.Z$/);
      }),
    );
  });

  it("know offsets, and refuse what is no date-time", () => {
    expect(parseInstant("2026-01-01T02:00:00+02:00")).toBe(parseInstant("2026-01-01T00:00:00Z"));
    expect(parseInstant("2026-01-01T00:00:00.1234567899Z")).toBe(parseInstant("2026-01-01T00:00:00.123456789Z"));
    for (const text of [
      "",
      "2026-01-01",
      "2026-13-01T00:00:00Z",
      "2026-02-29T00:00:00Z",
      "2026-01-01T24:00:00Z",
      "2026-01-01T00:00:00",
    ]) {
      expect(parseInstant(text)).toBeNull();
    }
  });
});
