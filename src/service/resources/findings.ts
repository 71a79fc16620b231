import { validateFinding, validateSparklinePoint } from "../../generated/validators.js";
import type { Api } from "../api.ts";
import type { AttackPathService, FindingsQuery } from "../attack-path-service.ts";
import { listIn, misshapen } from "../envelope.ts";
import { findingIdentity } from "../finding-identity.ts";
import { type ListAnswer, readList } from "../paging.ts";
import type { Finding } from "../records/findings.ts";
import { unwrapNullables } from "../records/nullables.ts";
import { salvageList } from "../salvage.ts";
import { path, type QueryPair } from "../target.ts";

/** The service documents no largest page; it may grant fewer. */
const PAGE_SIZE = 1_000;

export function findingsOf(api: Api): AttackPathService["findings"] {
  return {
    async types(environmentId) {
      const { envelope, exchange } = await api.get(path`/api/v2/domains/${environmentId}/available-types`);
      const listed = listIn(envelope, exchange);
      const types = listed.filter((type): type is string => typeof type === "string" && type !== "");
      const odd = listed.length - types.length;
      if (odd > 0) api.log.warn("Finding types that are no text were left out", { path: exchange.path, count: odd });
      return types;
    },

    async *pages(query) {
      const pages = readList({
        fetch: (skip) => fetchFindings(api, query, [...ordered, ["limit", PAGE_SIZE], ["skip", skip]], skip),
        identity: findingIdentity,
        resume: query.resume,
        fault: (problem) => misshapen(problem, { method: "GET", path: detailsPath(query) }),
      });
      for await (const { records, ...page } of pages) yield { findings: records, ...page };
    },

    async probe(query) {
      const lastFirst: QueryPair[] = [
        ["sort_by", "-id"],
        ["limit", 1],
      ];
      const { records, total } = await fetchFindings(api, query, lastFirst, 0);
      return { total, lastAdded: records[0] ?? null };
    },

    async sparkline({ environmentId, findingType, from, to }) {
      const query: QueryPair[] = [["finding", findingType]];
      if (from !== undefined) query.push(["from", from]);
      if (to !== undefined) query.push(["to", to]);
      const reply = await api.get(path`/api/v2/domains/${environmentId}/sparkline`, query);
      return unwrapNullables(api.list(validateSparklinePoint, reply));
    },
  };
}

/** Findings of one analysis share their creation time; the id keeps them in one order. */
const ordered: readonly QueryPair[] = [
  ["sort_by", "created_at"],
  ["sort_by", "id"],
];

function detailsPath({ environmentId }: FindingsQuery): string {
  return path`/api/v2/domains/${environmentId}/details`;
}

async function fetchFindings(
  api: Api,
  query: FindingsQuery,
  parameters: readonly QueryPair[],
  firstPosition: number,
): Promise<ListAnswer<Finding>> {
  const filters: QueryPair[] = [["finding", query.findingType]];
  if (query.createdFrom !== undefined) filters.push(["created_at", `gte:${query.createdFrom}`]);
  const { envelope, exchange } = await api.get(detailsPath(query), [...filters, ...parameters]);
  const { records, misfits } = salvageList(validateFinding, listIn(envelope, exchange), firstPosition);
  // Only the finding's own fields: the properties of its principals stay as sent.
  return { records: records.map((record) => unwrapNullables(record, 0)), misfits, total: envelope.count };
}
