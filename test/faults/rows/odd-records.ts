import type { Fault, FindingOverrides } from "../../../sandbox/tenant/index.ts";
import type { FaultRow, Stage } from "../row.ts";

/** Findings of odd shape among the others of a pair. */
function shaped(fault: string, records: FindingOverrides[], says = /74 new findings/): FaultRow {
  return {
    fault,
    begin: ({ tenant, environmentId, findingType }) => {
      tenant.control.addFindings(environmentId, findingType, records);
    },
    expected: { status: "completed", delivered: 72 + records.length, says },
  };
}

function nullList(
  fault: string,
  where: (stage: Stage) => Omit<Fault, "effect">,
  expected: FaultRow["expected"],
): FaultRow {
  return {
    fault,
    begin: (stage) => {
      stage.tenant.control.fault({ ...where(stage), effect: { kind: "null-data" } });
    },
    expected,
  };
}

export const oddRecords: FaultRow[] = [
  nullList("null instead of the environments", () => ({ path: "available-domains" }), {
    status: "failed",
    delivered: 0,
    says: /Selected Environments: none of them can be polled/,
  }),
  {
    ...nullList(
      "null instead of the finding types of one environment",
      ({ environmentId }) => ({ path: `${environmentId}/available-types` }),
      { status: "completed", delivered: 36, says: /names no finding types for UNIFORM-0001\.TEST/ },
    ),
    saysNothingIsThere: true,
  },
  nullList(
    "null instead of a page that counts findings",
    ({ environmentId, findingType }) => ({ path: `${environmentId}/details`, query: { finding: findingType } }),
    { status: "partial", delivered: 60, says: /nothing at position 0 although it counts 12/ },
  ),
  {
    fault: "an empty page where more were promised",
    begin: ({ tenant, environmentId, findingType }) => {
      tenant.control.fault({
        path: `${environmentId}/details`,
        query: { finding: findingType, skip: "4" },
        effect: { kind: "empty-page" },
      });
    },
    expected: { status: "partial", delivered: 65, says: /nothing at position 4 although it counts 12/ },
  },
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
    "values of the wrong type",
    [
      { ImpactCount: "many", Severity: 7 },
      { FromPrincipalProps: "text", created_at: 1_700_000_000 },
    ],
    /74 new findings.*values did not fit/,
  ),
];
