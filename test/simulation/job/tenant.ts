import type { Answer, OutgoingRequest, Transport } from "../../../src/service/transport.ts";
import type { Process } from "../clock.ts";
import { hashText, mix } from "../random.ts";
import { EPOCH } from "../world.ts";
import type { ScenarioFinding, Trouble } from "./scenario.ts";
import type { Truth } from "./truth.ts";
import { isPair } from "./finding-types.ts";

const ZERO_TIME = "0001-01-01T00:00:00Z";

/**
 * The tenant of a scenario: it answers from what it knows, which may not be the truth.
 *
 * @param onRefused - called when it refuses a request because there were too many in a second
 */
export function jobTenant(truth: Truth, process: Process, now: () => number, onRefused: () => void): Transport {
  const { seed, mostPerSecond = Infinity } = truth.scenario;
  let sent = 0;
  let served: number[] = [];
  const isRefused = (moment: number): boolean => {
    served = served.filter((at) => moment - at < 1_000);
    if (served.length >= mostPerSecond) return true;
    served.push(moment);
    return false;
  };
  return {
    close: () => undefined,
    send: (request) =>
      new Promise((resolve, reject) => {
        const abort = (): void => {
          reject(Object.assign(new Error("aborted"), { code: "ERR_CANCELED" }));
        };
        if (request.signal.aborted) {
          abort();
          return;
        }
        request.signal.addEventListener("abort", abort, { once: true });
        const latency = 20 + (mix(seed, now(), hashText(request.target), sent++) % 200);
        process.after(latency >> 1, () => {
          const refused = isRefused(now());
          if (refused) onRefused();
          const answer = refused ? tooMany(truth, now()) : answerOf(truth, request, now());
          process.after(latency >> 1, () => {
            if (answer === null) {
              reject(Object.assign(new Error("socket hang up"), { code: "ECONNRESET" }));
              return;
            }
            request.onHead(answer);
            request.onBody(answer.body.length);
            resolve(answer);
          });
        });
      }),
  };
}

function answerOf(truth: Truth, { target }: OutgoingRequest, moment: number): Answer | null {
  const url = new URL(target, "https://tenant.test");
  const trouble = truth.troubleAt(moment);
  const reply = (status: number, body: unknown): Answer => answered(truth, { status, body }, moment);
  if (trouble === "drop") return null;
  if (trouble === "down") return reply(502, "<html>Bad gateway</html>");
  if (trouble === "html") return reply(200, "<html><body>Maintenance</body></html>");
  const found = route(truth, url, moment, trouble);
  return reply(found.status, found.body);
}

interface Reply {
  readonly status: number;
  readonly body: unknown;
}

function answered(truth: Truth, { status, body }: Reply, moment: number): Answer {
  const headers = { date: new Date(clockOf(truth, moment)).toUTCString(), "content-type": "application/json" };
  return { status, headers, body: typeof body === "string" ? body : JSON.stringify(body) };
}

function tooMany(truth: Truth, moment: number): Answer {
  return answered(truth, refusal(429, "rate limit reached"), moment);
}

/** What the service's clock shows, in epoch milliseconds. */
export function clockOf(truth: Truth, moment: number): number {
  return EPOCH + moment - truth.setBackBy(moment) + truth.aheadBy("service", moment);
}

function refusal(status: number, message: string): Reply {
  const body = {
    http_status: status,
    timestamp: ZERO_TIME,
    request_id: "3e4b0c2e-6b0f-4c39-8a13-0d3f0a7f6f11",
    errors: [{ context: "", message }],
  };
  return { status, body };
}

const NOT_FOUND = refusal(404, "resource not found");

function route(truth: Truth, { pathname, searchParams }: URL, moment: number, trouble: Trouble | undefined): Reply {
  if (pathname === "/api/v2/datapipe/status") return datapipe(truth, moment);
  if (pathname === "/api/v2/available-domains") return environments(truth, moment);
  if (pathname === "/api/v2/graphs/shortest-path") {
    return shortestPath(truth, searchParams.get("start_node") ?? "", searchParams.get("end_node") ?? "", moment);
  }
  if (pathname === "/api/v2/search") return search(truth, searchParams.get("q") ?? "", moment);
  return inEnvironment(truth, { pathname, searchParams }, moment, trouble);
}

function inEnvironment(
  truth: Truth,
  { pathname, searchParams }: Pick<URL, "pathname" | "searchParams">,
  moment: number,
  trouble: Trouble | undefined,
): Reply {
  const [, id = "", list = ""] = /^\/api\/v2\/domains\/([^/]+)\/([^/]+)$/.exec(pathname) ?? [];
  const environment = truth.scenario.environments.find((each) => each.id === decodeURIComponent(id));
  if (environment === undefined || !truth.isListed(environment, moment)) return NOT_FOUND;
  if (trouble === "forbidden") return refusal(403, "not authorized");
  const type = searchParams.get("finding") ?? "";
  if (list === "available-types") {
    const types = environment.types.filter((name) => !truth.isTypeRemoved(environment.id, name, moment));
    return { status: 200, body: { data: types, count: types.length } };
  }
  if (truth.isTypeRemoved(environment.id, type, moment)) return NOT_FOUND;
  if (list === "details" && truth.isTypeFailing(environment.id, type, moment)) return refusal(500, "internal error");
  if (list === "sparkline") return sparkline(truth, environment.id, type, moment, trouble);
  return list === "details" ? details(truth, environment.id, type, searchParams, moment, trouble) : NOT_FOUND;
}

