import type { FaultEffect } from "../../../sandbox/tenant/index.ts";
import {
  document,
  environments,
  findingTypes,
  firstPage,
  incomplete,
  laterPages,
  noDescription,
  unpaged,
  type FaultRow,
  type Place,
} from "../row.ts";

type Expected = Omit<FaultRow["expected"], "says">;

/** Where the service fails, what a run delivers all the same, and what it says for a reason. */
const places: [name: string, at: Place, expected: Expected, says: (reason: RegExp) => RegExp][] = [
  [
    "the environments",
    environments,
    { status: "failed", delivered: 0 },
    (reason) => new RegExp(`^Nothing could be read\\. ${reason.source}`),
  ],
  [
    "the finding types of one environment",
    findingTypes,
    { status: "partial", delivered: 36 },
    (reason) => incomplete(reason, /UNIFORM-0001\.TEST/),
  ],
  ["the first page of one stream", firstPage, { status: "partial", delivered: 60 }, (reason) => incomplete(reason)],
  ["the second page of one stream", laterPages, { status: "partial", delivered: 65 }, (reason) => incomplete(reason)],
  ["a document", document("short_remediation"), { status: "partial", delivered: 72 }, noDescription],
];

const unavailable = /The service is (?:not available for now|temporarily unavailable)\. Try again later\./;

const answers: [name: string, effect: FaultEffect, reason: RegExp][] = [
  ["500 (JSON)", { kind: "status", status: 500, body: "json" }, /The service reported an internal error: /],
  ["503 (HTML)", { kind: "status", status: 503, body: "html" }, unavailable],
  ["503 (empty)", { kind: "status", status: 503, body: "empty" }, unavailable],
];

export const serverErrors: FaultRow[] = places.flatMap(([place, at, expected, says]) =>
  answers.map(([answer, effect, reason]) => {
    const row: FaultRow = { fault: `${answer} on ${place}`, at, effect, expected: { ...expected, says: says(reason) } };
    return at === environments || at === findingTypes ? unpaged(row) : row;
  }),
);
