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
  const { host } = parts;
  return {
    "GET /instances/:id/choices": {
      answer: ({ path }) => askService(instance(parts, path.id), tools(parts), choicesOf),
    },
    "GET /instances/:id/meta-tree": {
      query: object({ environment: text }),
      answer: ({ path, query }) =>
        askService(instance(parts, path.id), tools(parts), (service) => metaTreeOf(service, query.environment)),
    },
    "GET /connectors/:id/choices": {
      answer: ({ path }) => askService(connector(parts, path.id), tools(parts), choicesOf),
    },
    "GET /cases/:id/cuts": {
      query: object({ of: oneOf("case", "environment") }),
      answer: ({ path, query }) => cuts(parts, keyIn(path.id, "case"), query.of),
    },
    "GET /relationships/:kind": { answer: ({ path }) => explainEdge(path.kind) },
    "GET /cases/:id/trends": {
      answer: ({ path }) => trends(parts, host.cases.view(keyIn(path.id, "case")).alertList),
    },
  };
}

/** Asks with the credentials of the connector that brought the case's first alert. */
function cuts(parts: Parts, caseId: number, of: "case" | "environment"): Promise<CutsView> {
  const [alert] = parts.host.cases.view(caseId).alertList;
  const { connectorId, environmentId } = found(alert, "An alert of this case");
  const known = parts.host.store.connectors().some(({ id }) => id === connectorId);
  if (!known) throw new Refusal(409, CONNECTOR_GONE);
  const { log } = parts.host;
  return askService(
    connector(parts, connectorId),
    tools(parts),
    (service) =>
      of === "environment"
        ? cutsOfEnvironment(service, environmentId, log)
        : cutsOfCase(service, parts.host.events.openFindings(caseId), log),
    PATIENCE_FOR_PATHS_MS,
  );
}

/** One for each finding type of each environment, by the connector that brought it. */
async function trends(parts: Parts, alerts: readonly AlertRow[]): Promise<Trend[]> {
  const streams = new Map(alerts.map((alert) => [JSON.stringify([alert.environmentId, alert.findingType]), alert]));
  const shown = [...streams.values()].slice(0, MOST_TRENDS);
  const known = new Set(parts.host.store.connectors().map(({ id }) => id));
  const all = [...new Set(shown.map(({ connectorId }) => connectorId))].map(async (id) => {
    const own = shown.filter(({ connectorId }) => connectorId === id);
    const gone = ({ findingType, title }: AlertRow) => ({ findingType, title, points: [], message: CONNECTOR_GONE });
    if (!known.has(id)) return own.map(gone);
    return askService(connector(parts, id), tools(parts), (service) =>
      Promise.all(own.map((alert) => trendOf(service, alert))),
    );
  });
  return (await Promise.all(all)).flat();
}

const CONNECTOR_GONE = "The connector that brought these alerts was deleted, so the service cannot be asked.";

function tools({ clock, host: { log } }: Parts): Parameters<typeof askService>[1] {
  return { clock, log };
}

function instance({ host }: Parts, id: string): ConfiguredTenant {
  return { parameters: host.store.instance(id).parameters, dialect: null };
}

function connector({ host }: Parts, id: string): ConfiguredTenant {
  return { parameters: host.store.connector(id).parameters, dialect: host.connectors.state(id).dialect };
}
