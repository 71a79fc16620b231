import type { Plugin } from "./plugin.ts";
import { simulate } from "./simulate.ts";
import { BEFORE, type ClockFault, FOREVER, type Span, type Scenario } from "./scenario.ts";

/**
 * Makes a scenario smaller as long as it breaks the same invariant: fewer polls, faults, findings, environments, analyses, then
 * plainer ones. What is left is what matters.
 *
 * @param budgetMs real time that this may take
 */
export async function shrink(
  scenario: Scenario,
  { invariant, except = [] }: { invariant: string; except?: readonly string[] },
  plugin: Plugin,
  budgetMs: number,
): Promise<Scenario> {
  const end = performance.now() + budgetMs;
  let smallest = scenario;
  const breaks = async (candidate: Scenario): Promise<boolean> => {
    const { violations } = await simulate(candidate, plugin, { except });
    return violations.some((violation) => violation.invariant === invariant);
  };
  for (let changed = true; changed;) {
    changed = false;
    for (const candidates of steps) {
      let rest = candidates(smallest);
      for (let index = 0; performance.now() < end;) {
        const candidate = rest[index];
        if (candidate === undefined) break;
        if (await breaks(candidate)) {
          smallest = candidate;
          changed = true;
          // Goes on at the same place of what is left.
          rest = candidates(smallest);
        } else index++;
      }
    }
    if (performance.now() >= end) break;
  }
  return smallest;
}

type Step = (scenario: Scenario) => Scenario[];

const steps: readonly Step[] = [
  (scenario) => without(scenario.faults).map((faults) => ({ ...scenario, faults })),
  (scenario) => without(scenario.findings).map((findings) => ({ ...scenario, findings })),
  (scenario) => without(scenario.polls).map((polls) => ({ ...scenario, polls })),
  (scenario) => without(scenario.analyses).map((analyses) => ({ ...scenario, analyses })),
  (scenario) => without(scenario.brokenAnalyses ?? []).map((brokenAnalyses) => ({ ...scenario, brokenAnalyses })),
  (scenario) => without(scenario.ingestions ?? []).map((ingestions) => ({ ...scenario, ingestions })),
  (scenario) => without(scenario.environments).map((environments) => withEnvironments(scenario, environments)),
  fewerTypes,
  plainerTenant,
  plainerHost,
  plainerPolls,
  plainerFindings,
  plainerEnvironments,
  (scenario) => without(scenario.findings).map((findings) => ({ ...scenario, findings })),
];

/** The list without its halves, quarters and so on, down to single items. */
function without<T>(list: readonly T[]): T[][] {
  const results: T[][] = [];
  for (let size = Math.ceil(list.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = 0; from < list.length; from += size)
      results.push([...list.slice(0, from), ...list.slice(from + size)]);
  }
  return results;
}

/** Findings of an environment that is left out go with it. */
function withEnvironments(scenario: Scenario, environments: Scenario["environments"]): Scenario {
  const types = new Map(environments.map(({ id, types }) => [id, new Set(types.map(({ name }) => name))]));
  const findings = scenario.findings.filter(({ environment, type }) => types.get(environment)?.has(type) === true);
  return { ...scenario, environments, findings };
}

function fewerTypes(scenario: Scenario): Scenario[] {
  return scenario.environments.flatMap((environment, place) =>
    without(environment.types)
      .filter((types) => types.length > 0)
      .map((types) => withEnvironments(scenario, scenario.environments.with(place, { ...environment, types }))),
  );
}

function plainerTenant(scenario: Scenario): Scenario[] {
  const plain: Partial<Scenario["tenant"]>[] = [
    { clock: [] },
    ...without(scenario.tenant.clock).map((clock) => ({ clock })),
    { clock: scenario.tenant.clock.map(withoutDrift) },
    { pageCap: null },
    { datapipe: 404 },
    { sparkline: 404 },
    { sparklineLagMs: 0 },
    { dateHeader: "exact" },
    { ignoresFilters: false },
    { ignoresSorting: false },
    { refusesSorting: [] },
    { largestLimit: null },
    { refusesFilters: false },
    { idsPerStream: false },
    { checksRequestDate: false },
    { nullForEmpty: false },
    { documents: "absent" },
    { scheme: "svcsignature", markdownDocuments: false },
    { latency: [2, 2] },
  ];
  const plainer = plain
    .filter((change) => changes(scenario.tenant, change))
    .map((c) => ({ ...scenario, tenant: { ...scenario.tenant, ...c } }));
  return [...withoutOptions(scenario.tenant, TENANT_OPTIONS).map((tenant) => ({ ...scenario, tenant })), ...plainer];
}

