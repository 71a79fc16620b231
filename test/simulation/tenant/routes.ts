import type { Endpoint, FindingPlan, Misbehaviour, TenantPlan } from "../scenario.ts";
import { hashText } from "../random.ts";
import { type World } from "../world.ts";
import { type Answer, json, refusal, text } from "./answers.ts";
import { BadQuery, Rows, wholeNumber } from "./query.ts";
import { environmentRecord, findingRecord } from "./records.ts";

/** What a request asks for. */
export interface Call {
  endpoint: Endpoint;
  environment?: string;
  type?: string;
  document?: string;
  query: URLSearchParams;
}

interface PageCall {
  query: URLSearchParams;
  moment: number;
  faults: readonly Misbehaviour[];
  counts: TenantPlan["counts"];
}

type StreamName = Pick<FindingPlan, "environment" | "type">;

const DOCUMENTS = ["title", "short_description", "short_remediation", "long_remediation"];

/** Null for an address that this API does not have. */
export function readTarget(target: string): Call | null {
  const mark = target.indexOf("?");
  const query = new URLSearchParams(mark < 0 ? "" : target.slice(mark + 1));
  const [, api, version, ...rest] = (mark < 0 ? target : target.slice(0, mark)).split("/").map(decodeURIComponent);
  if (api !== "api" || version !== "v2") return null;
  switch (rest[0]) {
    case "available-domains":
      return rest.length === 1 ? { endpoint: "environments", query } : null;
    case "datapipe":
      return rest.length === 2 && rest[1] === "status" ? { endpoint: "datapipe", query } : null;
    case "assets":
      return readDocument(rest, query);
    case "domains":
      return rest.length === 3 ? readEnvironmentCall(rest[1] ?? "", rest[2], query) : null;
    default:
      return null;
  }
}

function readDocument([, findings, type, document]: string[], query: URLSearchParams): Call | null {
  if (findings !== "findings" || type === undefined || document === undefined) return null;
  return { endpoint: "document", type, document, query };
}

function readEnvironmentCall(environment: string, what: string | undefined, query: URLSearchParams): Call | null {
  if (what === "available-types") return { endpoint: "types", environment, query };
  if (what !== "details" && what !== "sparkline") return null;
  const type = query.get("finding");
  return { endpoint: what, environment, query, ...(type !== null && { type }) };
}

/** Answers a request by the truth of a moment; what the faults say about content is already part of the answer. */
export class Routes {
  readonly #world: World;
  /** Counts requests, so that an unstable order is another one each time. */
  #count = 0;

  constructor(world: World) {
    this.#world = world;
  }

  answer(call: Call, moment: number, faults: readonly Misbehaviour[]): Answer {
    this.#count++;
    try {
      return this.#route(call, moment, faults);
    } catch (error) {
      if (error instanceof BadQuery) return refusal(400, error.message, this.#world.serviceClock(moment));
      throw error;
    }
  }

  #route(call: Call, moment: number, faults: readonly Misbehaviour[]): Answer {
    switch (call.endpoint) {
      case "environments":
        return this.#environments(call, moment, faults);
      case "types":
        return this.#types(call, moment, faults);
      case "details":
        return this.#details(call, moment, faults);
      case "sparkline":
        return this.#sparkline(call, moment);
      case "document":
        return this.#document(call, moment);
      case "datapipe":
        return this.#datapipe(moment);
    }
  }

  #environments({ query }: Call, moment: number, faults: readonly Misbehaviour[]): Answer {
    const environments = this.#world.environmentsAt(moment);
    const records = environments.map((environment) => environmentRecord(this.#world, environment, moment));
    // What is listed twice is odd as well.
    const oddEntries = odd(faults) ? [null, 5, "x", {}, { id: 7 }, [], ...records.slice(0, 1)] : [];
    return this.#page([...oddEntries, ...records], query, faults);
  }

  /** A list whole, or in pages where the tenant has some for every list. */
  #page(entries: readonly unknown[], query: URLSearchParams, faults: readonly Misbehaviour[]): Answer {
    const cut = faults.find((fault) => fault.kind === "cut list");
    const most = cut?.size ?? this.#world.scenario.tenant.listPages;
    if (most === undefined) return this.#list(entries);
    const limit = Math.min(wholeNumber(query, "limit") || Infinity, most);
    const skip = cut === undefined ? (wholeNumber(query, "skip") ?? 0) : 0;
    const answer = this.#list(entries.slice(skip, skip + limit), { count: entries.length, limit, skip });
    return cut !== undefined && entries.length > limit ? { ...answer, flaw: "cut list" } : answer;
  }

