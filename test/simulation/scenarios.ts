import {
  BEFORE,
  type EnvironmentPlan,
  type Fault,
  type FindingPlan,
  FOREVER,
  type PollPlan,
  type Scenario,
} from "./scenario.ts";

/** Plain scenarios for tests: one environment, one finding type, nothing goes wrong. */
export const ENVIRONMENT = "S-1-5-21-1";
export const TYPE = "T0GenericAll";

export function plainScenario(changes: Partial<Scenario> = {}): Scenario {
  return {
    seed: 1,
    tenant: {
      scheme: "svcsignature",
      markdownDocuments: false,
      checksRequestDate: true,
      idsPerStream: false,
      pageCap: null,
      pageDefault: 10,
      datapipe: 404,
      sparkline: 404,
      dateHeader: "exact",
      ignoresFilters: false,
      ignoresSorting: false,
      refusesSorting: [],
      largestLimit: null,
      refusesFilters: false,
      nullForEmpty: false,
      documents: "absent",
      latency: [2, 4],
      clock: [],
    },
    environments: [plainEnvironment()],
    findings: [],
    analyses: [],
    faults: [],
    host: { kind: "atomic", aheadMs: 0, clock: [] },
    polls: [plainPoll(1_000), plainPoll(7_200_000), plainPoll(14_400_000)],
    ...changes,
  };
}

export function plainEnvironment(changes: Partial<EnvironmentPlan> = {}): EnvironmentPlan {
  return {
    id: ENVIRONMENT,
    name: "CORP.TEST",
    kind: "active-directory",
    listed: [[BEFORE, FOREVER]],
    collected: [[BEFORE, FOREVER]],
    renames: [],
    types: [{ name: TYPE, listed: [[BEFORE, FOREVER]] }],
    ...changes,
  };
}

export function plainFinding(number: number, changes: Partial<FindingPlan> = {}): FindingPlan {
  return {
    key: `f${number}`,
    environment: ENVIRONMENT,
    type: TYPE,
    id: number,
    created: -3_600_000 + number * 1_000,
    visible: -1,
    accepted: [],
    severities: [{ at: BEFORE, severity: "high" }],
    shape: "relationship",
    ...changes,
  };
}

export function plainFindings(count: number): FindingPlan[] {
  return Array.from({ length: count }, (_, index) => plainFinding(index + 1));
}

export function plainPoll(at: number, changes: Partial<PollPlan> = {}): PollPlan {
  return {
    at,
    deadlineMs: null,
    maxAlerts: null,
    maxEventsPerAlert: null,
    environments: null,
    types: null,
    kill: null,
    memory: { kind: "kept" },
    hostMs: 0,
    ...changes,
  };
}

/** From the beginning to the end. */
export function always(what: Fault["what"], place: Fault["place"] = {}): Fault {
  return { span: [BEFORE, FOREVER], place, what };
}
