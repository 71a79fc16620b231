import type { AlertSubject } from "../../src/ingestion/mapping/flatten.ts";
import { findingUrl } from "../../src/ingestion/mapping/links.ts";
import { newFinding as asNew, type NewFinding } from "../../src/ingestion/new-finding.ts";
import type { Finding } from "../../src/service/resources/findings.records.ts";

/** A finding with every field that the service documents for a relationship. */
export const relationship: Finding = {
  id: 17,
  created_at: "2026-01-01T00:00:00.123456789Z",
  updated_at: "2026-01-01T10:00:00Z",
  Finding: "T0GenericAll",
  DomainSID: "S-1-5-21-1",
  FromPrincipal: "S-1-5-21-1-1101",
  FromPrincipalKind: "User",
  FromPrincipalProps: { name: "ALICE@CORP.TEST", objectid: "S-1-5-21-1-1101" },
  ToPrincipal: "S-1-5-21-1-512",
  ToPrincipalKind: "Group",
  ToPrincipalProps: { name: "DOMAIN ADMINS@CORP.TEST", domain: "CORP.TEST", system_tags: "admin_tier_0 owned" },
  Severity: "high",
  ExposurePercentage: 0.875,
  ExposureCount: 700,
  ImpactPercentage: 0.1234567,
  ImpactCount: 12,
  Accepted: false,
  AcceptedUntil: "0001-01-01T00:00:00Z",
  PrincipalHash: "abc",
};

/** A finding as a window read gives it. */
export function newFinding(finding: Finding, id?: string): NewFinding {
  return { ...asNew(finding), ...(id === undefined ? {} : { id, occurrence: id }) };
}

export const environment = { id: "S-1-5-21-1", name: "CORP.TEST", type: "active-directory" };
export const ORIGIN = "https://tenant.test";
/** Epoch milliseconds of the run that maps. */
export const MAPPED_AT = Date.UTC(2026, 0, 2);

export const subject: AlertSubject = {
  environment,
  findingType: "T0GenericAll",
  title: "Full control of tier zero",
  findingUrl: findingUrl(ORIGIN, environment.id, "T0GenericAll"),
  technique: undefined,
  product: "Attack Path Analysis",
  vendor: "Attack Path Analysis Service",
  productField: "device_product",
  eventField: "finding_type",
};
