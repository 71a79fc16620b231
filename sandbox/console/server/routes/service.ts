import { explainEdge } from "../../../../src/investigation/edges/edge-kinds.ts";
import type { AlertRow, CutsView, Trend } from "../../contract/index.ts";
import { cutsOfCase, cutsOfEnvironment } from "../cuts.ts";
import { keyIn, object, oneOf, text } from "../input.ts";
import type { Parts } from "../parts.ts";
import { found, Refusal } from "../problems.ts";
import { choicesOf, metaTreeOf, trendOf } from "../questions.ts";
import type { Routes } from "../routing.ts";
import { askService, type ConfiguredTenant } from "../service.ts";

type Endpoints =
  | "GET /instances/:id/choices"
  | "GET /instances/:id/meta-tree"
  | "GET /connectors/:id/choices"
  | "GET /cases/:id/cuts"
  | "GET /cases/:id/trends"
  | "GET /relationships/:kind";

/** A request for each pair of objects takes its time. */
const PATIENCE_FOR_PATHS_MS = 60_000;
/** A case has few finding types; of one that has more, the worst are shown. */
const MOST_TRENDS = 12;

/** What only the tenant itself can tell. */
export function serviceRoutes(parts: Parts): Routes<Endpoints> {
  return {
    "GET /instances/:id/choices": {
      answer: ({ path, signal }) => askService(instance(parts, path.id), tools(parts, signal), choicesOf),
    },
    "GET /instances/:id/meta-tree": {
      query: object({ environment: text }),
      answer: ({ path, query, signal }) =>
        askService(instance(parts, path.id), tools(parts, signal), (service) => metaTreeOf(service, query.environment)),
    },
    "GET /connectors/:id/choices": {
      answer: ({ path, signal }) => askService(connector(parts, path.id), tools(parts, signal), choicesOf),
    },
    "GET /cases/:id/cuts": {
      query: object({ of: oneOf("case", "environment") }),
      answer: ({ path, query, signal }) => cuts(parts, keyIn(path.id, "case"), query.of, signal),
    },
    "GET /relationships/:kind": { answer: ({ path }) => explainEdge(path.kind) },
    "GET /cases/:id/trends": {
      answer: ({ path, signal }) => trends(parts, alertsOf(parts, keyIn(path.id, "case")), signal),
    },
  };
}

/** The alerts of a case, the worst first, and those whose connector was deleted behind the others. */
function alertsOf({ host }: Parts, caseId: number): CaseAlert[] {
  const known = new Set(host.store.connectors().map(({ id }) => id));
  const alerts = host.alerts.alerts({ caseId }).map((alert) => ({ ...alert, canAsk: known.has(alert.connectorId) }));
  found(alerts[0], "This case");
  return alerts.toSorted((a, b) => Number(b.canAsk) - Number(a.canAsk));
}

interface CaseAlert extends AlertRow {
  /** Its connector is still there. */
  canAsk: boolean;
}

/** Asks with the credentials of a connector that brought alerts of the case. */
function cuts(parts: Parts, caseId: number, of: "case" | "environment", signal: AbortSignal): Promise<CutsView> {
  const { connectorId, environmentId, canAsk } = found(alertsOf(parts, caseId)[0], "This case");
  if (!canAsk) throw new Refusal(409, CONNECTOR_GONE);
  const { log } = parts.host;
  return askService(
    connector(parts, connectorId),
    tools(parts, signal),
    (service) =>
      of === "environment"
        ? cutsOfEnvironment(service, environmentId, log)
        : cutsOfCase(service, parts.host.events.openFindings(caseId), log),
    PATIENCE_FOR_PATHS_MS,
  );
}

/** One for each finding type of each environment, by a connector that brought it. */
async function trends(parts: Parts, alerts: readonly CaseAlert[], signal: AbortSignal): Promise<Trend[]> {
  const streams = new Map<string, CaseAlert>();
  for (const alert of alerts) {
    const stream = JSON.stringify([alert.environmentId, alert.findingType]);
    if (!streams.has(stream)) streams.set(stream, alert);
  }
  const shown = [...streams.values()].slice(0, MOST_TRENDS);
  const all = [...new Set(shown.map(({ connectorId }) => connectorId))].map(async (id) => {
    const own = shown.filter(({ connectorId }) => connectorId === id);
    const gone = ({ findingType, title }: AlertRow) => ({ findingType, title, points: [], message: CONNECTOR_GONE });
    if (own.some(({ canAsk }) => !canAsk)) return own.map(gone);
    return askService(connector(parts, id), tools(parts, signal), (service) =>
      Promise.all(own.map((alert) => trendOf(service, alert))),
    );
  });
  return (await Promise.all(all)).flat();
}

const CONNECTOR_GONE =
  "The connector that brought these alerts was deleted, so the console cannot ask the service. Add a connector for its tenant.";

function tools({ clock, host: { log } }: Parts, signal: AbortSignal): Parameters<typeof askService>[1] {
  return { clock, log, signal };
}

function instance({ host }: Parts, id: string): ConfiguredTenant {
  return { parameters: host.store.instance(id).parameters, dialect: null };
}

function connector({ host }: Parts, id: string): ConfiguredTenant {
  return { parameters: host.store.connector(id).parameters, dialect: host.connectors.state(id).dialect };
}
