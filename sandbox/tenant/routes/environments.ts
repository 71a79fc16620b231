import { dataAnswer, jsonAnswer, Refusal } from "../answer.ts";
import { filter, sortKey, type Filter, type SortKey } from "../dataset/columns.ts";
import type { Exchange, Handler, Route } from "../exchange.ts";
import { formatInstant, fromMilliseconds, parseInstant, type Nanoseconds } from "../instants.ts";
import { BAD_FILTERS, NOT_SORTABLE, parseCondition, parseCount, parseUtcInstant } from "../query.ts";
import type { WireEnvironment } from "../wire.ts";

const NOT_COLUMNS = new Set(["finding", "sort_by", "skip", "limit", "asset_group_tag_id"]);
const SPARKLINE_WINDOW = 30n * 24n * 3_600_000_000_000n;

const availableDomains: Handler = ({ data, query }) => {
  const sort = query.getAll("sort_by");
  const kept = data.environments.filter((environment) => passesEnvironmentFilters(environment, query));
  return dataAnswer(kept.sort((a, b) => compareEnvironments(a, b, sort)));
};

function compareEnvironments(a: WireEnvironment, b: WireEnvironment, sort: readonly string[]): number {
  for (const raw of sort) {
    const name = raw.replace(/^-/, "");
    if (name !== "name" && name !== "objectid") throw new Refusal(400, NOT_SORTABLE);
    const field = name === "name" ? "name" : "id";
    const order = a[field] < b[field] ? -1 : Number(a[field] > b[field]);
    if (order !== 0) return raw.startsWith("-") ? -order : order;
  }
  return 0;
}

function passesEnvironmentFilters(environment: WireEnvironment, query: URLSearchParams): boolean {
  const fields: Record<string, string> = {
    objectid: environment.id,
    name: environment.name,
    collected: String(environment.collected),
  };
  return Object.entries(fields).every(([name, value]) =>
    query.getAll(name).every((raw) => {
      const condition = parseCondition(raw);
      if (condition === null) return true;
      if (condition.predicate === "eq") return value === condition.value;
      if (condition.predicate === "neq") return value !== condition.value;
      if (condition.predicate === "~eq") return value.toLowerCase().includes(condition.value.toLowerCase());
      throw new Refusal(400, BAD_FILTERS);
    }),
  );
}

/** The environment of the path: 404 when there is none, 403 when the token may not read it. */
function environmentId({ parameters, data, token }: Exchange): string {
  const id = parameters.domain_id ?? "";
  if (data.environment(id) === undefined) throw new Refusal(404, "resource not found");
  if (token?.forbiddenEnvironments?.includes(id) === true) throw new Refusal(403, "Forbidden");
  return id;
}

const availableTypes: Handler = (exchange) => {
  const id = environmentId(exchange);
  const types = exchange.data.findingTypes(id);
  for (const raw of exchange.query.getAll("sort_by")) {
    if (raw.replace(/^-/, "") !== "finding") throw new Refusal(400, NOT_SORTABLE);
    if (raw.startsWith("-")) types.reverse();
  }
  return dataAnswer(types);
};

function requiredFinding(query: URLSearchParams): string {
  const finding = query.get("finding");
  if (finding === null || finding === "") throw new Refusal(400, "query parameter finding is required");
  return finding;
}

function sortKeys({ query, settings }: Exchange): SortKey[] {
  const keys = query.getAll("sort_by").map((raw) => sortKey(raw));
  for (const { column } of keys) {
    if (settings.sortableColumns?.includes(column) === false) throw new Refusal(400, NOT_SORTABLE);
  }
  return settings.honourSorting ? keys : [];
}

function pageSize({ query, settings }: Exchange): number {
  const { defaultPageSize, maxPageSize, rejectLargeLimits } = settings;
  const asked = parseCount(query, "limit", defaultPageSize);
  if (rejectLargeLimits && asked > maxPageSize) throw new Refusal(400, `invalid limit: ${asked}`);
  return asked === 0 ? maxPageSize : Math.min(asked, maxPageSize);
}

function filters({ query, settings }: Exchange): Filter[] {
  const found: Filter[] = [];
  for (const [name, raw] of query) {
    if (NOT_COLUMNS.has(name)) continue;
    const condition = parseCondition(raw);
    const parsed = condition === null ? null : filter(name, condition);
    if (parsed !== null && settings.honourFilters) found.push(parsed);
  }
  return found;
}

const details: Handler = (exchange) => {
  const id = environmentId(exchange);
  const { query, settings, data } = exchange;
  const finding = requiredFinding(query);
  const skip = parseCount(query, "skip", 0);
  const limit = pageSize(exchange);
  const wanted = {
    filters: filters(exchange),
    sort: sortKeys(exchange),
    unsorted: settings.unsortedOrder,
    skip,
    limit,
  };
  const page = data.findings(id, finding)?.query(wanted) ?? { count: 0, findings: [] };
  return jsonAnswer({ count: page.count, limit, skip, data: page.findings });
};

function windowEnd(query: URLSearchParams, name: string, fallback: Nanoseconds): Nanoseconds {
  const raw = query.get(name);
  if (raw === null || raw === "") return fallback;
  const instant = parseUtcInstant(raw);
  if (instant === null) throw new Refusal(400, `invalid value for query parameter ${name}: ${raw}`);
  return instant;
}

/** Points from `from` (inclusive) to `to` (exclusive), oldest first unless sorted otherwise. */
const sparkline: Handler = (exchange) => {
  const id = environmentId(exchange);
  const { query, data } = exchange;
  const finding = requiredFinding(query);
  const to = windowEnd(query, "to", fromMilliseconds(exchange.now));
  const from = windowEnd(query, "from", fromMilliseconds(exchange.now) - SPARKLINE_WINDOW);
  const points = data.sparkline(id, finding).filter((point) => {
    const instant = parseInstant(point.created_at) ?? 0n;
    return instant >= from && instant < to;
  });
  const newestFirst = query.getAll("sort_by").some((raw) => raw === "-created_at");
  const ordered = newestFirst ? points.toReversed() : points;
  return jsonAnswer({ data: ordered, start: formatInstant(from), end: formatInstant(to) });
};

export const environmentRoutes: Route[] = [
  { method: "GET", path: "/api/v2/available-domains", handle: availableDomains },
  { method: "GET", path: "/api/v2/domains/:domain_id/available-types", handle: availableTypes },
  { method: "GET", path: "/api/v2/domains/:domain_id/details", handle: details },
  { method: "GET", path: "/api/v2/domains/:domain_id/sparkline", handle: sparkline },
];
