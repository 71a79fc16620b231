import type { Plugin } from "./plugin.ts";
import { simulate } from "./simulate.ts";
import { BEFORE, type ClockFault, FOREVER, type Span, type Story } from "./story.ts";

/**
 * Makes a story smaller as long as it breaks the same law: fewer polls, faults, findings, environments, analyses, then
 * plainer ones. What is left is what matters.
 *
 * @param budgetMs real time that this may take
 */
export async function shrink(
  story: Story,
  { law, except = [] }: { law: string; except?: readonly string[] },
  plugin: Plugin,
  budgetMs: number,
): Promise<Story> {
  const end = performance.now() + budgetMs;
  let smallest = story;
  const breaks = async (candidate: Story): Promise<boolean> => {
    const { violations } = await simulate(candidate, plugin, { except });
    return violations.some((violation) => violation.law === law);
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

type Step = (story: Story) => Story[];

const steps: readonly Step[] = [
  (story) => without(story.faults).map((faults) => ({ ...story, faults })),
  (story) => without(story.findings).map((findings) => ({ ...story, findings })),
  (story) => without(story.polls).map((polls) => ({ ...story, polls })),
  (story) => without(story.analyses).map((analyses) => ({ ...story, analyses })),
  (story) => without(story.brokenAnalyses ?? []).map((brokenAnalyses) => ({ ...story, brokenAnalyses })),
  (story) => without(story.ingestions ?? []).map((ingestions) => ({ ...story, ingestions })),
  (story) => without(story.environments).map((environments) => withEnvironments(story, environments)),
  fewerTypes,
  plainerTenant,
  plainerHost,
  plainerPolls,
  plainerFindings,
  plainerEnvironments,
  (story) => without(story.findings).map((findings) => ({ ...story, findings })),
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
function withEnvironments(story: Story, environments: Story["environments"]): Story {
  const types = new Map(environments.map(({ id, types }) => [id, new Set(types.map(({ name }) => name))]));
  const findings = story.findings.filter(({ environment, type }) => types.get(environment)?.has(type) === true);
  return { ...story, environments, findings };
}

function fewerTypes(story: Story): Story[] {
  return story.environments.flatMap((environment, place) =>
    without(environment.types)
      .filter((types) => types.length > 0)
      .map((types) => withEnvironments(story, story.environments.with(place, { ...environment, types }))),
  );
}

function plainerTenant(story: Story): Story[] {
  const plain: Partial<Story["tenant"]>[] = [
    { clock: [] },
    ...without(story.tenant.clock).map((clock) => ({ clock })),
    { clock: story.tenant.clock.map(withoutDrift) },
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
    .filter((change) => changes(story.tenant, change))
    .map((c) => ({ ...story, tenant: { ...story.tenant, ...c } }));
  return [...withoutOptions(story.tenant, TENANT_OPTIONS).map((tenant) => ({ ...story, tenant })), ...plainer];
}

const TENANT_OPTIONS = [
  "unlisted",
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

function plainerHost(story: Story): Story[] {
  const plain: Partial<Story["host"]>[] = [
    { aheadMs: 0 },
    { clock: [] },
    ...without(story.host.clock).map((clock) => ({ clock })),
    { clock: story.host.clock.map(withoutDrift) },
    { kind: "atomic" },
  ];
  const fewer = withoutOptions(story.host, ["stateCharacters", "movesInRuns"]).map((host) => ({ ...story, host }));
  const plainer = plain
    .filter((change) => changes(story.host, change))
    .map((c) => ({ ...story, host: { ...story.host, ...c } }));
  return [...fewer, ...plainer];
}

function withoutDrift({ span, aheadMs }: ClockFault): ClockFault {
  return { span, aheadMs };
}

function plainerPolls(story: Story): Story[] {
  const plain: Partial<Story["polls"][number]>[] = [
    { deadlineMs: null },
    { maxAlerts: null },
    { maxEventsPerAlert: null },
    { environments: null },
    { types: null },
    { kill: null },
    { memory: { kind: "kept" } },
    { hostMs: 0 },
  ];
  return story.polls.flatMap((poll, place) => {
    const fewer = withoutOptions(poll, ["stopAfterMs", "overlapAfterMs"]).map((each) => ({
      ...story,
      polls: story.polls.with(place, each),
    }));
    const rest = plain.filter((change) => changes(poll, change));
    return [...fewer, ...rest.map((change) => ({ ...story, polls: story.polls.with(place, { ...poll, ...change }) }))];
  });
}

function plainerFindings(story: Story): Story[] {
  return story.findings.flatMap((finding, place) => {
    const fewer = withoutOptions(finding, FINDING_OPTIONS);
    const plain: Partial<Story["findings"][number]>[] = [
      { accepted: [] },
      { severities: finding.severities.slice(0, 1) },
      { shape: "list" },
      { id: place + 1 },
    ];
    const plainer = plain.filter((change) => changes(finding, change)).map((change) => ({ ...finding, ...change }));
    return [...fewer, ...plainer].map((smaller) => ({ ...story, findings: story.findings.with(place, smaller) }));
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

function plainerEnvironments(story: Story): Story[] {
  const always: Span[] = [[BEFORE, FOREVER]];
  return story.environments.flatMap((environment, place) => {
    const { odd, ...usual } = environment;
    const plain: Partial<Story["environments"][number]>[] = [
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
      ...story,
      environments: story.environments.with(place, each),
    }));
  });
}

function changes<T extends object>(before: T, change: Partial<T>): boolean {
  return JSON.stringify({ ...before, ...change }) !== JSON.stringify(before);
}