const TENANT_OPTIONS = [
  "unlisted",
  "pastEnd",
  "endsLateRequests",
  "namesContexts",
  "announcedLimit",
  "listPages",
  "refuses",
  "replicas",
  "wire",
] as const;

/** Without one of the fields that may be absent. */
function withoutOptions<T extends object>(whole: T, options: readonly (keyof T & string)[]): T[] {
  const without = (option: string): T =>
    Object.fromEntries(Object.entries(whole).filter(([name]) => name !== option)) as T;
  return options.filter((option) => option in whole).map(without);
}

function plainerHost(scenario: Scenario): Scenario[] {
  const plain: Partial<Scenario["host"]>[] = [
    { aheadMs: 0 },
    { clock: [] },
    ...without(scenario.host.clock).map((clock) => ({ clock })),
    { clock: scenario.host.clock.map(withoutDrift) },
    { kind: "atomic" },
  ];
  const fewer = withoutOptions(scenario.host, ["stateCharacters", "movesInRuns"]).map((host) => ({
    ...scenario,
    host,
  }));
  const plainer = plain
    .filter((change) => changes(scenario.host, change))
    .map((c) => ({ ...scenario, host: { ...scenario.host, ...c } }));
  return [...fewer, ...plainer];
}

function withoutDrift({ span, aheadMs }: ClockFault): ClockFault {
  return { span, aheadMs };
}

function plainerPolls(scenario: Scenario): Scenario[] {
  const plain: Partial<Scenario["polls"][number]>[] = [
    { deadlineMs: null },
    { maxAlerts: null },
    { maxEventsPerAlert: null },
    { environments: null },
    { types: null },
    { kill: null },
    { memory: { kind: "kept" } },
    { hostMs: 0 },
  ];
  return scenario.polls.flatMap((poll, place) => {
    const fewer = withoutOptions(poll, ["stopAfterMs", "overlapAfterMs"]).map((each) => ({
      ...scenario,
      polls: scenario.polls.with(place, each),
    }));
    const rest = plain.filter((change) => changes(poll, change));
    return [
      ...fewer,
      ...rest.map((change) => ({ ...scenario, polls: scenario.polls.with(place, { ...poll, ...change }) })),
    ];
  });
}

function plainerFindings(scenario: Scenario): Scenario[] {
  return scenario.findings.flatMap((finding, place) => {
    const fewer = withoutOptions(finding, FINDING_OPTIONS);
    const plain: Partial<Scenario["findings"][number]>[] = [
      { accepted: [] },
      { severities: finding.severities.slice(0, 1) },
      { shape: "list" },
      { id: place + 1 },
    ];
    const plainer = plain.filter((change) => changes(finding, change)).map((change) => ({ ...finding, ...change }));
    return [...fewer, ...plainer].map((smaller) => ({ ...scenario, findings: scenario.findings.with(place, smaller) }));
  });
}

const FINDING_OPTIONS = [
  "future",
  "nanoseconds",
  "deleted",
  "odd",
  "idPadding",
  "target",
  "sameAs",
  "redated",
  "nullable",
] as const;

function plainerEnvironments(scenario: Scenario): Scenario[] {
  const always: Span[] = [[BEFORE, FOREVER]];
  return scenario.environments.flatMap((environment, place) => {
    const { odd, ...usual } = environment;
    const plain: Partial<Scenario["environments"][number]>[] = [
      { listed: always },
      { collected: always },
      { renames: [] },
      { name: "CORP.TEST" },
      { types: environment.types.map(({ name }) => ({ name, listed: always })) },
    ];
    const plainer = plain
      .filter((change) => changes(environment, change))
      .map((change) => ({ ...environment, ...change }));
    return [...(odd === undefined ? [] : [usual]), ...plainer].map((each) => ({
      ...scenario,
      environments: scenario.environments.with(place, each),
    }));
  });
}

function changes<T extends object>(before: T, change: Partial<T>): boolean {
  return JSON.stringify({ ...before, ...change }) !== JSON.stringify(before);
}