  #list(data: readonly unknown[], paging: object = {}): Answer {
    return json({ ...paging, data: data.length === 0 && this.#world.scenario.tenant.nullForEmpty ? null : data });
  }

  #types({ environment: id, query }: Call, moment: number, faults: readonly Misbehaviour[]): Answer {
    const environment = this.#world.environment(id ?? "");
    if (environment === undefined || !this.#isKnown(id, moment)) return this.#notFound(moment);
    const types = this.#world.typesAt(environment, moment);
    const oddEntries = odd(faults) ? [null, 5, "", {}, ["T0Odd"], ...types.slice(0, 1)] : [];
    const { size = Infinity } = faults.find((fault) => fault.kind === "short list") ?? {};
    const answer = this.#page([...oddEntries, ...types.slice(0, size)], query, faults);
    return types.length > size ? { flaw: "short list", ...answer } : answer;
  }

  #details({ environment, type, query }: Call, moment: number, faults: readonly Misbehaviour[]): Answer {
    if (!this.#isKnown(environment, moment)) return this.#notFound(moment);
    if (type === undefined) throw new BadQuery("query parameter finding is required");
    const stream = { environment, type };
    const unlisted = this.#world.isListedThroughout(environment, type, moment, moment)
      ? "rows"
      : this.#world.scenario.tenant.unlisted;
    if (unlisted === 404) return this.#notFound(moment);
    const shown = this.#shownStream(stream, moment, faults);
    // A cache that mixes streams up does not look at filters either.
    const filter = shown === stream ? query : new URLSearchParams();
    const all = new Rows(this.#world, moment).select(shown.environment, shown.type, filter);
    const rows = unlisted === "empty" ? [] : this.#inOrder(all, faults);
    const answer =
      this.#refusalPastEnd(rows.length, query, moment) ??
      this.#pageOf(rows, { query, moment, faults, counts: this.#countsIn(environment) });
    // An answer without any row shows nothing of another stream.
    const isEmpty = rows.length === 0 || faults.some(({ kind }) => kind === "empty page" || kind === "null data");
    if (shown === stream || isEmpty) return answer;
    return { ...answer, flaw: answer.records === 0 ? "foreign end" : "foreign rows" };
  }

  #refusalPastEnd(length: number, query: URLSearchParams, moment: number): Answer | null {
    const { pastEnd } = this.#world.scenario.tenant;
    const skip = wholeNumber(query, "skip") ?? 0;
    if (pastEnd === undefined || skip === 0 || skip < length) return null;
    return refusal(pastEnd, "invalid skip", this.#world.serviceClock(moment));
  }

  #pageOf(rows: FindingPlan[], { query, moment, faults, counts }: PageCall): Answer {
    const { pageDefault, largestLimit, smallestLimit = 0 } = this.#world.scenario.tenant;
    const asked = wholeNumber(query, "limit") ?? pageDefault;
    if (asked > (largestLimit ?? Infinity)) throw new BadQuery(`query parameter "limit" is too large: ${asked}`);
    if (asked < smallestLimit) throw new BadQuery(`query parameter "limit" is too small: ${asked}`);
    const limit = Math.min(asked === 0 ? Infinity : asked, this.#pageCap(faults));
    const skip = faults.some(({ kind }) => kind === "repeated page") ? 0 : (wholeNumber(query, "skip") ?? 0);
    const page = rows.slice(skip, skip + limit).map((row) => findingRecord(this.#world, row, moment));
    const data = this.#spoilt(page, limit, faults);
    const lie = faults.find((fault) => fault.kind === "count");
    const said = counts?.of === "page" ? { asked, absent: undefined }[counts.limit] : limit;
    const count = counts?.of === "page" ? page.length : Math.min(rows.length, counts?.most ?? Infinity);
    return { ...json({ ...countOf(count, lie), limit: said, skip, data }), records: page.length };
  }

  #countsIn(environment: string): TenantPlan["counts"] {
    const { counts } = this.#world.scenario.tenant;
    return counts?.of === "page" && counts.environments?.includes(environment) === false ? undefined : counts;
  }

  /** The stream that is asked for, or another one that has findings where a cache ignores part of the query. */
  #shownStream(asked: StreamName, moment: number, faults: readonly Misbehaviour[]): StreamName {
    const question = faults.find((fault) => fault.kind === "other question");
    if (question === undefined) return asked;
    // Only SIDs of directory domains say in each finding which environment it is of.
    const isDirectory = (environment: string): boolean => environment.startsWith("S-1-");
    const isOther = ({ environment, type }: FindingPlan): boolean =>
      question.of === "type"
        ? environment === asked.environment && type !== asked.type
        : environment !== asked.environment && [environment, asked.environment].every(isDirectory);
    const { findings } = this.#world.scenario;
    return findings.find((finding) => isOther(finding) && this.#world.isPresent(finding, moment)) ?? asked;
  }

  #inOrder(rows: FindingPlan[], faults: readonly Misbehaviour[]): FindingPlan[] {
    if (faults.every(({ kind }) => kind !== "unstable order")) return rows;
    const places = new Map(rows.map((row) => [row, hashText(row.key + String(this.#count))]));
    return rows.sort((a, b) => places.get(a)! - places.get(b)!);
  }

  #spoilt(page: readonly unknown[], limit: number, faults: readonly Misbehaviour[]): readonly unknown[] | null {
    const has = (kind: Misbehaviour["kind"]): boolean => faults.some((fault) => fault.kind === kind);
    if (has("empty page")) return [];
    if (has("null data")) return null;
    if (page.length === 0 && this.#world.scenario.tenant.nullForEmpty) return null;
    return has("duplicates") ? page.flatMap((row) => [row, row]).slice(0, limit) : page;
  }

  #pageCap(faults: readonly Misbehaviour[]): number {
    const cap = faults.find((fault) => fault.kind === "page cap")?.cap ?? this.#world.scenario.tenant.pageCap;
    return cap ?? Infinity;
  }

  #sparkline({ environment, type, query }: Call, moment: number): Answer {
    const { sparkline, sparklineLagMs = 0 } = this.#world.scenario.tenant;
    if (sparkline === 404 || !this.#isKnown(environment, moment)) return this.#notFound(moment);
    if (type === undefined) throw new BadQuery("query parameter finding is required");
    const now = this.#world.serviceClock(moment);
    const from = instantOf(query.get("from")) ?? now - 30 * 86_400_000;
    const to = instantOf(query.get("to")) ?? now;
    const analyses = sparkline === "empty" ? [] : this.#world.analysesBefore(moment - sparklineLagMs);
    const points = analyses.map(([, end], index) => ({
      id: index + 1,
      created_at: new Date(this.#world.serviceClock(end)).toISOString(),
      CompositeRisk: 10,
      FindingCount: this.#world.findingsOf(environment, type).filter((f) => this.#world.isPresent(f, end)).length,
      ImpactedAssetCount: 5,
      DomainSID: environment,
    }));
    return this.#list(
      points.filter(({ created_at }) => Date.parse(created_at) >= from && Date.parse(created_at) <= to),
    );
  }

  #document({ type = "", document = "" }: Call, moment: number): Answer {
    const { documents, markdownDocuments } = this.#world.scenario.tenant;
    const name = markdownDocuments ? document.replace(/\.md$/, "") : document;
    if (document.endsWith(".md") !== markdownDocuments || !DOCUMENTS.includes(name) || documents === "absent") {
      return this.#notFound(moment);
    }
    const body = `The ${name.replace("_", " ")} of ${type.slice(0, 50)}`;
    return documents === "json" ? json({ data: body }) : text(body);
  }

  #datapipe(moment: number): Answer {
    const { datapipe } = this.#world.scenario.tenant;
    if (datapipe !== 200) return refusal(datapipe, "resource not found", this.#world.serviceClock(moment));
    const complete = this.#world.analysesBefore(moment).at(-1)?.[1] ?? -3_600_000;
    const last = Math.max(complete, this.#world.lastAnalysisEnd(moment) ?? complete);
    const instant = (at: number): string => new Date(this.#world.serviceClock(at)).toISOString();
    return json({
      data: {
        status: this.#world.activityAt(moment)?.status ?? "idle",
        updated_at: instant(last),
        last_complete_analysis_at: instant(complete),
        last_analysis_run_at: instant(last),
      },
    });
  }

  #isKnown(environment: string | undefined, moment: number): environment is string {
    const known = environment === undefined ? undefined : this.#world.environment(environment);
    return known !== undefined && this.#world.isListed(known, moment);
  }

  #notFound(moment: number): Answer {
    return refusal(404, "resource not found", this.#world.serviceClock(moment));
  }
}

function odd(faults: readonly Misbehaviour[]): boolean {
  return faults.some(({ kind }) => kind === "odd entries");
}

function instantOf(text: string | null): number | null {
  const ms = text === null ? NaN : Date.parse(text);
  return Number.isNaN(ms) ? null : ms;
}

function countOf(true_: number, lie: (Misbehaviour & { kind: "count" }) | undefined): { count?: unknown } {
  switch (lie?.lie) {
    case undefined:
      return { count: true_ };
    case "small":
      return { count: Math.floor(true_ / 2) };
    case "big":
      return { count: true_ + 3 };
    case "zero":
      return { count: 0 };
    case "negative":
      return { count: -1 };
    case "text":
      return { count: String(true_) };
    case "null":
      return { count: null };
    case "missing":
      return {};
  }
}
