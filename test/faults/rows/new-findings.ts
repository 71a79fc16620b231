import type { FindingOverrides } from "../../../sandbox/tenant/index.ts";
import { servedFindings } from "../../support/served-findings.ts";
import { laterPages, once, type FaultRow, type Stage } from "../row.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

function newest({ tenant, environmentId, findingType }: Stage): string {
  const newestFirst = [{ column: "created_at", descending: true }];
  return servedFindings(tenant, environmentId, findingType, newestFirst)[0]?.created_at ?? "";
}

/** Findings that appear after a first poll, each at a time made from the newest `created_at` that was delivered. */
function added(fault: string, times: (newest: string) => string[]): FaultRow {
  return {
    fault,
    before: 1,
    begin: (stage) => {
      const records: FindingOverrides[] = times(newest(stage)).map((created_at) => ({ created_at }));
      stage.tenant.control.addFindings(stage.environmentId, stage.findingType, records);
    },
    expected: {
      status: "completed",
      delivered: times("2026-01-01T00:00:00Z").length,
      says: /new findings? in 1 alert/,
    },
  };
}

function secondOf(instant: string): string {
  return instant.slice(0, 19);
}

export const newFindings: FaultRow[] = [
  added("a new finding with the created_at of the newest delivered one", (at) => [at]),
  added("a new finding older than the newest, inside the overlap window", (at) => [
    new Date(Date.parse(at) - 30 * MINUTE_MS).toISOString(),
    new Date(Date.parse(at) - 60 * MINUTE_MS).toISOString(),
  ]),
  added("fractions of seconds of different length", (at) =>
    ["", ".0", ".1", ".10", ".12", ".123456", ".123456789"].map((fraction) => `${secondOf(at)}${fraction}Z`),
  ),
  added("created_at that differ by one nanosecond", (at) =>
    [1, 2, 3].map((nanos) => `${secondOf(at)}.99999999${nanos}Z`),
  ),
  {
    fault: "a new finding with the created_at of the newest one, and another one deleted",
    before: 1,
    begin: (stage) => {
      const { tenant, environmentId, findingType } = stage;
      tenant.control.addFindings(environmentId, findingType, [{ created_at: newest(stage) }]);
      tenant.control.removeFinding(environmentId, findingType, 3);
    },
    expected: { status: "completed", delivered: 1, says: /1 new finding in 1 alert/ },
  },
  {
    fault: "a finding dated two days ahead, and later one dated now",
    before: 1,
    begin: ({ tenant, environmentId, findingType }) => {
      const ahead = new Date(Date.now() + 2 * DAY_MS).toISOString();
      tenant.control.addFindings(environmentId, findingType, [{ created_at: ahead }]);
    },
    end: ({ tenant, environmentId, findingType }) => {
      tenant.control.analyse(environmentId, { findings: { [findingType]: 1 } });
    },
    expected: { status: "completed", delivered: 1, says: /1 new finding in 1 alert/ },
  },
  {
    fault: "new findings while the run reads",
    begin: (stage) => {
      const { tenant, environmentId, findingType } = stage;
      tenant.control.fault({
        ...once(laterPages)(stage),
        effect: { kind: "run", run: (control) => void control.addFindings(environmentId, findingType, 3) },
      });
    },
    expected: { status: "completed", delivered: 75, says: /75 new findings/ },
  },
];
