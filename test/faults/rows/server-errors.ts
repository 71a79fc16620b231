import type { Fault, FaultEffect } from "../../../sandbox/tenant/index.ts";
import type { FaultRow, Stage } from "../row.ts";

type Place = [name: string, fault: (stage: Stage) => Omit<Fault, "effect">, expected: FaultRow["expected"]];

const places: Place[] = [
  [
    "the environments",
    () => ({ path: "available-domains" }),
    { status: "failed", delivered: 0, says: /service failed/ },
  ],
  [
    "the finding types of one environment",
    ({ environmentId }) => ({ path: `${environmentId}/available-types` }),
    { status: "partial", delivered: 36, says: /Not fully read: UNIFORM-0001\.TEST\. The service failed/ },
  ],
  [
    "the first page of one pair",
    ({ environmentId, findingType }) => ({
      path: `${environmentId}/details`,
      query: { finding: findingType, skip: "0" },
    }),
    { status: "partial", delivered: 60, says: /Not fully read: UNIFORM-0001\.TEST \/ \w+\. The service failed/ },
  ],
  [
    "the second page of one pair",
    ({ environmentId, findingType }) => ({
      path: `${environmentId}/details`,
      query: { finding: findingType, skip: "4" },
    }),
    { status: "partial", delivered: 65, says: /Not fully read: UNIFORM-0001\.TEST \/ \w+\. The service failed/ },
  ],
  [
    "a document",
    ({ findingType }) => ({ path: `${findingType}/short_remediation` }),
    { status: "partial", delivered: 72, says: /Texts of \w+ could not be read/ },
  ],
];

const answers: [name: string, effect: FaultEffect][] = [
  ["500 (JSON)", { kind: "status", status: 500, body: "json" }],
  ["503 (HTML)", { kind: "status", status: 503, body: "html" }],
  ["503 (empty)", { kind: "status", status: 503, body: "empty" }],
];

export const serverErrors: FaultRow[] = places.flatMap(([place, fault, expected]) =>
  answers.map(([answer, effect]) => ({
    fault: `${answer} on ${place}`,
    begin: (stage: Stage) => {
      stage.tenant.control.fault({ ...fault(stage), effect });
    },
    expected,
  })),
);
