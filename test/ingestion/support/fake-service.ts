import type { Clock } from "../../../src/clock.ts";
import type { AttackPathService, FindingsQuery, OptionalRequest } from "../../../src/service/attack-path-service.ts";
import { NotFoundError, RateLimitedError, type ServiceError } from "../../../src/service/errors/errors.ts";
import { path } from "../../../src/service/http/target.ts";
import type { AnalysisStatus } from "../../../src/service/resources/analysis.records.ts";
import type { Environment } from "../../../src/service/resources/environments.records.ts";
import type { Finding } from "../../../src/service/resources/findings.records.ts";
import { listedFindings } from "./listed-findings.ts";
import { TENANT } from "../../support/streams.ts";

/** An answer: what it is, an error, or how many milliseconds it takes before it is what it is. */
export type Answer<T> = T | Error | Late<T>;

interface Late<T> {
  readonly afterMs: number;
  readonly then: T | Error;
}

/** A tenant as a plain object; whatever a test does not set is there and empty. */
export interface FakeTenant {
  environments: Answer<Environment[]>;
  /** Finding types by environment. */
  types: Record<string, Answer<string[]>>;
  /** Why the list of an environment's finding types ends early, by environment; `tenant`: the list of environments. */
  cutShort: Record<string, ServiceError>;
  /** Findings by `<environment> <finding type>`. */
  findings: Record<string, Answer<Finding[]>>;
  /** Null: the tenant does not offer it. */
  analysis: Answer<AnalysisStatus | null>;
  /** The marks of the environments' sparklines; an empty text for none. */
  trend: Answer<string>;
  description: Answer<string>;
  /** How many findings a stream counts, where that is not how many it lists. */
  counted: Record<string, number>;
  /** What the question for the newest finding of a stream is answered with, where that is not what it lists. */
  newest: Answer<Finding[]> | null;
  /** How many lists of findings the service gives in one run before it refuses the next ones; null: all. */
  listsGranted: number | null;
  /** Whether any response has arrived. */
  responded: boolean;
  /** The clock of the service by its responses; exact: that of the host. */
  time: "exact" | number | null;
  requestsPerSecond: number;
  /** Findings in a page, as a run leaves it to the next one. */
  pageSize: number;
  /** How many requests a run sends, where that is not how many were asked. */
  requestsSent: number | null;
  heldBackMs: number;
  /** What was asked, such as `types S-1` or `newest S-1 T0Owns`. */
  readonly asked: string[];
  /** What was asked and cancelled before it was answered. */
  readonly cancelled: string[];
}

export function fakeTenant(changed: Partial<FakeTenant> = {}): FakeTenant {
  return {
    environments: [],
    types: {},
    cutShort: {},
    findings: {},
    analysis: null,
    trend: "",
    description: "text",
    listsGranted: null,
    responded: true,
    counted: {},
    newest: null,
    time: "exact",
    requestsPerSecond: 53,
    pageSize: 1_000,
    requestsSent: null,
    heldBackMs: 0,
    asked: [],
    cancelled: [],
    ...changed,
  };
}

/** What an environment's lists are refused with. */
export const refusal = (environmentId: string): RateLimitedError =>
  new RateLimitedError("wait", {
    whoActs: "service",
    endpoint: { method: "GET", path: path`/api/v2/domains/${environmentId}/available-types` },
  });

/** The tenant as the service of a poll. */
export function serviceOf(tenant: FakeTenant, clock: Clock): AttackPathService {
  const answer = async <T>(
    question: string,
    given: Answer<T>,
    { signal, onSent }: OptionalRequest = {},
  ): Promise<T> => {
    tenant.asked.push(question);
    onSent?.();
    if (!isLate(given)) return settled<T>(given);
    signal?.addEventListener("abort", () => tenant.cancelled.push(question));
    await clock.sleep(given.afterMs, signal);
    return settled<T>(given.then);
  };
  const windowOf = async (query: FindingsQuery): Promise<Finding[]> => {
    const key = `${query.environmentId} ${query.findingType}`;
    const lists = tenant.asked.filter((question) => question.startsWith("pages")).length;
    const isRefused = tenant.listsGranted !== null && lists >= tenant.listsGranted;
    return answer(`pages ${key}`, isRefused ? refusal(query.environmentId) : (tenant.findings[key] ?? []));
  };
  const incomplete = (list: string): { incomplete?: ServiceError } => {
    const error = tenant.cutShort[list];
    return error === undefined ? {} : { incomplete: error };
  };
  const unexpected = () => Promise.reject(new TypeError("A poll does not ask for this."));
  return {
    origin: TENANT,
    get responded() {
      return tenant.responded;
    },
    dialect: null,
    requestsPerSecond: tenant.requestsPerSecond,
    get heldBackMs() {
      return tenant.heldBackMs;
    },
    get requestsSent() {
      return tenant.requestsSent ?? tenant.asked.length;
    },
    requestsServed: 0,
    time: () => (tenant.time === "exact" ? clock.now() : tenant.time),
    analysis: { status: (options) => answer("analysis", tenant.analysis, options) },
    environments: {
      list: async (options) => ({
        environments: await answer("environments", tenant.environments, options),
        unreadable: 0,
        ...incomplete("tenant"),
      }),
    },
    findings: {
      get pageSize() {
        return tenant.pageSize;
      },
      set pageSize(most) {
        tenant.pageSize = most;
      },
      types: async (id) => ({
        types: await answer(`types ${id}`, tenant.types[id] ?? notFound()),
        unreadable: 0,
        ...incomplete(id),
      }),
      async *pages(query) {
        yield* listedFindings(await windowOf(query)).pages(query);
      },
      newest: async (query, options) => {
        const key = `${query.environmentId} ${query.findingType}`;
        const listed = await answer(`newest ${key}`, tenant.newest ?? tenant.findings[key] ?? [], options);
        const counted = tenant.counted[key];
        if (counted !== undefined) return { total: counted, newest: null };
        for await (const page of listedFindings(listed, { pageSize: 1_000 }).pages(query)) {
          const [newest = null] = [...page.findings].sort((a, b) => Number(b.id) - Number(a.id));
          return { total: page.total, newest };
        }
        return { total: 0, newest: null };
      },
      hasMore: unexpected,
      sparkline: async ({ environmentId }, options) => {
        const mark = await answer(`sparkline ${environmentId}`, tenant.trend, options);
        return mark === "" ? [] : [{ created_at: mark }];
      },
    },
    documents: { read: (type, kind, options) => answer(`${kind} ${type}`, tenant.description, options) },
    objects: { search: unexpected },
    paths: { shortest: unexpected },
    entities: { directory: unexpected, azure: unexpected, directoryRelated: unexpected, azureRelated: unexpected },
    graph: { metaTree: unexpected },
    sso: { listSamlProviders: unexpected, deleteSamlProvider: unexpected, deleteSsoProvider: unexpected },
    clientTasks: { current: unexpected },
    tokens: { createdAt: unexpected },
    close: () => undefined,
  };
}

function isLate<T>(given: Answer<T>): given is Late<T> {
  return typeof given === "object" && given !== null && "afterMs" in given;
}

function settled<T>(given: T | Error): T {
  if (given instanceof Error) throw given;
  return given;
}

function notFound(): Error {
  return new NotFoundError("no such environment", { whoActs: "administrator", wrapped: true });
}
