import type { AttackPathService, FindingsPage, FindingsQuery } from "../../../src/service/attack-path-service.ts";
import type { Finding } from "../../../src/service/resources/findings.records.ts";
import { findingIdentity } from "../../../src/service/resources/finding-identity.ts";
import { readList } from "../../../src/service/lists/paging.ts";
import { ProtocolError } from "../../../src/service/errors/errors.ts";

/** A service's list of findings, read through the real reader of paged lists. */
export interface ListedFindings {
  /** In the order in which they are listed. */
  findings: Finding[];
  pageSize: number;
  /** false: the window is passed over. */
  filters: boolean;
  /** false: the service does not say how long the list is. */
  counts: boolean;
  /** Whether the service accepts the order that is asked for. */
  inOrder: boolean;
  /** Called before each answer; throws what the service fails with. */
  beforeAnswer: (answered: number) => void;
  /** The queries that were asked. */
  readonly queries: FindingsQuery[];
  pages: AttackPathService["findings"]["pages"];
}

export function listedFindings(findings: Finding[], changed: Partial<ListedFindings> = {}): ListedFindings {
  const list: ListedFindings = {
    findings,
    pageSize: 10,
    filters: true,
    counts: true,
    inOrder: true,
    beforeAnswer: () => undefined,
    queries: [],
    ...changed,
    async *pages(query: FindingsQuery): AsyncGenerator<FindingsPage> {
      list.queries.push(query);
      let answered = 0;
      const fetch = (skip: number) => {
        list.beforeAnswer(answered++);
        const window = list.findings.filter((finding) => !list.filters || isIn(finding, query.createdFrom));
        const records = window.slice(skip, skip + list.pageSize).map((finding) => structuredClone(finding));
        return Promise.resolve({ records, invalidValues: [], total: list.counts ? window.length : null });
      };
      const fault = (problem: string) => new ProtocolError(problem, { whoActs: "service" });
      const pages = readList({ fetch, identity: findingIdentity, resume: query.resume, fault });
      for await (const { records, ...page } of pages)
        yield { findings: records, ...page, inOrder: list.inOrder, order: 0 };
    },
  };
  return list;
}

/** A finding without a usable time stands in no window. */
function isIn({ created_at }: Finding, from: string | undefined): boolean {
  if (from === undefined) return true;
  return created_at !== undefined && Date.parse(created_at) >= Date.parse(from);
}

/** What `readStream` needs of a service. */
export function findingsService(list: ListedFindings): AttackPathService["findings"] {
  const unexpected = () => Promise.reject(new TypeError("Nobody should ask for this."));
  const others = { types: unexpected, newest: unexpected, hasMore: unexpected, sparkline: unexpected };
  return { pageSize: 1_000, pages: list.pages, ...others };
}
