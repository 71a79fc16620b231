import type { FaultEffect, FindingOverrides } from "../../../sandbox/tenant/index.ts";
import { environments, findingTypes, incomplete, laterPages, pages, unpaged, type FaultRow } from "../row.ts";

const nullList: FaultEffect = { kind: "null-data" };

/** A page on which every text of a field is another one, and the findings are newer than all others. */
function cached(fault: string, field: string): FaultRow {
  const transform = (body: string): string =>
    body
      .replaceAll(new RegExp(`"${field}":"[^"]*"`, "g"), `"${field}":"S-1-5-21-0-0-8"`)
      .replaceAll(/"created_at":"[^"]*"/g, `"created_at":"${new Date().toISOString()}"`);
  const reason = /The service listed entries that are not findings of the requested type and environment: 12\./;
  return {
    fault,
    at: pages,
    effect: { kind: "body", transform },
    expected: { status: "partial", delivered: 60, says: incomplete(reason) },
  };
}

const promised = (count: number): FaultEffect => ({
  kind: "body",
  transform: (body) => JSON.stringify({ ...(JSON.parse(body) as object), count, data: null }),
});

const cutOff = /The list from the service reports 2 records and holds 1 distinct one\./;
const counted = /The list from the service is empty at position 0 although it reports \d+\./;

/** Lists that hold fewer entries than the service counts. */
const countedLists: FaultRow[] = [
  {
    fault: "environments and finding types in pages of one",
    begin: ({ tenant }) => {
      for (const path of ["available-domains$", "available-types$"]) {
        tenant.control.fault({ path, effect: { kind: "paged", size: 1 } });
      }
    },
    expected: { status: "completed", delivered: 72, says: /72 new findings in 6 alerts from 2 environments/ },
  },
  {
    fault: "fewer environments than the service counts",
    at: environments,
    effect: { kind: "cut-list", size: 1 },
    expected: {
      status: "partial",
      delivered: 36,
      says: new RegExp(`^Could not list all environments\\. ${cutOff.source}`),
    },
  },
  {
    fault: "fewer environments than the service counts, all of them known",
    before: 1,
    at: environments,
    effect: { kind: "cut-list", size: 1 },
    begin: ({ tenant }) => {
      for (const { id } of tenant.data.environments) tenant.control.analyse(id, { findings: 2 });
    },
    expected: { status: "partial", delivered: 12, says: /^Could not list all environments\. .*12 new findings/ },
  },
  {
    fault: "null instead of the environments that the service counts",
    at: environments,
    effect: promised(2),
    expected: {
      status: "failed",
      delivered: 0,
      says: new RegExp(`^Nothing could be read\\. ${counted.source}`),
    },
  },
  {
    fault: "fewer finding types than the service counts",
    at: findingTypes,
    effect: { kind: "cut-list", size: 2 },
    expected: {
      status: "partial",
      delivered: 60,
      says: incomplete(/The list from the service keeps changing while it is read\./, /UNIFORM-0001\.TEST/),
    },
  },
  {
    fault: "null instead of the finding types that the service counts",
    at: findingTypes,
    effect: promised(3),
    expected: { status: "partial", delivered: 36, says: incomplete(counted, /UNIFORM-0001\.TEST/) },
  },
];

/** Findings of odd shape among the others of a stream. */
function shaped(fault: string, records: FindingOverrides[], says = /74 new findings/): FaultRow {
  return {
    fault,
    begin: ({ tenant, environmentId, findingType }) => {
      tenant.control.addFindings(environmentId, findingType, records);
    },
    expected: { status: "completed", delivered: 72 + records.length, says },
  };
}

export const oddRecords: FaultRow[] = [
  {
    fault: "null instead of the environments",
    at: environments,
    effect: nullList,
    expected: {
      status: "failed",
      delivered: 0,
      says: /^The token sees no environments, so none can be polled\. Give the user of the token access to the environments\.$/,
    },
  },
  {
    fault: "null instead of the finding types of one environment",
    at: findingTypes,
    effect: nullList,
    saysNothingIsThere: true,
    expected: {
      status: "completed",
      delivered: 36,
      says: /The service currently lists no finding types for UNIFORM-0001\.TEST\./,
    },
  },
  ...countedLists.map(unpaged),
  {
    fault: "null instead of a page that counts findings",
    at: pages,
    effect: nullList,
    expected: {
      status: "partial",
      delivered: 60,
      says: incomplete(/The list from the service .* at position 0 although it reports 12\./),
    },
  },
  {
    fault: "an empty page where more were promised",
    at: laterPages,
    effect: { kind: "empty-page" },
    expected: {
      status: "partial",
      delivered: 65,
      says: incomplete(/The list from the service .* at position 4 although it reports 12\./),
    },
  },
  cached("findings of another type, from a cache that ignores the query", "Finding"),
  cached("findings of another environment, from a cache that ignores the address", "DomainSID"),
  shaped("null instead of principals' properties", [
    { FromPrincipalProps: null, ToPrincipalProps: null, RelProps: null },
    { FromPrincipalProps: null, ToPrincipalProps: null, Props: null },
  ]),
  shaped("null instead of numbers", [
    { ImpactPercentage: null, ImpactCount: null, ExposurePercentage: null, ExposureCount: null },
    { ImpactPercentage: null, ExposurePercentage: null },
  ]),
  shaped("empty and missing severities", [{ Severity: "" }, { Severity: undefined }]),
  shaped("unknown severities", [{ Severity: "apocalyptic" }, { Severity: "4" }]),
  shaped("missing ids", [
    { id: undefined, PrincipalHash: "a" },
    { id: null, PrincipalHash: "b" },
  ]),
  shaped("missing times", [{ created_at: undefined }, { created_at: null, updated_at: null }]),
  shaped(
    "odd shapes of deleted_at",
    [
      { deleted_at: {} },
      { deleted_at: { Time: "0001-01-01T00:00:00Z", Valid: false } },
      { deleted_at: { time: "0001-01-01T00:00:00Z", valid: false, more: 1 } },
      { deleted_at: "2026-01-01T00:00:00Z" },
    ],
    /76 new findings.* 2 values of an unexpected type were left out\./,
  ),
  shaped(
    "values of the wrong type",
    [
      { ImpactCount: "many", Severity: 7 },
      { FromPrincipalProps: "text", created_at: 1_700_000_000 },
    ],
    /74 new findings.* 4 values of an unexpected type were left out\./,
  ),
];