function datapipe(truth: Truth, moment: number): Reply {
  const last = truth.analysesBefore(moment).at(-1)?.[1];
  if (!truth.scenario.reportsAnalysis || moment >= (truth.scenario.silentFrom ?? Infinity)) return NOT_FOUND;
  const at = last === undefined ? ZERO_TIME : new Date(clockOf(truth, last)).toISOString();
  const status = truth.isAnalysing(moment) ? "analyzing" : "idle";
  return { status: 200, body: { data: { status, last_complete_analysis_at: at } } };
}

function environments(truth: Truth, moment: number): Reply {
  const listed = truth.scenario.environments.filter((environment) => truth.isListed(environment, moment));
  const data = listed.map(({ id, name, zones }) => ({
    id,
    name,
    type: "active-directory",
    collected: true,
    exposures: zones
      .filter((zone) => !truth.isZoneHidden(id, zone, moment))
      .map((zone) => ({ exposure_percent: 10, asset_group_tag: { id: Number(zone), name: `Zone ${zone}` } })),
  }));
  return { status: 200, body: { data, count: data.length } };
}

function sparkline(truth: Truth, id: string, type: string, moment: number, trouble: Trouble | undefined): Reply {
  const { pointsApart, seed } = truth.scenario;
  if (trouble === "some sparklines fail" && mix(seed, hashText(type)) % 2 === 0) return refusal(500, "internal error");
  const before = pointsApart === 0 ? 0 : hashText(type) % pointsApart;
  const data = truth
    .analysesBefore(moment)
    .slice(-30)
    .filter((analysis) => truth.hasPoint(id, type, analysis))
    .map(([, end], index) => ({
      id: index + 1,
      created_at: new Date(clockOf(truth, end) - before).toISOString(),
      FindingCount: 1,
      DomainSID: id,
    }));
  return { status: 200, body: { data, count: data.length } };
}

function details(
  truth: Truth,
  id: string,
  type: string,
  query: URLSearchParams,
  moment: number,
  trouble: Trouble | undefined,
): Reply {
  const isEmptied = trouble === "empty lists" || (trouble === "empty pair lists" && isPair(type));
  const rows = isEmptied ? [] : truth.rowsOf(id, type, moment);
  const skip = Number(query.get("skip") ?? 0);
  const limit = Math.min(Number(query.get("limit") ?? 10) || Infinity, truth.scenario.pageSize);
  const data = rows
    .slice(skip, trouble === "short lists" && skip > 0 ? skip : skip + limit)
    .map(({ finding, deletedAt }) => record(truth, finding, deletedAt, moment))
    .map((row) => (trouble === "other rows" ? { ...row, Finding: "T0Owns" } : row))
    .map((row) => (trouble === "swapped rows" ? swapped(row) : row));
  const body = { data: trouble === "short lists" ? data.slice(0, 1) : data, skip, limit };
  return { status: 200, body: trouble === "no count" ? { ...body, data: [] } : { ...body, count: rows.length } };
}

type Row = Record<string, unknown>;

function swapped(row: Row): Row {
  if (!("FromPrincipal" in row)) return row;
  const { FromPrincipal, FromPrincipalProps, ToPrincipal, ToPrincipalProps, ...rest } = row;
  return {
    ...rest,
    FromPrincipal: ToPrincipal,
    FromPrincipalProps: ToPrincipalProps,
    ToPrincipal: FromPrincipal,
    ToPrincipalProps: FromPrincipalProps,
  };
}

function record(truth: Truth, finding: ScenarioFinding, deletedAt: number | null, moment: number): Row {
  const { source, target, type, environment } = finding;
  const props = (objectid: string): object => ({ objectid, name: `${objectid}@CORP.TEST` });
  const accepted = truth.isAccepted(finding, moment);
  const ends =
    source === null
      ? { Principal: target, PrincipalKind: "User", Props: props(target) }
      : {
          FromPrincipal: source,
          FromPrincipalKind: "Group",
          FromPrincipalProps: props(source),
          ToPrincipal: target,
          ToPrincipalKind: "User",
          ToPrincipalProps: props(target),
        };
  return {
    id: truth.idOf(finding, moment),
    created_at: new Date(EPOCH - 86_400_000).toISOString(),
    updated_at: new Date(EPOCH - 86_400_000).toISOString(),
    deleted_at:
      deletedAt === null ? { time: ZERO_TIME, valid: false } : { time: deletionTime(truth, deletedAt), valid: true },
    ...ends,
    Finding: type,
    DomainSID: environment,
    Accepted: accepted,
    AcceptedUntil: accepted ? "2031-01-01T00:00:00Z" : ZERO_TIME,
    Severity: "high",
  };
}

function deletionTime(truth: Truth, moment: number): string {
  return new Date(clockOf(truth, moment)).toISOString();
}

function shortestPath(truth: Truth, start: string, end: string, moment: number): Reply {
  const finding = truth.scenario.findings.find(({ source, target }) => source === start && target === end);
  if (finding === undefined || !truth.knowsObjects(finding.environment, moment)) return refusal(500, "not found");
  const analysis = truth.analysesBefore(moment).at(-1);
  // What a list leaves out for a moment, the graph may lack as well.
  if (analysis === undefined || !truth.isFound(finding, analysis)) return refusal(404, "Path not found");
  const nodes = { 1: { label: start, kind: "Group", objectId: start }, 2: { label: end, kind: "User", objectId: end } };
  return {
    status: 200,
    body: { data: { nodes, edges: [{ source: "1", target: "2", label: "GenericAll", kind: "GenericAll" }] } },
  };
}

function search(truth: Truth, text: string, moment: number): Reply {
  const finding = truth.scenario.findings.find(({ target }) => target === text);
  const isKnown = finding !== undefined && truth.knowsObjects(finding.environment, moment);
  const data = isKnown ? [{ objectid: text, name: `${text}@CORP.TEST`, type: "User" }] : [];
  return { status: 200, body: { data } };
}
